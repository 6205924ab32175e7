"""The files of a corpus: their formats, and the limits on reading them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Literal

from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Deadline
from hopweave.ingest.reasons import Reason, Unreadable, reading

RECORD_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv"})
"""Files that contain many records."""

MARKUP_SUFFIXES = frozenset(
    {".adoc", ".asciidoc", ".bib", ".dbk", ".fb2", ".mediawiki", ".opml", ".org", ".ris", ".t2t", ".tex", ".textile", ".typ"}
)
"""Markup that pandoc reads; see `hopweave.ingest.pandoc`."""

WEB_ARCHIVE_SUFFIXES = frozenset({".mht", ".mhtml"})
"""Web pages with their pictures, in the form of a message."""

TEXT_SUFFIXES = (
    MARKUP_SUFFIXES
    | WEB_ARCHIVE_SUFFIXES
    | {".txt", ".log", ".md", ".markdown", ".html", ".htm", ".xhtml", ".rst", ".man", ".ipynb", ".srt", ".vtt", ".ics", ".vcf"}
    | {".eml", ".info"}
)
"""Files that are one text document each, by their names; others are recognised by their content, see `recognise`."""

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"})
"""Pictures, which are read if their text can be recognised."""

_OCR_LIBRARIES = ("onnxruntime", "PIL", "pypdfium2", "rapidocr")
CAN_RECOGNISE = all(map(find_spec, _OCR_LIBRARIES))
"""Whether the extra `ocr` is installed."""

LEGACY_SUFFIXES = frozenset({".doc", ".xls", ".ppt", ".msg", ".rtf"})
"""Formats of office programs before they saved zip files of XML."""

BOOK_SUFFIXES = (
    frozenset({".pdf", ".docx", ".epub", ".pptx", ".xlsx", ".odt", ".ods", ".odp"})
    | LEGACY_SUFFIXES
    | (IMAGE_SUFFIXES if CAN_RECOGNISE else frozenset())
)
"""Files that are one document each, but not text."""

_SAME_FORMAT = {
    ".docm": ".docx", ".dotx": ".docx", ".dotm": ".docx", ".xlsm": ".xlsx", ".xltx": ".xlsx", ".xltm": ".xlsx", ".xlt": ".xls",
    ".pptm": ".pptx", ".ppsx": ".pptx", ".ppsm": ".pptx", ".potx": ".pptx", ".potm": ".pptx", ".pps": ".ppt", ".ott": ".odt",
    ".ots": ".ods", ".otp": ".odp",
}  # fmt: skip
"""Templates, shows and files with macros, by the formats that they are in."""

DOCUMENT_SUFFIXES = TEXT_SUFFIXES | BOOK_SUFFIXES
"""Files that are one document each."""

ARCHIVE_SUFFIXES = frozenset({".tar", ".zip", ".mbox", ".enex"})
"""Files that hold others."""

SOURCE_CODE_SUFFIXES = frozenset(
    f".{name}"
    for name in re.findall(
        r"\w+",
        "ada adb ads asm awk bash bat c cc cfc cgi cjs clj cljs cmake cmd coffee cpp cr cs csh css cu cxx d dart diff ejs el "
        "elm erb erl ex exs f f03 f77 f90 f95 fish for fs fsx geojson go gradle graphql groovy h haml hbs hcl hh hpp hs hxx in "
        "ino j2 java jinja jl js json5 jsonld jsx kt kts less lisp lock lua m m4 map mjs mk ml mli mm mustache nim nix pas "
        "patch php pl plist pm po pot proto ps1 psm1 pxd py pyi pyw pyx r rb rdf rkt rs s sass scala scm scss sed sh sln sql "
        "sty sv svelte svg swift t tcl tf thrift tmpl toc ts tsx v vb vbs vcxproj vhd vim vue wgsl wsdl xml xsd xsl xslt y "
        "zig zsh",
    )
)
"""Files that are text, but for programs: source code, markup and data. They are read only if they are asked for."""

COMPRESSIONS: Mapping[str, str] = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""Names of compressions by suffix; any known format may be compressed."""

