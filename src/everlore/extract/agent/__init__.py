"""What agents did: runs of tool calls become cases, and cases that are alike become skills. Pure.

A case says only what the run shows. Its score is 0.5 unless something proved success or failure, and a lesson that
nothing proved is left out: no lesson is better than a false one.
"""

from everlore.extract.agent import case as case
from everlore.extract.agent import skill as skill
