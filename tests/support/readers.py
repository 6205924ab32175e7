"""The readers of formats as tests call them: without a limit of time, and of a document without a name."""

from __future__ import annotations

from functools import wraps
from inspect import signature

from hopweave.ingest import (
    calendars,
    cards,
    contents_by_page,
    doc,
    documents,
    html_page,
    info,
    mail,
    main_text,
    markdown,
    outlook,
    page_breaks,
    pdf_text,
    plain_text,
    ppt,
    quoted,
    rst,
    rtf,
    running_lines,
    xls,
)
from hopweave.ingest.deadline import no_check

_DEFAULTS = {"source": "the document", "check": no_check}


def _at_leisure(read):
    parameters = signature(read).parameters

    @wraps(read)
    def read_at_leisure(*args, **named):
        given = signature(read).bind_partial(*args, **named).arguments
        left = {name: value for name, value in _DEFAULTS.items() if name in parameters and name not in given}
        return read(*args, **named, **left)

    return read_at_leisure


main_text_of = _at_leisure(main_text.main_text)
parts_of_pages = _at_leisure(pdf_text.parts_of_pages)
read_doc = _at_leisure(doc.read_doc)
read_document = _at_leisure(documents.read_document)
read_html = _at_leisure(html_page.read_html)
read_ics = _at_leisure(calendars.read_ics)
read_info = _at_leisure(info.read_info)
read_mail = _at_leisure(mail.read_mail)
read_markdown = _at_leisure(markdown.read_markdown)
read_msg = _at_leisure(outlook.read_msg)
read_plain = _at_leisure(plain_text.read_plain)
read_ppt = _at_leisure(ppt.read_ppt)
read_rst = _at_leisure(rst.read_rst)
read_rtf = _at_leisure(rtf.read_rtf)
read_vcf = _at_leisure(cards.read_vcf)
read_xls = _at_leisure(xls.read_xls)
with_whole_sentences = _at_leisure(page_breaks.with_whole_sentences)
without_contents_by_page = _at_leisure(contents_by_page.without_contents_by_page)
without_quotes = _at_leisure(quoted.without_quotes)
without_running_lines = _at_leisure(running_lines.without_running_lines)