_SHORT = {
    ".tgz": ".tar.gz", ".taz": ".tar.gz", ".tbz": ".tar.bz2", ".tbz2": ".tar.bz2", ".txz": ".tar.xz", ".tzst": ".tar.zst"
}  # fmt: skip
LIBRARIES = {
    ".pdf": "pypdf", ".zst": "zstandard", ".doc": "olefile", ".ppt": "olefile", ".msg": "olefile", ".xls": "xlrd",
    **dict.fromkeys(MARKUP_SUFFIXES, "pypandoc"),
}  # fmt: skip
"""Optional libraries by the suffix of the format or compression that needs them."""
_READABLE = RECORD_SUFFIXES | DOCUMENT_SUFFIXES | ARCHIVE_SUFFIXES
_OTHER_NAMES = frozenset({".markdown", ".htm", ".xhtml", ".ndjson", ".asciidoc", ".mht"})

FORMATS = " ".join(
    suffix
    for suffixes in (TEXT_SUFFIXES, BOOK_SUFFIXES, RECORD_SUFFIXES, ARCHIVE_SUFFIXES)
    for suffix in sorted(suffixes - _OTHER_NAMES)
)
"""The formats that are known by name, for messages and help."""

READ = f"{FORMATS}, also compressed ({' '.join(COMPRESSIONS)}), and other text"
"""All that is read, for messages and help."""

_CHAT = "_chat"
_KEY = lazy_pattern(r"(?<=\S) [0-9a-f]{32}$")
_WIKI = lazy_pattern(r"wiki_\d+")
"""Files of JSON lines as WikiExtractor names them; HotpotQA's Wikipedia consists of such."""

OnBytes = Callable[[int], None] | None
"""Called with the number of bytes read from disk, piece by piece."""

MAX_FILE_MIB = 64 * 1024
"""Maximum file size, unless the user sets another."""

MAX_ROW_MIB = 32
"""Maximum size of a document, line or row, unless the user sets another."""

