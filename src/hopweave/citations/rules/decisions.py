"""Words by which records say what was proposed and what became of it, as parts of regular expressions. Only English has any."""

from __future__ import annotations

PROPOSAL = r"(?:proposal|suggestion|motion|idea|request|amendment|offer|plan)"
"""What can be proposed."""

ITSELF = rf"(?:(?:the|this|that|his|her|their|its)\s(?:\w+\s)?{PROPOSAL}|this|that|it)"
"""A sentence before, or what it proposes, as the subject of the next one."""

IS = r"(?:was|were|is|are|has been|have been|had been)"

REJECTED = (
    r"(?:rejected|withdrawn|dropped|ruled out|excluded|turned down|declined|abandoned|postponed|cancell?ed|discarded|vetoed"
    r"|voted down|overruled|scrapped|revoked|lost|defeated"
    r"|(?:not|never) (?:\w+ )?(?:approved|adopted|accepted|agreed|chosen|introduced|built|taken up|carried|possible))"
)
AGREED = r"(?:agreed|accepted|approved|adopted|carried|passed|decided)"

ASKS_FOR_PROPOSED = (
    r"propos\w+|suggest\w*|recommend\w*|demand\w*|ask(?:s|ed)? for|consider\w*|idea|motion|moved? that|petition\w*|lobb\w+"
    r"|plead\w*|vot(?:e|es|ed|ing)|candidates?|elections?"
    r"|(?:call(?:s|ed)?|stands?|stood|runs?|ran|appl(?:y|ied|ies)|bids?) for"
)
"""Words of a question for a proposal, or for who made it."""

ASKS_FOR_BELIEVED = (
    r"ask\w*|want\w*|request\w*|prefer\w*|favou?r\w*|argu\w+|wish\w*|think\w*|thought|believ\w+|suspect\w*|guess\w*|fear\w*"
    r"|hop(?:e|es|ed)|doubt\w*|expect\w*|assum\w+|promis\w+|possib\w+|opinion|view"
)
"""Words of a question for what somebody asks, wants, believes or promises."""

ASKS_FOR_REJECTED = (
    r"drop\w*|reject\w*|withdr\w+|postpon\w+|cancel\w*|exclud\w+|declin\w+|abandon\w*|discard\w*|ruled? out|veto\w*|mistake\w*"
    r"|wrong\w*|offer\w*|too|los[et]|losing|no longer|resign\w*|stepped|retire\w*|quit|left|leaves?"
)
"""Words of a question for what was rejected or given up."""

ASKS_FOR_FORMER = (
    r"before|original(?:ly)?|former(?:ly)?|previous(?:ly)?|earlier|old|at first|initial(?:ly)?|replace[ds]?|used to|draft|once"
    r"|from (?:what|which)"
)
"""Words of a question for what was so before."""
