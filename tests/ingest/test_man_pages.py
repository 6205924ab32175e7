"""Manual pages: title, sections and text, as a terminal shows them, by our own rules alone."""

import gzip

import pytest
from support.corpora import read, written
from support.readers import read_document

from hopweave.ingest.recognise import format_of

MAN = r""".\" A comment, long enough to be one.
.TH LAMPLIGHT 1 "2026-01-02" "kerrow 2.1" "User Commands"
.SH NAME
lamplight \- light the lamp of a \fIlighthouse\fP
.SH SYNOPSIS
.B lamplight
[\fB\-q\fR] [\fB\-\-oil\fR=\fIN\fR]
.br
.B lamplight \-\-out
.SH "WHAT IT DOES"
The lamp is lit \(em unless it
.I is
lit.
.PP
A second paragraph\&.
.SS Oil
.TP
.BR \-q ", " \-\-quiet
Say nothing.
.TP
\fB\-\-oil\fR=\fIN\fR
Use
.I N
barrels, as \(lqenough\(rq.
.IP \(bu 2
First.
.nf
  kept   as
    it is
.fi
.SH SEE ALSO
.BR oil (5),
.UR https://example.org/
the page
.UE .
"""

MDOC = r""".Dd January 2, 2026
.Dt LAMPLIGHT 8
.Os
.Sh NAME
.Nm lamplight
.Nd light the lamp
.Sh SYNOPSIS
.Nm
.Op Fl qv
.Op Fl o Ar file
.Nm
.Fl Fl out
.Ar
.Sh DESCRIPTION
The
.Nm
utility reads
.Pa /etc/lamp.conf ,
see
.Xr oil 5 .
.Bl -tag -width Ds
.It Fl q , Fl -quiet
Say
.Dq nothing .
.It Ev OIL Ns = Ns Ar barrels
Use
.Oo Ar some Oc
.Pq not all .
.El
.Bd -literal
$ lamplight   -q
.Ed
"""


def of(content):
    document = read_document(content, ".man")
    return document.title, document.parts[0].text, [(one.level, one.text) for one in document.parts[0].headings]


def test_a_page_of_man_is_its_title_sections_and_text():
    title, text, headings = of(MAN)
    assert title == "lamplight(1)"
    assert headings == [(1, "NAME"), (1, "SYNOPSIS"), (1, "WHAT IT DOES"), (2, "Oil"), (1, "SEE ALSO")]
    assert text.split("\n\n") == [
        "NAME", "lamplight - light the lamp of a lighthouse", "SYNOPSIS", "lamplight [-q] [--oil=N]\nlamplight --out",
        "WHAT IT DOES", "The lamp is lit — unless it is lit.", "A second paragraph.", "Oil", "-q, --quiet\nSay nothing.",
        "--oil=N\nUse N barrels, as “enough”.", "•\nFirst.", "kept   as\n    it is", "SEE ALSO",
        "oil(5), https://example.org/ the page.",
    ]  # fmt: skip


def test_a_page_of_mdoc_is_its_title_sections_and_text():
    title, text, headings = of(MDOC)
    assert title == "lamplight(8)"
    assert headings == [(1, "NAME"), (1, "SYNOPSIS"), (1, "DESCRIPTION")]
    assert text.split("\n\n") == [
        "NAME", "lamplight - light the lamp", "SYNOPSIS", "lamplight [-qv] [-o file]\nlamplight --out file ...", "DESCRIPTION",
        "The lamplight utility reads /etc/lamp.conf, see oil(5).", "-q, --quiet\nSay “nothing”.",
        "OIL=barrels\nUse [some] (not all).", "$ lamplight   -q",
    ]  # fmt: skip


SHOWN = {
    r"a\-b \(em c\e d": "a-b — c\\ d",
    r"\f(CWcode\fR \fB\fIx\fP": "code x",
    r"\*(lqquoted\*(rq \[u20AC] \N'65'": "“quoted” € A",
    r"caf\['e] \[u0065_0301]": "café é",
    r"\s-1small\s0 \m[red]x\m[]": "small x",
    r"one\c \"a comment": "one",
    r"\h'2n'a\v'1'b\w'c'": "ab",
    ".if t not shown\n.if n shown": "shown",
    ".ie t .B no\n.el yes": "yes",
    ".if t \\{\\\n.B no\nno\n.\\}\nyes": "yes",
    '.de XX \\" a macro\n.B no\n..\nyes': "yes",
    ".ig\nno\n..\nyes": "yes",
    ".ds Na Ada\nby \\*(Na": "by Ada",
    '.XX unknown "but said"': "unknown but said",
    ".so man3/lamp.3": "See lamp.3.",
    ".TS\nallbox tab(:);\nl l.\nT{\nOil\nT}:dry\n_\nlamp:lit\n.TE": "Oil  dry\nlamp  lit",
    ".el\n.if\n.de\n.\n'\n\\": "",
}


@pytest.mark.parametrize(("written_", "shown"), SHOWN.items())
def test_markup_is_read_as_a_terminal_shows_it(written_, shown):
    assert of(f".TH A 1\n.SH S\n{written_}\n")[1].removeprefix("S").strip() == shown


@pytest.mark.parametrize("name", ["lamp.1", "lamp.3pm.gz", "lamp", "lamp.man"])
def test_a_manual_page_is_recognised_whatever_its_name(tmp_path, name):
    content = gzip.compress(MAN.encode()) if name.endswith(".gz") else MAN
    found = read(written(tmp_path, name, content), max_words=20)
    assert {one.title for one in found} == {"lamplight(1)"}
    assert found[-1].sections == ("SEE ALSO",)


def test_a_rotated_log_is_not_a_manual_page(tmp_path):
    [passage] = read(written(tmp_path, "lamp.log.1", "The lamp is lit.\n.TH not here\n"))
    assert passage.text == "The lamp is lit.\n.TH not here"
    assert format_of(b".gitignore is read first\n.TH\n") == ".txt"
