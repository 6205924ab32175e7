"""References from passages to sections, annexes, tables and definitions of terms, which `weave` follows."""

import pytest
from support.towns import ids

from hopweave.core.types import Passage, Via
from hopweave.core.visibility import FIELDS, Visible
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index import bm25_index

NOISE = [
    Passage(f"noise-{n}", f"Invoices of harbour {n} are paid by the crew of berth {n}, which pays no interest.", f"Harbour {n}")
    for n in range(30)
]


def part(number, text, *sections, title="Supply contract", name="contract", **more):
    return Passage(f"{name}#{number}", text, title, f"{name}.md", number * 100, number * 100 + 90, sections=sections, **more)


CONTRACT = [
    part(1, '"Default Rate" means the Base Rate plus 4.5 points.', "1. Definitions"),
    part(2, "Invoices that are overdue bear interest at the rate laid down in clause 9.3.", "4. Payment"),
    part(3, "9.2 Sums are in crowns.\n\n9.3 The percentage is 7.1 a year.", "9. Money"),
    part(4, "Pumps run as fast as Annex B says.", "5. Use"),
    part(5, "K1: 980 rpm", "Annex B: Speeds"),
    part(6, "The charge for haste follows from paragraph 2 of Annex C.", "6. Haste"),
    part(7, "1. A tenth.\n\n2. A fifth.", "Annex C"),
]
OTHER = [part(1, "9.3 Dogs are kept on a lead.", "9. Dogs", title="House rules", name="rules")]
LATE = "What interest do overdue invoices bear?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("references") / "index"
    BM25.build(folder, [*NOISE, *OTHER, *CONTRACT])
    return folder


def found(folder, question, max_hits=4, **options):
    retriever = Weave(folder, **options)
    [hits] = retriever.search([question], max_hits)
    retriever.close()
    return hits


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (LATE, "contract#2", "contract#3"),
        ("How fast do pumps run?", "contract#4", "contract#5"),
        ("What is the charge for haste?", "contract#6", "contract#7"),
    ],
)
def test_the_part_that_a_passage_refers_to_follows_it(index, question, first, second):
    assert ids(found(index, question))[:2] == [first, second]
    assert second not in ids(found(index, question, 2, references=False))


def test_a_hit_says_what_referred_to_it(index):
    via = {hit.passage.id: hit.via for hit in found(index, LATE)}["contract#3"]
    assert (via.passage_id, via.by) == ("contract#2", "reference")


def test_a_reference_leads_to_no_other_document(index):
    assert "rules#1" not in ids(found(index, LATE))


def test_a_reference_to_a_section_of_another_document_leads_there(tmp_path):
    key = [
        part(1, "The client sends a verifier.", "4. Protocol", title="RFC 7636: Keys", name="rfc7636"),
        part(2, "4.1 It has 43 to 128 characters.", "4. Protocol", title="RFC 7636: Keys", name="rfc7636"),
    ]
    guide = part(1, "How long the code of the kiosk is says Section 4.1 of RFC 7636.", "2. Kiosk", title="Guide", name="guide")
    own = part(2, "4.1 Kiosks are green.", "4. Colours", title="Guide", name="guide")
    BM25.build(tmp_path / "index", [*NOISE, *key, guide, own])
    assert ids(found(tmp_path / "index", "How long is the code of the kiosk?"))[:2] == ["guide#1", "rfc7636#2"]


def test_a_reference_to_a_document_that_is_not_there_leads_nowhere(tmp_path):
    law = part(1, "Overdue invoices bear interest by § 9 BGB.", "4. Payment")
    BM25.build(tmp_path / "index", [*NOISE, law, part(2, "Crowns.", "9. Money")])
    assert all(hit.via is None for hit in found(tmp_path / "index", LATE))


