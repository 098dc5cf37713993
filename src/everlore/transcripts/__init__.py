"""What agent hosts keep of their conversations, and what people wrote down for them, as one kind of value.

Nothing is sent from here, and nothing but the standard library is imported: hooks and imports read the same turns, so
that what one of them saved the other recognises.
"""
