"""Title and chapters of an EPUB: a zip file of HTML pages, in the order in which they are read (EPUB 3.3, section 5)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from urllib.parse import unquote

from hopweave.core.errors import DataError
from hopweave.ingest.document import Document, Part
from hopweave.ingest.html_page import read_html
from hopweave.ingest.zipped import Archive

_CONTAINER = "META-INF/container.xml"
_TITLE = "http://purl.org/dc/elements/1.1/ title"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})
_NCX = "application/x-dtbncx+xml"
_TYPE = "http://www.idpf.org/2007/ops type"
_MAX_LEVELS = 8
"""Of a table of contents; deeper entries stand under the same headings as those of this level."""


def read_epub(archive: Archive) -> Document:
    """A part for each chapter, named as within the file.

    A chapter stands under the headings that the table of contents has above it, and under its name there if it has no heading
    itself. A file that the table of contents does not name continues the one before.

    Raises:
        DataError: if it is damaged, encrypted, or beyond the limits.
    """
    found: list[str] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name.endswith(" rootfile"):
            found.append(attributes.get("full-path", ""))

    archive.parse(_CONTAINER, start)
    if not found:
        raise DataError(f"{archive.source} is damaged: it names no contents; fetch it again, or leave it out")
    package = _Package(found[0])
    archive.parse(found[0], package.start, package.end, package.add)
    return Document(" ".join(package.title.split()), tuple(_chapters(archive, package.chapters(), _contents(archive, package))))


def _chapters(archive: Archive, names: list[str], contents: Mapping[str, tuple[str, ...]]) -> Iterator[Part]:
    last = Part("")
    for name in names:
        part = _chapter(archive, name)
        if name in contents:
            *above, own = contents[name]
            part = replace(part, within=(*above, *(() if part.headings else (own,))))
        else:
            part = part.after(last)
        last = part
        yield part


class _Package:
    """The contents of the package document: the title, the files, and their reading order.

    Args:
        name: of the document, to which those of the files are relative.

    Attributes:
        navigation: names of the files that hold tables of contents, the better one first.
    """

    def __init__(self, name: str) -> None:
        self.title = ""
        self.navigation: list[str] = []
        self._name = name
        self._is_title = False
        self._pages: dict[str, str] = {}
        self._order: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._is_title = name == _TITLE and not self.title
        kind, href = attributes.get("media-type", ""), _resolved(self._name, attributes.get("href", ""))
        if name.endswith(" item"):
            if kind in _PAGES:
                self._pages[attributes.get("id", "")] = href
            if "nav" in attributes.get("properties", "").split():
                self.navigation.insert(0, href)
            elif kind == _NCX:
                self.navigation.append(href)
        elif name.endswith(" itemref"):
            self._order.append(attributes.get("idref", ""))

    def end(self, _: str) -> None:
        self._is_title = False

    def add(self, text: str) -> None:
        if self._is_title:
            self.title += text

    def chapters(self) -> list[str]:
        return list(dict.fromkeys(self._pages[name] for name in self._order if name in self._pages))


def _resolved(base: str, href: str) -> str:
    """The name of a file to which another one refers."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(href.partition("#")[0])))


def _contents(archive: Archive, package: _Package) -> Mapping[str, tuple[str, ...]]:
    """The headings of files by the table of contents, from the outermost; without a usable one, there are none."""
    for name in package.navigation:
        contents = _Contents(name)
        try:
            archive.parse(name, contents.start, contents.end, contents.add)
        except DataError:  # the chapters can be read without it; beyond the limits of time and length, they cannot
            archive.check()
        if contents.found:
            return contents.found
    return {}


class _Contents:
    """A table of contents as it is read: the `nav` of EPUB 3, or the NCX of EPUB 2.

    Attributes:
        found: for each file, the headings of the first entry that leads there, its own last.
    """

    def __init__(self, name: str) -> None:
        self.found: dict[str, tuple[str, ...]] = {}
        self._name = name
        self._labels: list[str] = []
        self._depth = 0
        self._is_contents = self._is_label = False
        self._href: str | None = None
        self._pieces: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "nav":
                self._is_contents = "toc" in attributes.get(_TYPE, "").split()
            case "navMap":
                self._is_contents = True
            case "li" | "navPoint":
                self._depth += 1
            case "a" | "span" | "navLabel" if not self._is_label:
                self._is_label, self._href = True, attributes.get("href")
                self._pieces.clear()
            case "content":
                self._add_entry(attributes.get("src"))

    def end(self, name: str) -> None:
        match name.rpartition(" ")[2]:
            case "nav" | "navMap":
                self._is_contents = False
            case "li" | "navPoint":
                self._depth -= 1
            case "navLabel" | "a":
                self._end_label()
            case "span" if self._href is None:
                self._end_label()

    def add(self, text: str) -> None:
        if self._is_label:
            self._pieces.append(text)

    def _end_label(self) -> None:
        self._is_label = False
        label = " ".join("".join(self._pieces).split())
        level = min(self._depth, _MAX_LEVELS)
        if self._is_contents and label and level:
            self._labels[level - 1 :] = [label]
            self._add_entry(self._href)

    def _add_entry(self, href: str | None) -> None:
        if href is not None and self._is_contents and self._labels:
            self.found.setdefault(_resolved(self._name, href), tuple(self._labels))


def _chapter(archive: Archive, name: str) -> Part:
    try:
        content = archive.read(name).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(
            f"{archive.source} is encrypted, or {name} in it is not UTF-8; give one without copy protection, or leave it out"
        ) from None
    [part] = read_html(content, f"{archive.source}, {name}", archive.check).parts
    return replace(part, place=name)
