"""RTF: what is text of a document and what is not, in the code pages and tables of the programs that write the format."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.readers import read_rtf

from hopweave.core.errors import DataError

FONTS = (
    rb"{\fonttbl{\f0\froman\fcharset0 Times;}{\f1\fcharset204 Times;}{\f2\fcharset128 Mincho;}{\f3\fcharset2 Symbol;}"
    rb"{\f4\fcharset2 Wingdings;}{\f5\fcharset161{\*\panose 0202}Arial{\*\falt Other};}}"
)
STYLES = (
    rb"{\stylesheet{\ql Normal;}{\s1\outlinelevel0 \sbasedon0 heading 1,H1;}{\s2\sbasedon1 Heading 2,H2;}"
    rb"{\s3\sbasedon2 Kapitel;}{\s4\sbasedon1\outlinelevel9 Plain;}{\s5 Title;}{\s6 toc 1;}"
    rb"{\s7\sbasedon8 Circle;}{\s8\sbasedon7 Circle too;}"
    rb"{\*\cs9 \additive Char;}{\s10\outlinelevel3 Own{\*\keycode \shift};}{\s11\sbasedon1 Contents Heading;}}"
)


def rtf(body, head=FONTS + STYLES):
    return rb"{\rtf1\ansi\deff0" + head + b" " + body + b"}"


def text_of(body, head=FONTS + STYLES):
    [part] = read_rtf(rtf(body, head)).parts
    return part.text


def headings_of(body):
    [part] = read_rtf(rtf(body)).parts
    return [(heading.level, heading.text) for heading in part.headings]


WORD = (
    rb"{\rtf1\adeflang1025\ansi\ansicpg1257\uc1\deff0{\fonttbl{\f0\fbidi \froman\fcharset186\fprq2{\*\panose 0202}Times;}"
    rb"{\f3\fcharset2\fprq2 Symbol;}{\flominor\f31502\fcharset186 Calibri;}}{\colortbl;\red0\green0\blue0;}"
    rb"{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}}{\*\latentstyles\lsdstimax376{\lsdlockedexcept Normal;}}"
    rb"{\*\listtable{\list{\listlevel{\leveltext\'02\'00.;}{\levelnumbers\'01;}}{\listname ;}\listid1}}{\*\rsidtbl \rsid1}"
    rb"{\mmathPr\mmathFont34}{\info{\title Gada p\'e2rskats}{\author A. Writer}{\*\company Firm}{\creatim\yr2024\mo3}}"
    b"\n"
    rb"{\*\xmlnstbl {\xmlns1 http://example.org}}\paperw11906\ltrsect{\header \pard Running head\par }"
    rb"{\footer {\field{\*\fldinst PAGE}{\fldrslt 1}}\par }{\*\pnseclvl1\pnucrm{\pntxta .}}"
    rb"\pard\plain \ltrpar\s1\outlinelevel0 {\*\bkmkstart _Toc1}"
    rb"{\rtlch\fcs1 \af0 \ltrch\fcs0 \insrsid1 Ievads}{\*\bkmkend _Toc1}{\insrsid1 \par }"
    b"\r\n"
    rb"\pard\plain \ltrpar\ql {\insrsid1 \'d0is ir \u363\'fbdens}{\cs24\super \chftn {\footnote \ltrpar \pard\plain \s22 "
    rb"{\super \chftn }{ Piez\'eeme.}}}{ un }{\field\fldedit{\*\fldinst { HYPERLINK "
    rb'"https://example.org" \\o "x"}}{\fldrslt {\cs19\ul vietn'
    b"\n"
    rb"e}}}{.\par }"
    rb"{\listtext\pard\plain\ltrpar \s17 \f3\fs22 \loch\af3\dbch\af0\hich\f3 \'b7\tab}\pard\plain\s17 {Pirmais\par }"
    rb"{\listtext\pard\plain \f0 \hich\af37\dbch\af0\loch\f0 a.\tab}\pard\plain\s17 {Otrais\par }}"
)


def test_a_document_becomes_its_title_headings_and_paragraphs():
    document = read_rtf(WORD)
    [part] = document.parts
    assert document.title == "Gada pārskats"
    assert part.text == "Ievads\n\nŠis ir ūdens un vietne.\n\nPiezīme.\n\nPirmais\n\na. Otrais"
    assert part.headings == ((0, 1, "Ievads"),)


def test_the_newline_behind_a_backslash_ends_a_paragraph_and_any_other_is_nothing():
    document = read_rtf(
        b"{\\rtf1\\ansi\\ansicpg1252\\cocoartf2761\n\\cocoatextscaling0{\\fonttbl\\f0\\fswiss\\fcharset0 Helvetica-Bold;"
        b"\\f1\\fswiss\\fcharset0 Helvetica;\n\\f2\\fnil\\fcharset128 Hiragino;}\n{\\colortbl;\\red255;}\n"
        b"{\\*\\expandedcolortbl;;}\n\\pard\\pardirnatural\n\n\\f0\\b\\fs24 \\cf0 Ferry no\ntes\\\n\\\n"
        b"\\f1\\b0 Caf\\'e9 \\'97 3\\'a0\\'80 \\{a\\}\\\n\\pard\n"
        b"\\ls1\\ilvl0\\cf0 {\\listtext\t1.\t}First\\\n{\\listtext\t\\uc0\\u8226 \t}Second\\\n\\pard\n"
        b"\\f2 \\'93\\'fa\n\\'96\\'7b\n\\f1  \\uc0\\u1055 \\u1088 \\u55357 \\u56832 \\\none\\uc0\\u8232 two\\\r\n"
        b"{{\\NeXTGraphic a.png \\width640\n}\\'ac}end}"
    )
    assert document.parts[0].text == ("Ferry notes\n\nCafé — 3 € {a}\n\n1. First\n\nSecond\n\n日本 Пр😀\n\none\ntwo\n\nend")


def test_lists_and_objects_of_the_small_editor_are_read():
    document = read_rtf(
        rb"{\rtf1\ansi\ansicpg1251\deff0\nouicompat{\fonttbl{\f0\fnil\fcharset204 Calibri;}{\f1\fnil\fcharset0 Calibri;}"
        rb"{\f2\fnil\fcharset2 Symbol;}}{\*\generator Riched20 10.0.19041}\viewkind4\uc1 \pard\b\f0 \'cc\'e8\'f0\b0\par"
        rb"\f1 caf\'e9\par\pard{\pntext\f2\'B7\tab}{\*\pn\pnlvlblt\pnf2{\pntxtb\'B7}}\fi-360 one\par{\pntext\f2\'B7\tab}two\par"
        rb"\pard{\pntext\f1 1.\tab}{\*\pn\pnlvlbody\pnstart1\pndec{\pntxta.}}first\par"
        rb"{\object\objemb{\*\objclass Paint}{\*\objdata 0105}{\result {\pict\wmetafile8 0100}shown}}\par}" + b"\r\n\0"
    )
    assert document.parts[0].text == "Мир\n\ncafé\n\none\n\ntwo\n\n1. first\n\nshown"


# -- titles and headings -----------------------------------------------------------------------------------------------

INFO = rb"{\info{\title Boats {\i of} Sula}{\author Ida}}"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (INFO + rb"\pard\s1 One\par", "Boats of Sula"),
        (INFO + rb"\pard\s5 Shown\par\pard\s1 One\par", "Shown"),
        (rb"\pard\s2 Two\par\pard\s1 One\par", "One"),
        (rb"{\info{\title }{\subject x}}\pard Text\par", ""),
        (rb"{\info{\upr{\title ???}{\*\ud{\title \u1052 ?\u1080 ?\u1088 ?}}}}Text", "Мир"),
        (rb"\pard\b Ferries\par\b0 Text.\par\b Prices\par\b0 Text.\par", "Ferries"),
    ],
)
def test_the_title_is_the_shown_one_or_that_of_the_properties_or_the_first_main_heading(body, title):
    assert read_rtf(rtf(body)).title == title


@pytest.mark.parametrize(
    ("paragraph", "level"),
    [
        (rb"\pard\s1 Head\par", 1),
        (rb"\pard\s2 Head\par", 2),
        (rb"\pard\s3 Head\par", 2),
        (rb"\pard\s10 Head\par", 4),
        (rb"\pard\outlinelevel8 Head\par", 9),
        (rb"\pard\s1\outlinelevel2 Head\par", 3),
        (rb"{\pard\s1 Head}\par", 1),
        (rb"{\pard\s2 Head\par}", 2),
    ],
)
def test_headings_are_told_by_outline_level_or_style(paragraph, level):
    assert headings_of(rb"\pard Text\par" + paragraph + rb"\pard Text\par") == [(level, "Head")]


@pytest.mark.parametrize("style", [rb"\s0", rb"\s4", rb"\s7", rb"\s99", rb"\s1\outlinelevel9", rb"\s1\outlinelevel-1", rb"\s5"])
def test_other_styles_are_text_also_if_they_are_based_on_each_other(style):
    assert headings_of(rb"\pard" + style + rb" Head\par\pard Text\par") == []


def test_styles_of_characters_are_not_those_of_paragraphs():
    head = rb"{\stylesheet{\outlinelevel0 Normal;}{\*\cs9\additive Char;}{\cs8 Other char;}}"
    [part] = read_rtf(rtf(b"Head", head)).parts
    assert part.headings == ((0, 1, "Head"),)


def test_an_automatic_table_of_contents_is_left_out():
    contents = rb"\pard\s11 Contents\par\pard\s6 {\field{\*\fldinst TOC}{\fldrslt One\tab 3\par Two\tab 4}}\par"
    assert text_of(contents + rb"\pard\s1 One\par") == "One"


def test_bold_lines_are_headings_where_nothing_else_is_one():
    body = rb"{\b Oil}\par The oil is kept below.\par\b Light\b0\par It is lit at dusk.\plain\par {\b not} all\par"
    assert headings_of(body) == [(1, "Oil"), (1, "Light")]


# -- characters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "written", "text"),
    [
        (b"", rb"\'e9\'80\'93", "é€“"),
        (rb"\ansicpg1250", rb"\'9a\'e8\'f8", "ščř"),
        (rb"\ansicpg1251", rb"\'cc\'e8\'f0", "Мир"),
        (rb"\ansicpg932", rb"\'82\'a0\'83\'5c\'83A", "あソア"),
        (rb"\ansicpg936", rb"\'c4\'e3\'ba\'c3", "你好"),
        (rb"\ansicpg65001", rb"\'c3\'a9", "é"),
        (rb"\ansicpg99999", rb"\'e9", "é"),
        (rb"\mac", rb"\'8e", "é"),
        (rb"\mac\ansicpg10000", rb"\'8e", "é"),
        (rb"\pc", rb"\'82", "é"),
        (rb"\pca", rb"\'82", "é"),
        (FONTS, rb"\f1\'cc\'e8\'f0 {\f5 \'e1}\f2 \'82\'a0 \plain\'e9", "Мир αあ é"),
        (rb"{\fonttbl{\f0\fcharset186 A;}}", rb"\'e2", "ā"),
        (rb"{\fonttbl{\f0\cpg1251 A;}}", rb"\'cc", "М"),
        (rb"{\fonttbl{\f0 Arial Cyr;}{\f1 Arial CE;}}", rb"\'cc\f1\'e8", "Мč"),
        (rb"{\fonttbl\f0\fcharset204 A;\f7\fcharset162 B;}", rb"\'cc\f7\'fe", "Мş"),
        (rb"\ansicpg1251{\fonttbl{\f0\fcharset0 A;}}", rb"\'cc\'e8\'f0", "Мир"),
        (rb"\ansicpg1251{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 A;}}", rb"\'e9\f1\'e9", "éй"),
        (rb"\ansicpg1251\cocoartf2761{\fonttbl{\f0\fcharset0 A;}}", rb"\'e9", "é"),
        (rb"{\fonttbl{\f0\fcharset78 A;}{\f1\fcharset89 A;}}", rb"\'82\'a0\f1\'80", "あА"),
        (b"", b"caf\xe9 \xff", "café ÿ"),
        (b"", "Größe 日本".encode(), "Größe 日本"),
        (b"", rb"\u246" + "öxö".encode(), "öxö"),
        (rb"{\fonttbl{\f0\fcharset204\cpg1252 A;}}", rb"\'cc", "М"),
        (b"", rb"\'zz\'4", "zz4"),
    ],
)
def test_bytes_are_read_in_the_code_page_of_their_font_or_of_the_document(head, written, text):
    assert text_of(written, head) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (rb"\u233?x", "éx"),
        (rb"\u233\'e9x", "éx"),
        (rb"\uc0\u233 x", "éx"),
        (rb"{\uc2\u12354\'82\'a0x}\u233?x", "あxéx"),
        (rb"\uc0 \u-10179 \u-8704 x", "😀x"),
        (rb"\u55357?\u56832?", "😀"),
        (rb"\u55357?x", "\ufffdx"),
        (rb"\u128512?", "😀"),
        (rb"\u1114112?\u7?x\u", "\ufffdx"),
        (rb"\u-3913?", "\uf0b7"),
        (rb"\u1087\u1088\u1080 xy", "приy"),
        (rb"\u8211\endash x", "–x"),
        (rb"\u8209\_x", "‑x"),
        (rb"\u233\par x", "é\n\nx"),
        (rb"{\u233}x", "éx"),
        (b"\\u233\n?x", "éx"),
        (rb"e\u769?", "é"),
    ],
)
def test_a_character_by_its_number_stands_for_what_follows_it(written, text):
    assert text_of(written) == text


def test_both_halves_of_a_double_writing_are_read_once():
    assert text_of(rb"a {\upr{x}{\*\ud{\u233 ?}}} b") == "a é b"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (rb"\emdash\endash\lquote\rquote\ldblquote\rdblquote\bullet", "—–‘’“”•"),
        (rb"a\tab b\~c\emspace d\enspace e\qmspace f", "a b c d e f"),
        (b"a\tb\\\tc", "a b c"),
        (rb"co\-op a\_b\'adc", "coop a-bc"),
        (rb"\{\}\\", r"{}" + "\\"),
        (rb"a\:b\|c\%d", "abc%d"),
        (rb"a\line b\lbr0 c", "a\nb\nc"),
        (rb"a{\b b}{\i  c}\unknown7 d", "ab cd"),
        (b"a\x00\x01b\x7f", "ab"),
        (rb"\AppleWord1 a", "a"),
    ],
)
def test_signs_and_words_for_characters(written, text):
    assert text_of(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (rb"5 {\f3 m}g, {\f3\'b3} 3, {\f3 S}", "5 μg, ≥ 3, Σ"),
        (rb"{\f3\u-4051\'2d}", "−"),
        (rb"{\f4\'fe} yes {\f4\'a8} no {\f4\'e0}{\f4\u-3844\'fc}", "☑ yes ☐ no →✓"),
        (rb"{\f4 \'45}{\f4 Words} {\f4\'fc\'fc}", "•Words ✓✓"),
        (rb"{\field{\*\fldinst SYMBOL 109 \\f "
         rb'"Symbol" \\s 12}{\fldrslt\f3}}g', "μg"),
        (rb"{\field{\*\fldinst { SYMBOL 0xFC \\f Wingdings}}{\fldrslt }}", "✓"),
        (rb"{\field{\*\fldinst SYMBOL 65}{\fldrslt }} {\field{\*\fldinst SYMBOLS}{\fldrslt x}}", "A x"),
    ],
)  # fmt: skip
def test_fonts_of_symbols_show_what_they_stand_for(written, text):
    assert text_of(written) == text


# -- what is left out --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        rb"{\*\unknown x{y}}",
        b"{\n\\*\n\\unknown x}",
        rb"{\colortbl;\red0;x}",
        rb"{\pict\pngblip 89504e47}",
        rb"{\*\shppict{\pict\bin4 }}}{}}{\nonshppict{\pict 00}}",
        rb"{\pict\bin99}",
        rb"{\header x\par}{\headerl x}{\footerf {x}}{\ftnsep\chftnsep}",
        rb"{\*\bkmkstart x}{\*\bkmkend x}{\*\themedata 50}{\*\datastore 01}{\*\generator X;}",
        rb"{\*\atnid AB}{\*\atnauthor A. B.}\chatn{\*\annotation{\*\atnref 1}\pard x\par}",
        rb"{\xe x}{\tc {\v x}}{\private x}",
        rb"{\field{\*\fldinst{HYPERLINK x}}}",
        rb"{\*\background{\shp{\*\shpinst{\shptxt x}}}}",
        rb"{\b\pict\wmetafile8 0100}{\NeXTGraphic a.png \width640}",
        rb"{\v x\v0}{\v x {\b y}}\v x\v0 ",
        rb"{\deleted x}{\mvf x}\deleted x\deleted0 ",
        rb"{\v a{\footnote x}{\listtext 1.}}",
        rb"{\*\docvar {x}{y}}{\*\xmlopen\xmlns1{\factoidname x}}",
        rb"\bin3 x}{",
    ],
)
def test_what_is_not_shown_is_left_out(written):
    assert text_of(rb"a" + written + rb"b", FONTS) == ("a" if written.endswith(rb"\bin99}") else "ab")


@pytest.mark.parametrize(
    "written",
    [
        rb"{\unknown x}",
        rb"{\field{\*\fldinst{HYPERLINK y}}{\fldrslt{\ul x}}}",
        rb"{\field{\*\fldinst y}{\*\fldrslt x}}",
        rb"{\revised x}",
        rb"{\b\*\unknown x}",
        rb"{\mmath{\*\moMathPara{\*\moMath{\mf{\mfPr{\mctrlPr\i y}{\mtype bar}}{\mnum{\mr x}}}}}{\mmathPict{\pict 00}}}",
        rb"{\*\xmlopen\xmlns1{\factoidname y}}x{\*\xmlclose}",
        rb"\plain\v0 x",
    ],
)
def test_what_is_shown_is_kept(written):
    assert text_of(rb"a" + written + rb"b") == "axb"


def test_formatting_ends_with_its_group_and_with_plain():
    assert text_of(rb"{\v x}a{\v x\plain b}{\deleted x\plain c}\f3{\f0 d}") == "abcd"


# -- breaks, notes, lists ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", [b"\\par ", b"\\page ", b"\\sect ", b"\\column ", b"\\\n", b"\\\r\n", b"\\par{}", b"\\par\\pard "]
)
def test_paragraphs_end(word):
    assert text_of(b"one" + word + b"two") == "one\n\ntwo"


@pytest.mark.parametrize("note", [rb"{\footnote %s}", rb"{\*\footnote\ftnalt \pard\plain{\super\chftn} %s}"])
def test_a_note_stands_after_the_paragraph_that_refers_to_it(note):
    body = rb"Oak\chftn" + note % rb"Old.\par Very old." + rb" and elm\chftn " + note % rb"Rare." + rb".\par Next\par"
    assert text_of(body) == "Oak and elm.\n\nOld.\n\nVery old.\n\nRare.\n\nNext"


def test_notes_stand_after_headings_and_tables_and_at_the_end():
    table = rb"\trowd\cellx1\cellx2\pard\intbl A{\footnote In a\cell b.}\cell B\cell\row"
    table += rb"\trowd\pard\intbl{\footnote Alone.}\cell\row"
    body = rb"\pard\s1 Head{\footnote Of it.}\par" + table + rb"\pard Text{\footnote Last.}"
    assert text_of(body) == "Head\n\nOf it.\n\nA B\n\nIn a b.\n\nAlone.\n\nText\n\nLast."
    assert headings_of(body) == [(1, "Head")]


def test_text_boxes_stand_after_the_paragraph_that_they_are_tied_to():
    box = (
        rb"{\shp{\*\shpinst\shpleft0{\sp{\sn shapeType}{\sv 202}}"
        rb"{\shptxt \pard\plain Box.\par{\shp{\*\shpinst{\shptxt Inner}}}}}"
        rb"{\shprslt{\*\do\dobxcolumn{\dptxbxtext\pard Box.\par}}}}"
    )
    old = rb"{\*\do\dobxpage\dptxbx{\dptxbxtext\pard Old box.\par}\dpx0}"
    assert text_of(rb"Te" + box + rb"xt\par Last" + old) == "Text\n\nInner\n\nBox.\n\nLast\n\nOld box."


@pytest.mark.parametrize(
    ("shown", "number"),
    [
        (rb"\pard\plain 1.\tab", "1. "),
        (rb"\pard\plain \f0 a)\tab", "a) "),
        (rb"\pard\plain  IV.2.\tab", "IV.2. "),
        (rb"\f3\'b7\tab", ""),
        (rb"\f4\'d8\tab", ""),
        (rb"\f4\'46\tab", ""),
        (rb"\f2 o\tab", ""),
        (rb"\endash\tab", ""),
        (rb"\uc0\u8226 ", ""),
        (rb"\u61623\'3f", ""),
        (rb"", ""),
    ],
)
@pytest.mark.parametrize("word", [b"listtext", b"pntext"])
def test_items_begin_with_their_numbers_and_without_bullets(word, shown, number):
    mark = rb"{" + b"\\" + word + shown + rb"}"
    assert text_of(mark + rb"\pard Fill\par" + mark + rb"\par Rest\par") == f"{number}Fill\n\nRest"
    assert text_of(rb"{\footnote " + mark + rb"Fill}") == f"{number}Fill"


def test_headings_have_their_numbers():
    assert headings_of(rb"{\listtext 2.\tab}\pard\s1 Scope\par\pard Text\par") == [(1, "2. Scope")]


# -- tables ------------------------------------------------------------------------------------------------------------


def row(*cells, edges=(), more=b""):
    edges = edges or range(2000, 2000 * len(cells) + 1, 2000)
    defined = edges if isinstance(edges, bytes) else b"".join(rb"\cellx%d" % edge for edge in edges)
    texts = b"".join(rb"\pard\plain\intbl{" + cell.encode() + rb"\cell}" for cell in cells)
    return rb"\trowd" + more + defined + texts + rb"\pard\intbl{\trowd" + more + defined + rb"\row}"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([row("city", "metres"), row("Ulm", "161"), row("Brno", "157")], "city: Ulm; metres: 161.\n\ncity: Brno; metres: 157."),
        ([row("city", "river", more=rb"\trhdr"), row("Ulm", "Danube")], "city: Ulm; river: Danube."),
        ([row("Name", "Ada Finch"), row("Born", "Orlau")], "Name Ada Finch\n\nBorn Orlau"),
        ([row("a", "b", "c", more=rb"\trhdr"), row("wide", "last", edges=(4000, 6000))], "a: wide; c: last."),
        ([row("a", "b", "c", more=rb"\trhdr"), row("wide", "last", edges=(4030, 5990))], "a: wide; c: last."),
        (
            [
                row("a", "b", "c", more=rb"\trhdr"),
                row("wi", "de", "last", edges=rb"\clmgf\cellx2000\clmrg\cellx4000\cellx6000"),
            ],
            "a: wi de; c: last.",
        ),
        (
            [
                row("keeper", "light", more=rb"\trhdr"),
                row("Finch", "7", edges=rb"\clvmgf\cellx2000\cellx4000"),
                row("", "9", edges=rb"\clvmrg\cellx2000\cellx4000"),
                row("Renn", "8", edges=rb"\clvmrg\cellx2000\cellx4000"),
            ],
            "keeper: Finch; light: 7.\n\nkeeper: Finch; light: 9.\n\nkeeper: Renn; light: 8.",
        ),
        (
            [
                row("town", "2023", "2024", edges=(2000, 6000, 10000), more=rb"\trhdr"),
                row("", "in", "out", "in", "out", more=rb"\trhdr"),
                row("Ulm", "1", "2", "3", "4"),
            ],
            "town: Ulm; 2023 in: 1; 2023 out: 2; 2024 in: 3; 2024 out: 4.",
        ),
        ([row("a", "b", more=rb"\trhdr"), row("c", "d", edges=(1, 1))], "a: c; b: d."),
        ([row("a", "b", more=rb"\trhdr"), row("c", "d", edges=(9, 3))], "a: c; b: d."),
        ([row("a", "b", more=rb"\trhdr"), row("c", "d", edges=(2000,))], "a: c; b: d."),
        ([row("", "")], ""),
        ([row(r"one\par {\listtext 2.}two\par\par three", "b")], "one 2. two three b"),
        (
            [row("a", "b", more=rb"\trhdr"), row("", "d")[:-1] + rb"\pard\intbl rest\cell\row"],
            "b: d.\n\na: rest.",
        ),
    ],
)
def test_each_row_of_a_table_has_the_names_of_its_columns(rows, text):
    body = rb"\pard x\par" + b"".join(rows) + rb"\pard y\par"
    assert text_of(body) == "\n\n".join(filter(None, ["x", text, "y"]))


def test_a_table_within_a_cell_is_text_of_it():
    inner = (
        rb"\pard\intbl\itap2 n1\nestcell n2\nestcell{\*\nesttableprops\trowd\trhdr\cellx5\cellx9\nestrow}{\nonesttables\par}"
    )
    cells = rb"\pard\intbl before\par" + inner + inner + rb"\pard\intbl\itap1 after\cell\pard\intbl b\cell"
    body = row("p", "q", more=rb"\trhdr") + rb"\trowd\cellx2000\cellx4000" + cells + rb"\row\pard Text"
    assert text_of(body) == "p: before n1 n2 n1 n2 after; q: b.\n\nText"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"\trowd\cellx1\cellx9 a\par b\cell c\cell\row d\par", "a b c\n\nd"),
        (rb"\trowd\cellx1\pard\intbl a\cell\row d\par e\par", "a\n\nd\n\ne"),
        (rb"a\cell b\cell\pard c\par", "a b\n\nc"),
        (rb"\trowd\pard\intbl a\cell b", "a b"),
        (rb"{\trowd\cellx1{{\pard\intbl a\par}\cell}\intbl\row}{\pard b\par}", "a\n\nb"),
        (rb"\pard\intbl a\cell\row\row\pard\trowd b\cell\row", "a\n\nb"),
        (rb"\pard\intbl a\par\pard b\par", "a\n\nb"),
        (rb"\trowd\cellx1 a\cell{\footnote\pard n}\row b", "a\n\nn\n\nb"),
    ],
)
def test_tables_that_are_not_marked_well_lose_nothing(body, text):
    assert text_of(body) == text


def test_a_table_with_very_many_columns_is_read_without_their_names():
    names = [f"name{number}" for number in range(150)]
    values = [str(number) for number in range(150)]
    assert text_of(row(*names, more=rb"\trhdr") + row(*values)) == f"{' '.join(names)}\n\n{' '.join(values)}"


def test_a_long_cell_is_not_repeated_until_nothing_else_fits():
    long = "long " * 40_000
    cells = [("group", "kind", "price"), (long, "a", "1"), *(("", f"k{number}", "2") for number in range(99)), ("x", "a", "3")]
    text = text_of(b"".join(row(*one) for one in cells))
    assert text.count("long") == 40_000
    assert "k98 2" in text


# -- mail --------------------------------------------------------------------------------------------------------------


def test_a_page_that_is_kept_as_rtf_is_read_as_the_page():
    document = read_rtf(
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \fbidis \deff0" + FONTS + rb"\uc1\pard\plain\deftab360 \f0\fs24 "
        rb"{\*\htmltag19 <html>}{\*\htmltag34 <head>}{\*\htmltag1 \par }{\*\htmltag241 <style>\par p \{margin:0\}</style>}"
        rb"{\*\htmltag177 <title>}{\*\htmltag241 Fares}{\*\htmltag185 </title>}{\*\htmltag41 </head>}{\*\htmltag50 <body>}"
        rb"\htmlrtf \lang1033 \htmlrtf0 {\*\htmltag64 <h1>}\htmlrtf {\htmlrtf0 Prices\htmlrtf\par}\htmlrtf0{\*\htmltag72 </h1>}"
        rb"{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Dear a&b <c>, \htmlrtf {\b\v \htmlrtf0 {\*\htmltag84 <b>}bold"
        rb"{\*\htmltag92 </b>}\htmlrtf }\htmlrtf0  text{\*\htmltag84 &nbsp;}\htmlrtf \'a0\htmlrtf0 and\par wrapped "
        rb"{\f1\'cf\'f0} \u8364?.{\*\htmltag72 </p>}\htmlrtf\par not shown}\htmlrtf0 {\*\mhtmltag84 <img>}"
        rb"{\*\htmltag148 <table><tr><th>}A{\*\htmltag148 </th><th>}B{\*\htmltag148 </th></tr><tr><td>}1"
        rb"{\*\htmltag148 </td><td>}2{\*\htmltag148 </td></tr></table>}{\*\htmltag58 </body>}{\*\htmltag27 </html>}}"
    )
    [part] = document.parts
    assert document.title == "Fares"
    assert part.text == "Prices\n\nDear a&b <c>, bold text and wrapped Пр €.\n\nA: 1; B: 2."
    assert part.headings == ((0, 1, "Prices"),)


def test_a_page_without_a_title_has_that_of_the_properties():
    assert read_rtf(rtf(rb"\fromhtml1{\info{\title Fares}}{\*\htmltag64 <p>}a")).title == "Fares"


def test_plain_text_that_is_kept_as_rtf_is_read_as_plain_text():
    document = read_rtf(
        rb"{\rtf1\ansi\fromtext \fbidis \deff0" + FONTS + rb"\uc1\pard\plain \f0 Dear all,\par\par the \{ferry\}\par leaves\tab"
        rb" at \u8364?5.\line\par {\pntext 1.\tab}One.\par}"
    )
    assert document.parts[0].text == "Dear all,\n\nthe {ferry}\nleaves\tat €5.\n\n1. One."


@pytest.mark.parametrize("before", [b"", b"\\fromhtml0 ", b"z\\par\\fromhtml1 ", b"z\\par\\fromtext "])
def test_tags_are_left_out_where_nothing_says_at_the_beginning_that_it_was_a_page(before):
    text = text_of(before + rb"{\*\htmltag64 <p>}a\htmlrtf b\par\htmlrtf0 c")
    assert text.removeprefix("z\n\n") == "ab\n\nc"


@pytest.mark.parametrize("kind", [b"\\fromhtml1", b"\\fromtext"])
def test_a_note_in_a_mail_stays_where_it_is(kind):
    assert text_of(kind + rb" a{\footnote  b}", FONTS) == "a b"


# -- damaged and hostile files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"", b"Text", b"{\\rt", b"\\rtf1 a", b"x{\\rtf1 a}", b"PK\3\4", b" " * 1_000_000, b"{{\\rtf1}"]
)
def test_another_format_is_refused(content):
    with pytest.raises(DataError, match=r"^a\.rtf is not RTF; save it again, or leave it out$"):
        read_rtf(content, "a.rtf")


def test_white_space_and_a_byte_order_mark_may_stand_before_it():
    assert read_rtf(b"\xef\xbb\xbf\r\n {\\rtf1 a}").parts[0].text == "a"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (rb"{\rtf1 a", "a"),
        (rb"{\rtf1 a{\footnote b", "a\n\nb"),
        (rb"{\rtf1 a\trowd\cellx9\intbl b\cell c", "a\n\nb c"),
        (rb"{\rtf1 a{\pict 0123", "a"),
        (rb"{\rtf1 a\u233", "aé"),
        (rb"{\rtf1 a\'e", "ae"),
        (rb"{\rtf1 a}} b} c", "a b c"),
        (rb"{\rtf1\ansicpg932 a\'82\par \'82", "a\ufffd\n\n\ufffd"),
        (rb"{\rtf1", ""),
        (rb"{\rtf1{\fonttbl{\f0 Ti", ""),
    ],
)
def test_a_damaged_file_gives_what_it_has(content, text):
    assert [part.text for part in read_rtf(content).parts] == [text]


def test_a_file_that_is_cut_off_anywhere_keeps_the_words_before():
    content = WORD.replace(rb"\footnote", rb"\*\ignored")
    whole = read_rtf(content).parts[0].text.split()
    counts = []
    for end in range(len(b"{\\rtf1"), len(content) + 1):
        words = read_rtf(content[:end]).parts[0].text.split()
        assert words[:-1] == whole[: max(0, len(words) - 1)]
        counts.append(len(words))
    assert counts == sorted(counts)
    assert counts[-1] == len(whole)


@pytest.mark.parametrize("piece", [b"{", b"{\\b ", b"{\\*\\x{", b"{\\pict{", b"{\\footnote ", b"{\\field{\\fldrslt "])
def test_groups_within_groups_have_an_end(piece):
    with pytest.raises(DataError, match=r"^a\.rtf is nested too deeply: .*; save it again, or leave it out$"):
        read_rtf(b"{\\rtf1 " + piece * 12_000, "a.rtf")


def test_deep_nesting_within_the_limit_is_read():
    assert text_of(b"{" * 9_000 + b"a" + b"}" * 9_000 + b"b") == "ab"


def test_each_piece_is_checked():
    class TooSlow(Exception):
        pass

    def check():
        nonlocal left
        left -= 1
        if left < 0:
            raise TooSlow

    for body in (rb"\b a" * 100, rb"{\*\x" + b"{}" * 100 + b"}", rb"\u233?" * 100):
        left = 50
        with pytest.raises(TooSlow):
            read_rtf(rtf(body, b""), check=check)


PIECES = (
    *"{}\\a \n\té",
    *(
        "\\\n",
        "\\'",
        "\\'83",
        "\\par ",
        "\\u233?",
        "\\u-10179?",
        "\\uc9 \\u1 ",
        "{\\footnote a}",
        "{\\listtext 1.}",
        "{\\*\\x ",
    ),
    *(
        "a\\cell ",
        "\\row ",
        "\\trowd ",
        "\\cellx9 ",
        "a\\cell\\row ",
        "\\clmrg\\cellx1 a\\cell ",
        "\\nestcell ",
        "{\\pict ",
        "\\bin9",
    ),
    *("{\\fonttbl{\\f1 a;}}", "{\\stylesheet{\\s1\\sbasedon1 a;}}\\s1 a\\par ", "{\\title a}", "{\\upr{a}{\\*\\ud{b}}}"),
    *("{\\field{\\*\\fldinst SYMBOL 97}}", "{\\shptxt a}", "\\fromhtml1{\\*\\htmltag <b>}a", "\\fromtext a\\par ", "9" * 99),
)


@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_the_length_and_not_faster(piece):
    def seconds(length: int) -> float:
        content = rtf(piece.encode() * (length // len(piece.encode())))
        began = time.process_time()
        try:
            read_rtf(content)
        except DataError:
            assert "{" in piece
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(seconds(320_000) < 32 * max(seconds(40_000), 0.002) for _ in range(3))


MARKUP = st.one_of(
    st.sampled_from([piece.encode() for piece in PIECES]),
    st.builds(
        lambda before, word, number: before + b"\\" + word + number + b" ",
        st.sampled_from([b"", b"{", b"{\\*"]),
        st.sampled_from(
            b"fonttbl f fcharset cpg ansicpg stylesheet s sbasedon outlinelevel info title upr ud footnote shptxt pntext "
            b"fldinst fldrslt htmltag htmlrtf fromhtml fromtext nesttableprops NeXTGraphic pict plain b v deleted uc u bin "
            b"pard intbl itap trowd trhdr clmrg clvmrg cellx cell row nestrow line page emdash mac deff".split()
        ),
        st.sampled_from([b"", b"0", b"1", b"-1", b"2", b"77", b"932", b"99999", b"-70000", b"1114112", b"9" * 30]),
    ),
    st.binary(max_size=6),
)


@given(st.lists(MARKUP, max_size=60), st.booleans())
def test_any_mixture_of_markup_is_read_or_refused(pieces, is_closed):
    content = b"{\\rtf1 start " + b"".join(pieces) + b"}" * is_closed
    try:
        document = read_rtf(content, "a.rtf")
    except DataError as error:
        assert "a.rtf" in str(error)  # noqa: PT017 - it may as well be read
    else:
        assert all("\x00" not in part.text for part in document.parts)
        "".join(part.text for part in document.parts).encode()


def test_a_raised_number_is_not_joined_to_the_one_before_it():
    assert text_of(rb"10{\super 6} times, 40 m{\super 2}, 3\super 1\nosupersub 4") == "10⁶ times, 40 m2, 3¹4"
