"""The one exception and the one warning that gapdag raises of its own."""


class GapdagError(ValueError):
    """The input or an option is wrong: one line that names it, the need and the remedy."""


class GapdagWarning(UserWarning):
    """The answer stands, but the reader should know this about it."""
