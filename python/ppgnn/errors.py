"""What can go wrong: one class per kind, each with the library's own sentence, which names the field and never a private value."""


class Error(Exception):
    """Whatever the library refuses."""


class InvalidArgument(Error, ValueError):
    """A parameter that the caller chose is out of its range."""


class Malformed(Error, ValueError):
    """Bytes or text do not have the documented form."""


class Mismatch(Error, ValueError):
    """Well-formed, but it does not belong to what it was given with: another plan, another size."""


class CertificateError(Error):
    """A privacy claim does not hold."""


class InputOutput(Error, OSError):
    """A file or peer could not be read or written."""


class Diverged(Error, ArithmeticError):
    """Training: no epoch had a finite loss."""


class OverLimit(Error):
    """It costs more than the person agreed to."""


class Reported(Error):
    """The campaign has its report, and this would be another."""


class RolledBack(Error):
    """A ledger is older than its counter says."""


class NotPermitted(Error):
    """Only with the person's explicit word, which was not given."""


__all__ = ["Error", "InvalidArgument", "Malformed", "Mismatch", "CertificateError", "InputOutput", "Diverged", "OverLimit", "Reported",
           "RolledBack", "NotPermitted"]
