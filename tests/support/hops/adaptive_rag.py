from dataclasses import replace

from support.hops.ircot import CASE as IRCOT

CASE = replace(
    IRCOT,
    says=['{"route": "C"}', *IRCOT.says],
    calls=lambda h: 1 + IRCOT.calls(h),
    options={"method_options": {"ircot": IRCOT.options}},
)
