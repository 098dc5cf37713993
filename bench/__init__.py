"""Quality and speed of Everlore, measured the same way every time. `python -m bench --help` tells how."""
