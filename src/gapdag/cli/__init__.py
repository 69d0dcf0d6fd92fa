"""The command line. Importing this module imports nothing heavy: ctrl-C counts from the start."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence

from gapdag.cli.signals import SIGNALS, Stopped
from gapdag.errors import GapdagError

BUG, WRONG = 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 2 wrong input or option, 130 stopped.

    >>> main(["audit", "nowhere.csv"])
    2
    """
    with SIGNALS.caught():
        try:
            _streams()
            from gapdag.cli.app import run

            status = run(sys.argv[1:] if argv is None else list(argv))
            if SIGNALS.number:  # the parser of options has an answer of its own to ctrl-C
                raise Stopped
            sys.stdout.flush()
            return status
        except BaseException as e:
            return _ended(e)


def _streams() -> None:
    """Make stdout and stderr take whatever is printed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):  # a name that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")


def _ended(e: BaseException) -> int:
    """Say in one line why there is no result, and the exit status for it."""
    stopped = SIGNALS.number
    SIGNALS.ignore()
    if stopped or isinstance(e, Stopped | KeyboardInterrupt):
        # whatever was raised after a signal was raised because of it
        _say("interrupted" if stopped in (0, 2) else "terminated")
        return 128 + (stopped or 2)
    if BrokenPipeError in (type(e), type(e.__context__)):  # the parser of options makes it an exit
        _quiet()  # the reader of our output has seen enough
        return 0
    if isinstance(e, SystemExit):
        return e.code if isinstance(e.code, int) else 0
    if isinstance(e, GapdagError):
        _say(str(e))
        return WRONG
    if isinstance(e, OSError) and e.filename is None and e.errno == errno.ENOSPC:
        _say(f"cannot write to stdout: {e.strerror}")
        _quiet()
        return WRONG
    if isinstance(e, MemoryError):
        _say("out of memory; try fewer columns (--columns) or fewer rows")
        return WRONG
    if os.environ.get("GAPDAG_DEBUG") == "1":
        traceback.print_exception(e)
    _say(
        f"this is a bug of gapdag ({type(e).__name__}: {e}); please report it, with what "
        "GAPDAG_DEBUG=1 prints"
    )
    return BUG


def _say(line: str) -> None:
    try:
        print("gapdag:", " ".join(line.split()), file=sys.stderr, flush=True)
    except OSError:
        _quiet()


def _quiet() -> None:
    """Nobody listens any more: keep the interpreter from complaining when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(null, stream.fileno())
