"""Writing files so that they are whole or absent, whenever the process may end."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gapdag.errors import GapdagError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write beside the target and rename: a reader never sees half a file."""
    target = Path(path)
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as e:
        raise GapdagError(f"cannot write {str(target)!r}: {e.strerror or e}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        os.chmod(beside, 0o666 & ~_umask())  # mkstemp makes it private; be like open()
        os.replace(beside, target)
    except OSError as e:
        Path(beside).unlink(missing_ok=True)
        raise GapdagError(f"cannot write {str(target)!r}: {e.strerror or e}") from None
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
