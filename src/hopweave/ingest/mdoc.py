"""A line of mdoc(7) as text: `.Op Fl o Ar file` is `[-o file]`."""

from __future__ import annotations

import re
from collections.abc import Sequence

_AROUND = {
    "Op": "[]", "Oo": "[]", "Pq": "()", "Po": "()", "Bq": "[]", "Bo": "[]", "Brq": "{}", "Bro": "{}", "Aq": "<>", "Ao": "<>",
    "Dq": "“”", "Do": "“”", "Sq": "‘’", "So": "‘’", "Ql": "‘’", "Qq": '""', "Qo": '""',
}  # fmt: skip
"""What macros put around what follows them."""
_ENDS = {"Oc": "]", "Pc": ")", "Bc": "]", "Brc": "}", "Ac": ">", "Dc": "”", "Sc": "’", "Qc": '"'}
_OPENED = frozenset({"Oo", "Po", "Bo", "Bro", "Ao", "Do", "So", "Qo"})
"""Those that end with a macro of their own, in another line perhaps; the others end with their line."""
_PLAIN = frozenset(
    re.findall(
        r"\S+",
        "Ad An Ar Cd Cm Dv Dx El Em Er Ev Fa Fn Ft Fo Fc Fd Fr Ic In Lb Li Lk Mt Nm No Ns Ap Pa Pf Rs Re Rv Sh Ss St Sx Sy Tn "
        "Ux Va Vt Xo Xc Xr Fl At Bsx Bx Fx Nx Ox D1 Dl Nd Ex It Ta Ms Hf Es En Eo Ec Bt Ud Bf Ef %A %B %C %D %I %J %N %O %P %Q "
        "%R %T %U %V",
    )
)
"""Macros that are followed by what they are about."""
_SYSTEMS = {"Ux": "UNIX", "Bx": "BSD", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Dx": "DragonFly", "At": "AT&T UNIX"}
_OPENING, _CLOSING = frozenset("(["), frozenset(".,:;)]?!")


class Mdoc:
    """Reads lines of mdoc.

    Args:
        name: of the page, which `.Nm` stands for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._is_named = False

    def line(self, macro: str, words: Sequence[str]) -> str:
        """The text of a line.

        Args:
            macro: its first.
            words: what follows it: words and further macros.
        """
        pieces: list[str] = []
        ends: list[str] = []
        given = [macro, *words]
        at = 0
        while at < len(given):
            name = given[at]
            at += 1
            if name in _AROUND:
                pieces += [_AROUND[name][0], "\0"]
                if name not in _OPENED:
                    ends.append(_AROUND[name][1])
                continue
            if name in _ENDS:
                pieces += ["\0", _ENDS[name]]
                continue
            start = at
            while at < len(given) and given[at] not in _AROUND and given[at] not in _ENDS and given[at] not in _PLAIN:
                at += 1
            if name in _PLAIN:
                pieces += self._called(name, given[start:at])
            else:
                pieces += [name, *given[start:at]]
        behind = []
        while ends and pieces and pieces[-1] in _CLOSING:
            behind.append(pieces.pop())
        for end in reversed(ends):
            pieces += ["\0", end]
        return _joined([*pieces, *reversed(behind)])

    def _called(self, name: str, words: Sequence[str]) -> list[str]:
        """The pieces that a macro makes of its words; a zero character joins what is on both sides of it."""
        words = list(words)
        tail: list[str] = []
        while words and words[-1] in _CLOSING:
            tail.insert(0, words.pop())
        head = [words.pop(0)] if words and words[0] in _OPENING else []
        return [*head, *self._made(name, words), *tail]

    def _made(self, name: str, words: list[str]) -> list[str]:
        if name == "Fl":
            return [f"-{word}" if word != "|" else word for word in words] or ["-", "\0"]
        if name == "Nm":
            if words and not self._is_named:
                self._name, self._is_named = words[0], True
            return words or [self._name]
        if name == "Ar":
            return words or ["file", "..."]
        if name == "Xr":
            return [f"{words[0]}({words[1]})", *words[2:]] if len(words) > 1 else words
        if name in {"Fn", "Fo"}:
            return [f"{words[0]}({', '.join(words[1:])}" + (")" if name == "Fn" else "")] if words else []
        if name == "Fc":
            return ["\0", ")"]
        if name in {"Ns", "Ap", "Pf"}:
            return {"Ns": ["\0", *words], "Ap": ["\0", "'", "\0", *words], "Pf": [*words[:1], "\0", *words[1:]]}[name]
        if name == "In":
            return [f"<{word}>" for word in words]
        if name == "Nd":
            return ["-", *words]
        if name == "Ex":
            return [f"The {words[1] if len(words) > 1 else self._name} utility exits 0 on success, and >0 if an error occurs."]
        return [_SYSTEMS[name], *words] if name in _SYSTEMS else words


def _joined(pieces: Sequence[str]) -> str:
    text = ""
    is_joined = True
    for piece in pieces:
        if piece == "\0":
            is_joined = True
            continue
        text += piece if is_joined or piece in _CLOSING else f" {piece}"
        is_joined = piece in _OPENING
    return text