MAX_SECONDS = 300
"""Maximum time for reading a document, unless the user sets another."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on reading a file, so that none fills the memory or the disk. They apply to decompressed bytes.

    Attributes:
        max_file_mib: of a whole file, in MiB.
        max_row_mib: of what is held in memory at once, in MiB: a document, a line, a row.
        max_seconds: for reading one file; by default `MAX_SECONDS` for a document, and no limit for a file of records, which
            may hold a whole Wikipedia.
        are_options: whether the user can raise them by these names.
    """

    max_file_mib: int = MAX_FILE_MIB
    max_row_mib: int = MAX_ROW_MIB
    max_seconds: int | None = None
    are_options: bool = False

    def too_long(self, what: str, name: Literal["max_file_mib", "max_row_mib"]) -> DataError:
        """The error for a file, or a part of it, beyond one of the limits."""
        return Unreadable(f"{what} is longer than {getattr(self, name):,} MiB; split it{self._raised(name)}", Reason.TOO_LARGE)

    def seconds_for(self, file: CorpusFile) -> int | None:
        """The time for reading a file; `None` for no limit."""
        return MAX_SECONDS if self.max_seconds is None and file.is_document else self.max_seconds

    def deadline(self, file: CorpusFile) -> Deadline:
        """The time for reading a file, counted from now."""
        seconds = self.seconds_for(file)
        return Deadline(seconds, lambda: self.too_slow(file.source, seconds or 0))

    def too_slow(self, what: str, seconds: int) -> DataError:
        """The error for a file that takes too long to read."""
        return Unreadable(
            f"{what} took longer than {seconds:,} seconds to read; leave it out{self._raised('max_seconds')}", Reason.TOO_SLOW
        )

    def _raised(self, name: str) -> str:
        return f", or raise {name} (--{name.replace('_', '-')})" if self.are_options else ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus.

    Attributes:
        path: where it is.
        source: how passages name it: the path as given, or relative to the folder that was given.
        document_id: the id of the document in it, if it is one: its path below the root that it belongs to; see `find.Roots`.
        special: its kind if it is not a regular file, such as `FIFO`; else empty.
        at: its absolute path, which identifies it from one update of an index to the next; empty if not needed.
        content: its content, if it is a member of an archive, or attached to a file, that is being read.
        looks: its format as a suffix, if its content shows what its name does not; see `recognise`.
        within: the headings above all of its text: what it is attached to.
        confined_to: the folder that it must be in, or the file that it must be, once all links are followed; `None` for any.
    """

    path: Path
    source: str
    document_id: str
    special: str = ""
    at: Path = Path()
    content: BinaryIO | None = None
    looks: str = ""
    within: tuple[str, ...] = ()
    confined_to: Path | None = None

    @property
    def compression(self) -> str:
        """The suffix of its compression, such as `.gz`; empty if it is not compressed."""
        last = self._name.suffix.lower()
        return last if last in COMPRESSIONS else ""

    @property
    def suffix(self) -> str:
        """The suffix that determines its format: the last one in lower case, or the one before that of its compression."""
        return self.looks or self.named_suffix

    @property
    def named_suffix(self) -> str:
        """The same, by its name alone."""
        suffix = ".jsonl" if self.is_wiki else self._plain_name.suffix.lower()
        return _SAME_FORMAT.get(suffix, suffix)

    @property
    def stem(self) -> str:
        """Its name without the suffixes of its format; a suffix that says nothing, such as that of `README.first`, is kept.

        Without the key that Notion adds to the names of pages; a chat of WhatsApp has the name of its folder or archive.
        """
        says_nothing = self.looks and self.named_suffix not in DOCUMENT_SUFFIXES
        stem = shown_name(self._plain_name.name if says_nothing else self._plain_name.stem)
        if stem == _CHAT and self.path.parent.name:
            return shown_name(self.path.parent.name.removesuffix(".zip"))
        return _KEY.sub("", stem)

    @property
    def is_wiki(self) -> bool:
        """Whether it is named as by WikiExtractor, such as `wiki_00.bz2`."""
        return _WIKI.fullmatch(self._plain_name.name) is not None

    @property
    def _name(self) -> Path:
        last = self.path.suffix.lower()
        return self.path.with_suffix(_SHORT[last]) if last in _SHORT else self.path

    @property
    def _plain_name(self) -> Path:
        return Path(self._name.stem) if self.compression else self._name

    @property
    def is_readable(self) -> bool:
        """Whether it is a regular file of a known format."""
        return not self.special and self.suffix in _READABLE

    @property
    def is_source_code(self) -> bool:
        """Whether it is source code, or data for programs, which is read only if it is asked for."""
        return not self.is_readable and self.suffix in SOURCE_CODE_SUFFIXES

    @property
    def libraries(self) -> list[str]:
        """The optional libraries that are needed to read it."""
        return [LIBRARIES[suffix] for suffix in (self.suffix, self.compression) if suffix in LIBRARIES]

    @property
    def is_document(self) -> bool:
        """Whether it is one document; else it holds many records."""
        return self.suffix in DOCUMENT_SUFFIXES

    @property
    def is_archive(self) -> bool:
        """Whether it holds other files."""
        return self.suffix in ARCHIVE_SUFFIXES

    @property
    def is_in_archive(self) -> bool:
        """Whether it is a member of an archive, or attached to one, and so has no path of its own."""
        return self.content is not None and self.at == Path()

    @property
    def num_bytes(self) -> int:
        """Its size on disk.

        Raises:
            DataError: if it cannot be accessed.
        """
        with reading(self.source):
            return self.path.stat().st_size