def test_chapters_in_files_of_their_own_are_parts_of_their_folder(tmp_path):
    chapters = [
        Passage("a#1", "Bounces are returned as chapter 48.2 says.", "12. Routers", "spec/routers.html", 0, 40),
        Passage("b#1", "They go back to the sender.", "48. Processing", "spec/processing.html", 0, 30, sections=("2. Errors",)),
        Passage("c#1", "It rains.", "48. Weather", "diary/weather.html", 0, 9, sections=("2. Rain",)),
    ]
    BM25.build(tmp_path / "index", [*NOISE, *chapters])
    assert ids(found(tmp_path / "index", "How are bounces returned?", 2)) == ["a#1", "b#1"]


def test_a_part_that_may_not_be_shown_is_not_led_to(tmp_path):
    hidden = part(3, "9.3 The percentage is 7.1 a year.", "9. Money", access=("board",))
    BM25.build(tmp_path / "index", [*NOISE, CONTRACT[1], hidden])
    assert "contract#3" not in ids(found(tmp_path / "index", LATE, visible=Visible(access=())))
    assert "contract#3" in ids(found(tmp_path / "index", LATE, visible=Visible(access=("board",))))


def test_an_added_part_is_found_by_the_references_to_it_and_a_deleted_one_no_longer(tmp_path):
    BM25.build(tmp_path / "index", [*NOISE, CONTRACT[1]])
    BM25.update(tmp_path / "index", upsert=CONTRACT[1:3])
    assert "contract#3" in ids(found(tmp_path / "index", LATE))
    BM25.update(tmp_path / "index", delete=["contract#3"])
    assert "contract#3" not in ids(found(tmp_path / "index", LATE))


OVERDUE = "Invoices that are overdue bear interest at the Default Rate."


def test_a_term_leads_to_its_definition(tmp_path):
    BM25.build(tmp_path / "index", [*NOISE, CONTRACT[0], part(2, OVERDUE, "4. Payment")])
    hits = found(tmp_path / "index", LATE)
    assert ids(hits)[:2] == ["contract#2", "contract#1"]
    assert hits[1].via == Via("contract#2", "Supply contract", "reference")
    assert all(hit.via is None or hit.via.by != "reference" for hit in found(tmp_path / "index", LATE, references=False))


def test_a_term_may_be_defined_in_a_folder_around_but_in_no_other(tmp_path):
    rule = Passage("rules#1", OVERDUE, "Rules", "office/money/rules.md", 0, 60)
    for folder, is_found in (("office", True), ("boats", False)):
        glossary = Passage("glossary#1", CONTRACT[0].text, "Glossary", f"{folder}/glossary.md", 0, 60)
        BM25.build(tmp_path / folder, [*NOISE, rule, glossary])
        assert ("glossary#1" in ids(found(tmp_path / folder, LATE))) is is_found


def test_a_term_that_many_passages_define_leads_nowhere(tmp_path):
    several = [
        part(number, f'"Default Rate" means {number} points in year {number}.', "1. Definitions") for number in (3, 4, 5)
    ]
    BM25.build(tmp_path / "index", [*NOISE, part(2, OVERDUE, "4. Payment"), *several])
    assert all(hit.via is None or hit.via.by != "reference" for hit in found(tmp_path / "index", LATE))


def test_an_index_from_before_there_were_keys_of_parts_is_searched_and_updated_without_them(tmp_path, monkeypatch):
    folder = tmp_path / "index"
    with monkeypatch.context() as patch:
        patch.setattr(bm25_index, "_NEWEST", 3)
        patch.setattr(bm25_index, "LAST_FIELDS", FIELDS)
        bm25_index.schema.cache_clear()
        BM25.build(folder, [*NOISE, *CONTRACT])
    bm25_index.schema.cache_clear()
    BM25.update(folder, upsert=OTHER)
    assert ids(found(folder, LATE))[0] == "contract#2"
    assert "contract#3" not in ids(found(folder, LATE, 2))
    assert BM25.stats(folder)["links"] == "yes, but none to sections, tables and definitions; those need a rebuilt index"
    assert "references=False" in Weave(folder).identity


def test_whether_references_are_followed_is_part_of_the_identity(index):
    assert "references=True" in Weave(index).identity
    assert "references=False" in Weave(index, references=False).identity
    assert "references=False" in Weave(index, links=False).identity
