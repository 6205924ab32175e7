"""English verbs whose past has another stem than their present."""

from __future__ import annotations

_PASTS = """
become became|begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|choose chose chosen
|come came|draw drew drawn|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew
|forget forgot forgotten|freeze froze frozen|get got|give gave given|go went gone|grow grew grown|hear heard|hold held|keep kept
|know knew known|lead led|leave left|lend lent|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|rise rose risen
|run ran|say said|see saw seen|seek sought|sell sold|send sent|shoot shot|sing sang sung|sleep slept|speak spoke spoken
|spend spent|stand stood|steal stole stolen|strike struck|take took taken|teach taught|tell told|think thought
|throw threw thrown|understand understood|wear wore worn|win won|withdraw withdrew withdrawn|write wrote written"""
_PRESENT = {past: present for present, *pasts in map(str.split, _PASTS.split("|")) for past in pasts}


def present_of(word: str) -> str:
    """The present of a word, in small letters, that may be the past of an irregular verb; any other word as it is.

    >>> present_of("chosen"), present_of("asked")
    ('choose', 'asked')
    """
    return _PRESENT.get(word, word)
