"""What a data file holds: its bytes, unzipped, and as text; in one line why it cannot be read."""

from __future__ import annotations

import difflib
import gzip
import zlib
from pathlib import Path

from gapdag.errors import GapdagError


def bytes_of(path: Path) -> bytes:
    """The file as it is."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = _near_files(path)
        hint = f"; did you mean: {near}?" if near else ""
        raise GapdagError(f"no file {str(path)!r}{hint}") from None
    except IsADirectoryError:
        raise GapdagError(f"{str(path)!r} is a folder; name a file in it") from None
    except (OSError, ValueError) as e:  # ValueError: a NUL in the name
        raise GapdagError(f"cannot read {str(path)!r}: {getattr(e, 'strerror', e) or e}") from None


def _near_files(path: Path) -> str:
    try:
        names = [p.name for p in path.parent.iterdir() if p.is_file()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=2, cutoff=0.7)
    return ", ".join(repr(str(path.parent / n)) for n in near)


def kind_of(path: Path) -> str:
    """The suffix in small letters; before .gz the one that stands there too."""
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        return "".join(suffixes[-2:])
    return suffixes[-1] if suffixes else ""


def unzipped(raw: bytes, path: Path) -> bytes:
    """The contents of a gzip file."""
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        raise GapdagError(f"{str(path)!r} is no whole gzip file; get it again") from None


def decoded(raw: bytes, path: Path) -> str:
    """The text of a UTF-8 file, without the mark some programs put first."""
    name = repr(str(path))
    if not raw.strip():
        raise GapdagError(f"{name} is empty")
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise GapdagError(f"{name} is UTF-16 text; save it as UTF-8 (in Excel: 'CSV UTF-8')")
    if b"\x00" in raw or raw[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1"):
        raise GapdagError(f"{name} is no text but a binary file; save the table as CSV or Parquet")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise GapdagError(
            f"{name} is not UTF-8 text (line {line}); save it as UTF-8, or, if it is Latin-1, run "
            f"iconv -f latin1 -t utf-8"
        ) from None
