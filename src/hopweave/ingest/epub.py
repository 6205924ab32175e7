"""Title and chapters of an EPUB: a zip file of HTML pages, in the order in which they are read (EPUB 3.3, section 5)."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from hopweave.core.errors import DataError
from hopweave.ingest.document import Document, Part
from hopweave.ingest.html_page import read_html
from hopweave.ingest.zipped import Archive

_CONTAINER = "META-INF/container.xml"
_TITLE = "http://purl.org/dc/elements/1.1/ title"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})


def read_epub(archive: Archive) -> Document:
    """A part for each chapter, named as within the file.

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
    package = _Package()
    archive.parse(found[0], package.start, package.end, package.add)
    base = posixpath.dirname(found[0])
    names = [posixpath.normpath(posixpath.join(base, unquote(href))) for href in package.chapters()]
    return Document(" ".join(package.title.split()), tuple(_chapter(archive, name) for name in dict.fromkeys(names)))


class _Package:
    """The contents of the package document: the title, the files, and their reading order."""

    def __init__(self) -> None:
        self.title = ""
        self._is_title = False
        self._pages: dict[str, str] = {}
        self._order: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._is_title = name == _TITLE and not self.title
        if name.endswith(" item") and attributes.get("media-type") in _PAGES:
            self._pages[attributes.get("id", "")] = attributes.get("href", "")
        elif name.endswith(" itemref"):
            self._order.append(attributes.get("idref", ""))

    def end(self, _: str) -> None:
        self._is_title = False

    def add(self, text: str) -> None:
        if self._is_title:
            self.title += text

    def chapters(self) -> list[str]:
        return [self._pages[name] for name in self._order if name in self._pages]


def _chapter(archive: Archive, name: str) -> Part:
    try:
        content = archive.read(name).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(
            f"{archive.source} is encrypted, or {name} in it is not UTF-8; give one without copy protection, or leave it out"
        ) from None
    [part] = read_html(content, f"{archive.source}, {name}", archive.check).parts
    return replace(part, place=name)
