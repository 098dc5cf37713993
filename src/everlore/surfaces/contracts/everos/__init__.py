"""The EverOS HTTP API: requests as it constrains them, answers as it spells them out, and how memories become answers.

The routes that it does not have (delete, history, export, import) are in its style and stand here too. HTTP carries it.
"""
