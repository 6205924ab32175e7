"""The table of settings in docs/start/settings.md is that of the code."""

import re

from support.pages import ROOT

from hopweave.apps.cli._settings_table import all_settings

PAGE = (ROOT / "docs" / "start" / "settings.md").read_text(encoding="utf-8")
ROWS = [row.strip("| ").split(" | ") for row in re.findall(r"^\| `.*", PAGE.partition("\n## All settings\n")[2], re.MULTILINE)]
ROWS = ROWS[: next(number for number, row in enumerate(ROWS) if row[0].startswith("`methods`")) + 1]
ON_PAGE = {key: row[1].replace("`", "") for row in ROWS for key in re.findall(r"`([\w.]+)`", row[0])}
SAID_OTHERWISE = {"store.path": "store.sqlite in the cache folder"}


def test_the_table_has_every_setting_in_the_order_of_the_command():
    assert list(ON_PAGE) == [one.key for one in all_settings()]


def test_the_table_has_the_defaults_of_the_code():
    assert {one.key: SAID_OTHERWISE.get(one.key, one.default) for one in all_settings()} == ON_PAGE


def test_every_setting_has_a_meaning_on_the_page_and_in_the_command():
    assert [row for row in ROWS if len(row) != 3 or not row[2]] == []
    assert [one.key for one in all_settings() if not one.meaning] == []
