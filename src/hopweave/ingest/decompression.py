"""The bytes of a compressed file, piece by piece: no piece is large, and no more memory is taken than an honest file needs."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Protocol

_PIECE_BYTES = 1 << 17
_MAX_XZ_MEMORY_BYTES = 256 << 20
"""The highest level of xz needs 65 MiB; a header may ask for 4 GiB."""
_ZSTD_BYTES = 1 << 10
"""So many bytes are decompressed at once, to 32 MiB at most: a block of 4 bytes stands for up to 128 KiB."""
_GZIP = zlib.MAX_WBITS | 16


class Damaged(Exception):
    """Data that are not in the format, damaged or cut off."""


class _Decompressor(Protocol):
    """See `bz2.BZ2Decompressor`."""

    eof: bool
    needs_input: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes: ...


class _Gzip:
    """`zlib`'s decompressor with the interface of the others."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(_GZIP)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        piece = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(piece) < max_length
        return piece


class _Zstd:
    """The decompressor of the library zstandard with the same interface."""

    needs_input = True

    def __init__(self) -> None:
        import zstandard

        self._inner: Any = zstandard.ZstdDecompressor().decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, _: int = -1, /) -> bytes:
        import zstandard

        try:
            return bytes(self._inner.decompress(data))
        except zstandard.ZstdError as error:
            raise Damaged(str(error)) from None


_MAKES: dict[str, Callable[[], Any]] = {
    ".gz": _Gzip,
    ".bz2": bz2.BZ2Decompressor,
    ".xz": lambda: lzma.LZMADecompressor(memlimit=_MAX_XZ_MEMORY_BYTES),
    ".zst": _Zstd,
}


def pieces(raw: BinaryIO, compression: str) -> Iterator[bytes]:
    """The decompressed bytes of a file, which may consist of several compressed streams, with zero bytes after each.

    Args:
        raw: the compressed bytes.
        compression: `.gz`, `.bz2`, `.xz` or `.zst`; the last needs the library zstandard.

    Raises:
        Damaged: if they are not in that format, damaged or cut off.
    """
    num_bytes = _ZSTD_BYTES if compression == ".zst" else _PIECE_BYTES
    left = raw.read(num_bytes)
    is_first = True
    while is_first or left:
        decompressor: _Decompressor = _MAKES[compression]()
        is_first = False
        while not decompressor.eof:
            if not left and decompressor.needs_input and not (left := raw.read(num_bytes)):
                raise Damaged("it ends before the end of its data")
            try:
                piece = decompressor.decompress(left, _PIECE_BYTES)
            except (OSError, zlib.error, lzma.LZMAError, EOFError) as error:
                raise Damaged(str(error)) from None
            left = b""
            if piece:
                yield piece
        left = decompressor.unused_data
        while not (left := left.lstrip(b"\0")):
            if not (left := raw.read(num_bytes)):
                return
