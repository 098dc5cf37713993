"""The page for people: see, ask, correct and trust what is remembered.

`door` decides who comes in and imports the rest for the first person; `shell` is the frame that NiceGUI carries to the
browser; each view is a module that turns an address into markup, and what a person does into a verb of the engine.
"""
