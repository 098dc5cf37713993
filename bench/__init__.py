"""Quality and speed of Everlore, measured the same way every time. `python -m bench --help` tells how."""

import os

# as in our own processes; and a peer whose threads spin on would slow down what is measured after it
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
