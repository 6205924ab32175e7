"""Countries and the words for their people, so that `American` and `the United States` can be compared."""

from __future__ import annotations

import re
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.preparation import prepared

# One nation a line: the names of the country, then, after the colon, the words for its people and its things.
_NATIONS = """
Afghanistan: Afghan Afghani
Albania: Albanian
Algeria: Algerian
Andorra: Andorran
Angola: Angolan
Argentina: Argentine Argentinian Argentinean
Armenia: Armenian
Australia: Australian
Austria: Austrian
Azerbaijan: Azerbaijani
Bahamas: Bahamian
Bahrain: Bahraini
Bangladesh: Bangladeshi
Barbados: Barbadian
Belarus: Belarusian Belarusan
Belgium: Belgian
Belize: Belizean
Benin: Beninese
Bhutan: Bhutanese
Bolivia: Bolivian
Bosnia and Herzegovina, Bosnia-Herzegovina, Bosnia: Bosnian
Botswana: Botswanan
Brazil: Brazilian
Brunei: Bruneian
Bulgaria: Bulgarian
Burkina Faso: Burkinabe
Burundi: Burundian
Cambodia: Cambodian
Cameroon: Cameroonian
Canada: Canadian
Cape Verde: Cape_Verdean
Chad: Chadian
Chile: Chilean
China, People's Republic of China, PRC: Chinese
Colombia: Colombian
Costa Rica: Costa_Rican
Croatia: Croatian Croat
Cuba: Cuban
Cyprus: Cypriot
Czech Republic, Czechia: Czech
Czechoslovakia: Czechoslovak Czechoslovakian
Denmark: Danish Dane
Dominican Republic: Dominican
East Germany: East_German
Ecuador: Ecuadorian Ecuadorean
Egypt: Egyptian
El Salvador: Salvadoran Salvadorean
England: English Englishman Englishwoman
Eritrea: Eritrean
Estonia: Estonian
Ethiopia: Ethiopian
Faroe Islands: Faroese
Fiji: Fijian
Finland: Finnish Finn
France: French Frenchman Frenchwoman
Gabon: Gabonese
Gambia: Gambian
Georgia: Georgian
Germany: German
Ghana: Ghanaian
Greece: Greek
Greenland: Greenlandic
Guatemala: Guatemalan
Guinea: Guinean
Guyana: Guyanese
Haiti: Haitian
Honduras: Honduran
Hong Kong: Hongkonger
Hungary: Hungarian
Iceland: Icelandic Icelander
India: Indian
Indonesia: Indonesian
Iran: Iranian
Iraq: Iraqi
Ireland, Republic of Ireland: Irish Irishman Irishwoman
Israel: Israeli
Italy: Italian
Ivory Coast, Côte d'Ivoire: Ivorian
Jamaica: Jamaican
Japan: Japanese
Jordan: Jordanian
Kazakhstan: Kazakh Kazakhstani
Kenya: Kenyan
Korea: Korean
Kosovo: Kosovar Kosovan
Kuwait: Kuwaiti
Kyrgyzstan: Kyrgyz
Laos: Lao Laotian
Latvia: Latvian
Lebanon: Lebanese
Lesotho: Basotho
Liberia: Liberian
Libya: Libyan
Liechtenstein: Liechtensteiner
Lithuania: Lithuanian
Luxembourg: Luxembourgish Luxembourger
Madagascar: Malagasy
Malawi: Malawian
Malaysia: Malaysian
Maldives: Maldivian
Mali: Malian
Malta: Maltese
Mauritania: Mauritanian
Mauritius: Mauritian
Mexico: Mexican
Moldova: Moldovan
Monaco: Monegasque Monacan
Mongolia: Mongolian
Montenegro: Montenegrin
Morocco: Moroccan
Mozambique: Mozambican
Myanmar, Burma: Burmese
Namibia: Namibian
Nepal: Nepalese Nepali
Netherlands, Holland: Dutch Dutchman Dutchwoman
New Zealand: New_Zealander
Nicaragua: Nicaraguan
Niger: Nigerien
Nigeria: Nigerian
North Korea: North_Korean
North Macedonia, Macedonia: Macedonian
Northern Ireland: Northern_Irish
Norway: Norwegian
Oman: Omani
Pakistan: Pakistani
Palestine: Palestinian
Panama: Panamanian
Papua New Guinea: Papua_New_Guinean
Paraguay: Paraguayan
Peru: Peruvian
Philippines: Philippine Filipino Filipina
Poland: Polish Pole
Portugal: Portuguese
Prussia: Prussian
Puerto Rico: Puerto_Rican
Qatar: Qatari
Romania: Romanian
Russia, Russian Federation: Russian
Rwanda: Rwandan
Samoa: Samoan
Saudi Arabia: Saudi Saudi_Arabian
Scotland: Scottish Scot Scots Scotsman
Senegal: Senegalese
Serbia: Serbian Serb
Sierra Leone: Sierra_Leonean
Singapore: Singaporean
Slovakia: Slovak Slovakian
Slovenia: Slovenian Slovene
Somalia: Somali
South Africa: South_African
South Korea, Republic of Korea: South_Korean
South Sudan: South_Sudanese
Soviet Union, USSR, U.S.S.R.: Soviet
Spain: Spanish Spaniard
Sri Lanka: Sri_Lankan
Sudan: Sudanese
Suriname: Surinamese
Sweden: Swedish Swede
Switzerland: Swiss
Syria: Syrian
Taiwan: Taiwanese
Tajikistan: Tajik
Tanzania: Tanzanian
Thailand: Thai
Togo: Togolese
Tonga: Tongan
Trinidad and Tobago: Trinidadian
Tunisia: Tunisian
Turkey, Türkiye: Turkish Turk
Turkmenistan: Turkmen
Uganda: Ugandan
Ukraine: Ukrainian
United Arab Emirates, UAE, U.A.E.: Emirati
United Kingdom, Great Britain, Britain, UK, U.K.: British Briton
United States of America, United States, America, USA, U.S.A., US, U.S.: American
Uruguay: Uruguayan
Uzbekistan: Uzbek
Venezuela: Venezuelan
Vietnam: Vietnamese
Wales: Welsh Welshman Welshwoman
West Germany: West_German
Yemen: Yemeni
Yugoslavia: Yugoslav Yugoslavian
Zambia: Zambian
Zimbabwe: Zimbabwean
"""
_SMALL = """
a an the in of from is are was were be been by and or he she it they his her its their born citizen citizens national nationals
nationality country people person origin descent"""
_SMALL_WORDS = frozenset(_SMALL.split())
_WORD = lazy_pattern(r"[^\W_]+(?:['’.-][^\W_]+)*")


