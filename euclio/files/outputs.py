"""Files that a command is to write: refused before anything is run where that would lose what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from euclio.core.errors import InputError
from euclio.files.json_writing import check_writable


def check_outputs(outputs: Mapping[str, str | Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse files that cannot be written, that the command reads, or that it would write twice.

    A file is the same under another name too: through a symbolic or a hard link, or by another way to its folder.

    Args:
        outputs: files to be written, by the option that names them; None: not asked for.
        inputs: files that are read, and folders whose files are; None: none.

    Raises:
        InputError: naming the option and the file.
    """
    asked = {option: Path(path) for option, path in outputs.items() if path is not None}
    read = [Path(path) for path in inputs if path is not None]
    taken: dict[str, Path] = {}
    for option, path in asked.items():
        if any(_same(path, file) for given in read for file in _files(given, path)):
            message = "is read by this command, and would be lost; choose another file"
            raise InputError(message, file=str(path), field=option)
        for other, file in taken.items():
            if _same(path, file):
                raise InputError(f"is the file of {other} too; choose another one", file=str(path), field=option)
        taken[option] = path
    for path in asked.values():
        check_writable(path)


def _files(path: Path, output: Path) -> Iterator[Path]:
    """The file, or all files in the folder that an output could be: none where that is not there yet."""
    try:
        if path.is_dir():
            yield from path.rglob("*") if output.exists() else ()
        else:
            yield path
    except (OSError, ValueError):  # what cannot be read is refused where it is read
        return


def _same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file that keeps what is written; devices such as /dev/null do not."""
    try:
        if path.exists() and other.exists():
            return path.is_file() and path.samefile(other)
        return path.resolve() == other.resolve()
    except (OSError, ValueError, RuntimeError):  # a loop of links; refused where it is opened
        return False
