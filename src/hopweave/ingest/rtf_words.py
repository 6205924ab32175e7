"""The words and signs of RTF that stand for characters and breaks, and those of groups without text of the document."""

from __future__ import annotations

import re

from hopweave.ingest.document import PARAGRAPH

CHARACTERS = {
    "emdash": "—", "endash": "–", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005", "bullet": "•", "lquote": "‘",
    "rquote": "’", "ldblquote": "“", "rdblquote": "”", "tab": "\t", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
SIGNS = {b"~": "\xa0", b"_": "-", b"-": "", b" ": " ", b"\t": "\t", b":": "", b"|": "", b"'": "", b"": ""}
BREAKS = {
    **dict.fromkeys(("par", "sect", "page", "column", "row", "nestrow"), PARAGRAPH),
    **dict.fromkeys(("line", "lbr"), "\n"),
    **dict.fromkeys(("cell", "nestcell"), " "),
}
"""What stands for a break in notes, titles and the like."""

_LEFT_OUT = frozenset(
    re.findall(
        r"\S+",
        "colortbl listtable listoverridetable filetbl revtbl rsidtbl pgptbl generator template themedata colorschememapping "
        "datastore datafield latentstyles defchp defpap pict nonshppict objdata objclass objname objalias objsect "
        "header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
        "bkmkstart bkmkend annotation atnid atnauthor atntime atnicn atnref atnparent atndate atrfstart atrfend "
        "xe tc tcn rxe txe fontemb fontfile falt panose keycode private nextfile password passwordhash protusertbl "
        "userprops docvar xmlnstbl xmlopen xmlclose xmlattrname xmlattrvalue mmathPict wgrffmtfilter writereservhash "
        "shprslt background blipuid picprop nonesttables pn pnseclvl formfield ffdeftext ffl mailmerge gridtbl mhtmltag "
        "linkval staticval propname oldcprops oldpprops oldsprops oldtprops",
    )
)
"""Destinations without text of the document, besides those that are marked as such."""


def is_left_out(name: str) -> bool:
    """Whether a group that begins with a word has no text of the document; the last ones are properties of formulas."""
    return name in _LEFT_OUT or (name.startswith("m") and name.endswith("Pr"))