def nations_in(text: str) -> frozenset[str]:
    """The countries that a text names, by their names or those of their people; a word of a longer name is none.

    >>> sorted(nations_in("a British and American citizen")), sorted(nations_in("Michael Jordan of New Mexico"))
    (['United Kingdom', 'United States of America'], [])
    """
    return frozenset(nation for nation, _, _ in _found(text))


def is_only_nations(text: str) -> bool:
    """Whether a text names countries or their people and says nothing else."""
    rest = text
    for _, start, end in reversed(_found(text)):
        rest = f"{rest[:start]} {rest[end:]}"
    return rest != text and all(word.casefold() in _SMALL_WORDS for word in _WORD.findall(rest))


def _found(text: str) -> list[tuple[str, int, int]]:
    """Each nation with the position of its word."""
    pattern, nation_of = _table()
    return [
        (nation_of[_key(match[0])], match.start(), match.end())
        for match in pattern.finditer(text)
        if not _is_part_of_a_name(text, match.start(), match.end())
    ]


def _is_part_of_a_name(text: str, start: int, end: int) -> bool:
    """Whether a word with a capital stands directly before or after, as in `Michael Jordan`, `New Mexico`, `Jordan River`."""
    before = text[:start].rstrip(" ").rpartition(" ")[2] if text[start - 1 : start] == " " else ""
    after = text[end:].lstrip(" ").partition(" ")[0] if text[end : end + 1] == " " else ""
    names = [word for word in (before if before[-1:].isalnum() else "", after) if word[:1].isupper()]
    return any(word.casefold() not in _SMALL_WORDS and not _is_nation(word) for word in names)


def _is_nation(word: str) -> bool:
    return _key(word) in _table()[1]


def _key(name: str) -> str:
    return " ".join(name.casefold().replace(".", "").replace("’", "'").split())


@prepared
@cache
def _table() -> tuple[re.Pattern[str], dict[str, str]]:
    """The pattern of all names, the longest first, and the country that each stands for."""
    nation_of: dict[str, str] = {}
    written: list[str] = []
    for line in _NATIONS.strip().splitlines():
        names, _, people = line.partition(":")
        countries = [name.strip() for name in names.split(",")]
        adjectives = [word.replace("_", " ") for word in people.split()]
        forms = [*countries, *adjectives, *(f"{word}s" for word in adjectives if not word.endswith(("s", "sh", "ch", "se")))]
        written += forms
        nation_of |= {_key(form): countries[0] for form in forms}
    longest_first = sorted(written, key=len, reverse=True)
    # `US` and the like are names in capitals only; `us` is a pronoun.
    short = [form for form in longest_first if form.replace(".", "").isupper()]
    others = [form for form in longest_first if form not in short]
    either = f"(?i:{'|'.join(map(re.escape, others))})|{'|'.join(map(re.escape, short))}"
    return re.compile(rf"(?<![^\W_])(?<![.-])(?:{either})(?![^\W_])"), nation_of
