"""Every error Everlore raises on purpose, by what the caller can do about it.

EverloreError
├── InvalidInput        change the request
├── UnsupportedMedia    send the content in another form
├── NotFound            name something that exists
├── Conflict            choose another name; this one stands for something else
├── Denied              show another credential, or ask for less
├── Unavailable         try again later; nothing was lost
│   └── Postponed       wait: the language model is asked again by itself
├── Misconfigured       the owner of the installation must change a setting
│   └── Obstructed      something in the vault must be moved away
└── Damaged             a file needs a person's eye; the message says which and where
    └── Unreadable      a file of the vault must be saved as text again

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


class Conflict(EverloreError):
    """The name is taken by something else."""


class Denied(EverloreError):
    """The credential does not open this. `why` is one word for surfaces to map."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class Unavailable(EverloreError):
    """A part is busy, loading or out of reach; the same request may work later."""


class Postponed(Unavailable):
    """The language model could not do its part now. Nothing was lost: it is asked again later."""


class Misconfigured(EverloreError):
    """A setting, a folder or a model is not as it must be."""


class Obstructed(Misconfigured):
    """Where a file or folder of the vault must be, there is something else: a link, or the other of the two."""


class Damaged(EverloreError):
    """Stored data is not as we wrote it."""


class Unreadable(Damaged):
    """A file of the vault is no text any more; whoever changed it can correct it."""
