"""Writing files so that they are whole or absent, whenever the process may end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from gapdag.errors import GapdagError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write beside the target and rename: a reader never sees half a file."""
    target = Path(path)
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as e:
        raise _cannot_write(target, e) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        os.chmod(beside, 0o666 & ~_umask())  # mkstemp makes it private; be like open()
        os.replace(beside, target)
    except OSError as e:
        Path(beside).unlink(missing_ok=True)
        raise _cannot_write(target, e) from None
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def write_folder(folder: str | os.PathLike[str], files: Mapping[str, str]) -> None:
    """Write several files into a folder: all of them beside it first, then renamed into place.

    A folder that was not there appears with every file in it; in one that was, each file of
    these names is replaced and the others are left alone.

    >>> out = Path(tempfile.mkdtemp()) / "a" / "b"
    >>> write_folder(out, {"one.txt": "1", "two.txt": "2"})
    >>> sorted(p.name for p in out.iterdir())
    ['one.txt', 'two.txt']
    """
    target = Path(folder)
    try:
        beside = Path(tempfile.mkdtemp(dir=_standing(target), prefix=".gapdag-"))
    except OSError as e:
        raise _cannot_write(target, e) from None
    try:
        for name, text in files.items():
            (beside / name).write_text(text, encoding="utf-8", newline="")
        if target.is_dir():
            for name in files:
                os.replace(beside / name, target / name)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.chmod(beside, 0o777 & ~_umask())  # mkdtemp makes it private; be like mkdir()
            os.rename(beside, target)
    except OSError as e:
        raise _cannot_write(target, e) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def check_folder(folder: str | os.PathLike[str], names: Iterable[str]) -> None:
    """Raise now, before any work, what ``write_folder`` would raise after it."""
    target = Path(folder)
    if os.path.lexists(target) and not target.is_dir():
        raise GapdagError(f"cannot write into {str(target)!r}: it is a file, not a folder")
    for name in names:
        if (target / name).is_dir():
            raise GapdagError(f"cannot write {str(target / name)!r}: a folder has that name")
    _try_out(_standing(target), target)


def check_file(path: str | os.PathLike[str]) -> None:
    """Raise now, before any work, what ``write_text`` would raise after it."""
    target = Path(path)
    if target.is_dir():
        raise GapdagError(f"cannot write {str(target)!r}: it is a folder; name a file")
    _try_out(target.parent, target)


def _try_out(folder: Path, target: Path) -> None:
    try:
        os.rmdir(tempfile.mkdtemp(dir=folder, prefix=".gapdag-"))
    except OSError as e:
        raise _cannot_write(target, e) from None


def _standing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there: on the same disk, to rename from."""
    for above in (folder, *folder.absolute().parents):
        if os.path.lexists(above):
            return above
    return folder


def _cannot_write(target: Path, e: OSError) -> GapdagError:
    return GapdagError(f"cannot write {str(target)!r}: {e.strerror or e}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
