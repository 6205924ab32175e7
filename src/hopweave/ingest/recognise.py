"""Recognises a file by its first few kilobytes where its name does not say its format: `LICENSE`, `nginx.conf`, `ls.1.gz`."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.compound_file import SIGNATURE
from hopweave.ingest.encodings import declared_encoding, guessed_encoding, marked_encoding
from hopweave.ingest.file_bytes import head_of
from hopweave.ingest.formats import IMAGE_SUFFIXES, LEGACY_SUFFIXES, CorpusFile
from hopweave.text.scripts import lacks_blanks

HEAD_BYTES = 8 << 10
"""So much of a file is looked at."""

TEXT, TROFF, INFO, MAIL, MAILBOX, SCRIPT, RTF = ".txt", ".man", ".info", ".eml", ".mbox", ".sh", ".rtf"

_CONTROL = lazy_pattern(r"[^\x20-\x7e\x80-\U0010ffff\t\n\r\v\f\b\x1b]|[\x80-\x84\x86-\x9f\ufffe\uffff]")
_TROFF = lazy_pattern(r"(?:\s*+\\\".*+\n)*+\s*+(?:[.']\s*\\\"|\.(?:TH|Dd|so|SH|de1?|ds|nr|if|ie|ig|tr)\b)")
_TROFF_BODY = lazy_pattern(r"^\.[ \t]*(?:TH|SH|Dd|Dt|Sh|so)\b|^[.']\\\"", re.MULTILINE)
_INFO = lazy_pattern(r"\s*(?:This is|Info file:?) \S{1,200}\.info\b|\s*\x1f\nFile: ")
_DELIMITERS = str.maketrans("", "", "\1\2\3\4\5\6\7")
"""Control characters that manual pages put around the arguments of requests."""
_HTML = lazy_pattern(r"(?>\s++|<\?xml[^>]*+>|<!--.*?-->)*+<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
_FIELDS = lazy_pattern(r"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_MAIL_FIELD = lazy_pattern(r"^(?:received|return-path|message-id|delivered-to|x-mozilla-status):", re.IGNORECASE | re.MULTILINE)
_FROM_FIELD = lazy_pattern(r"^from:", re.IGNORECASE | re.MULTILINE)
_MAILBOX = lazy_pattern(r"From \S{1,200} .{0,200}?\d\d:\d\d.{0,100}\n(?=[!-9;-~]+:)")
_FOR_PROGRAMS = lazy_pattern(
    r"#!|%!PS|-----BEGIN |begin \d{3} |<\?xml|<\?php|<svg|<[a-zA-Z][\w:-]*(?:\s[^<>]*)?>|\{\s*[\"}]|\[\s*[\[{\"\d-]"
)
"""Text that is not meant to be read: scripts, pages of PostScript, keys, markup and data."""

_ZIP = b"PK\x03\x04"
_OFFICE = LEGACY_SUFFIXES - {RTF, ".msg"}
"""Names that programs also give to web pages, RTF, text and newer files, so that an office program opens them."""

_MIN_SHARE_OF_LETTERS = 0.4
_MAX_WORD = 40
"""Characters of a word, on average: lists of paths have up to 30, encoded data 60 and more."""


def recognised(file: CorpusFile, *, is_asked_for: bool) -> CorpusFile:
    """The same file; if its name does not say its format, with what it looks like.

    Args:
        file: on the disk. It is opened only if its name says nothing.
        is_asked_for: whether source code and data are text as well.
    """
    is_known = (file.is_readable and file.suffix not in _OFFICE) or file.suffix in IMAGE_SUFFIXES
    if file.special or is_known or (file.is_source_code and not is_asked_for):
        return file
    try:
        head = head_of(file, HEAD_BYTES)
    except DataError:  # reading it says why
        return file if file.suffix in _OFFICE else replace(file, looks=TEXT)
    return told_by(head, file, is_asked_for=is_asked_for)


def is_left_closed(file: CorpusFile) -> bool:
    """Whether a file within another is not opened, whatever it holds: a special one, source code, a picture without OCR."""
    is_picture = file.suffix in IMAGE_SUFFIXES and not file.is_readable
    return bool(file.special) or file.is_source_code or is_picture


def told_by(head: bytes, file: CorpusFile, *, is_asked_for: bool = False) -> CorpusFile:
    """The same file; if its name does not say its format for sure, with what it looks like. Arguments as of `format_of`."""
    if file.suffix in _OFFICE:
        return replace(file, looks=_format_of_office(head, file.suffix))
    return file if file.is_readable else replace(file, looks=format_of(head, is_asked_for=is_asked_for))


def format_of(head: bytes, *, is_asked_for: bool = False) -> str:
    """The format of a file as a suffix; empty if it is not known.

    Args:
        head: its beginning, `HEAD_BYTES` long unless it is all.
        is_asked_for: whether source code and data are text as well.
    """
    if head.startswith(b"%PDF-"):
        return ".pdf"
    if head.startswith(b"{\\rtf"):
        return RTF
    text = _decoded(head)
    if _INFO.match(text):
        return INFO
    is_troff = bool(_TROFF.match(text) and _TROFF_BODY.search(text))
    if not text.strip() or _CONTROL.search(text.translate(_DELIMITERS) if is_troff else text):
        return ""
    if _HTML.match(text):
        return ".html"
    if is_troff:
        return TROFF
    if _MAILBOX.match(text):
        return MAILBOX
    fields = _FIELDS.match(text)
    if fields and _MAIL_FIELD.search(fields[0]) and _FROM_FIELD.search(fields[0]):
        return MAIL
    if text.startswith("#!") and not is_asked_for:
        return SCRIPT
    return TEXT if is_asked_for or _is_for_people(text) else ""


def _format_of_office(head: bytes, suffix: str) -> str:
    """What a file with the name of an old office format is; empty if it is that, or nothing that is known."""
    if head.startswith(SIGNATURE):
        return ""
    return f"{suffix}x" if head.startswith(_ZIP) else format_of(head)


def _decoded(head: bytes) -> str:
    """The text of a file's beginning, whose last character may be cut off."""
    marked = marked_encoding(head)
    if marked:
        return head[: len(head) & ~3].decode(marked, "replace").replace("\0", "\x01")
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        encoding = declared_encoding(head) or guessed_encoding(head)
        return head.decode(encoding, "replace") if encoding else ""


def _is_for_people(text: str) -> bool:
    """Whether a text looks like language or configuration."""
    if _FOR_PROGRAMS.match(text.lstrip("\ufeff \t\r\n")):
        return False
    words = text.split()
    num_characters = sum(map(len, words))
    num_letters = sum(map(str.isalpha, "".join(words)))
    if num_letters < _MIN_SHARE_OF_LETTERS * num_characters:
        return False
    return lacks_blanks(text) or num_characters <= _MAX_WORD * len(words)
