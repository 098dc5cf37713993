"""Every error Everlore raises on purpose, by what the caller can do about it.

EverloreError
├── InvalidInput        change the request
├── UnsupportedMedia    send the content in another form
├── NotFound            name something that exists
├── Unavailable         try again later; nothing was lost
├── Misconfigured       the owner of the installation must change a setting
└── Damaged             a file needs a person's eye; the message says which and where

The message is for people: it says what is wrong and what to do. Surfaces map the classes to
their own codes; nothing below a surface knows a code.
"""


class EverloreError(Exception):
    """Base of all errors that are meant to be shown."""


class InvalidInput(EverloreError):
    """The request cannot be carried out as it stands."""


class UnsupportedMedia(EverloreError):
    """A content item cannot be read here."""


class NotFound(EverloreError):
    """Nothing goes by that name."""


class Unavailable(EverloreError):
    """A part is busy, loading or out of reach; the same request may work later."""


class Misconfigured(EverloreError):
    """A setting, a folder or a model is not as it must be."""


class Damaged(EverloreError):
    """Stored data is not as we wrote it."""
