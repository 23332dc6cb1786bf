"""Looks for words that must not be in published data: in files, zip members and packed files.

  python scan_private.py <dir> <word> [<word> …]

Prints each place where a word was found, and ends with 1 if there is one.
"""

import io
import os
import sys
import zipfile

import inspect_ai.log._recorders.eval  # noqa: F401  (teaches zipfile to read zstd)


def main() -> None:
    root, words = sys.argv[1], [word.encode() for word in sys.argv[2:]]
    found = 0
    for directory, _, files in os.walk(root):
        for name in files:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                found += scan(os.path.relpath(path, root), file.read(), words)
    sys.exit(1 if found else 0)


def scan(place: str, data: bytes, words: list[bytes]) -> int:
    found = 0
    for word in words:
        if word in data:
            at = data.index(word)
            print(f"{place}: {data[max(0, at - 60) : at + 60]!r}")
            found += 1
    if data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                found += scan(f"{place}!{name}", archive.read(name), words)
    return found


if __name__ == "__main__":
    main()
