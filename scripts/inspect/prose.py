"""Deterministic filler: text and pictures that are the same in every run."""

import base64
import struct
import zlib

WORDS = (
    "anchor harbour signal lantern tide granite meadow copper violet season marble "
    "thunder window orchard river engine feather compass winter amber silver market"
).split()


def prose(seed: int, length: int) -> str:
    """About `length` characters of words, chosen by `seed` alone."""
    state, parts, size = seed * 2654435761 % 2**32 or 1, [], 0
    while size < length:
        state = (state * 1664525 + 1013904223) % 2**32
        word = WORDS[(state >> 16) % len(WORDS)]
        parts.append(word)
        size += len(word) + 1
    return " ".join(parts)


def picture(seed: int) -> str:
    """A one-pixel PNG as a data URI."""
    pixel = bytes((0, seed * 37 % 256, seed * 91 % 256, seed * 17 % 256))

    def chunk(tag: bytes, data: bytes) -> bytes:
        body = tag + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    png = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(pixel))
        + chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(png).decode()
