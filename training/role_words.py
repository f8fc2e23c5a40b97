"""The words of the texts that roles.py makes; pairs and pairs of pairs are opposites or alike in kind."""

from __future__ import annotations


def words(text: str) -> list[str]:
    return text.split()


FIRST = words(
    "Anna Boris Clara Dmitri Elena Felix Greta Hassan Ingrid Jonas Kamala Liam Miriam Nadia Oscar Priya "
    "Quentin Rosa Stefan Tamara Umar Vera Walter Ximena Yusuf Zoe Adele Bruno Chen Dora Emil Fatima Goran "
    "Helga Ivan June"
)
LAST = words(
    "Abbott Brandt Castillo Dufour Eriksen Ferrari Galloway Hartmann Ibrahim Jensen Kovacs Lindqvist "
    "Moreau Novak Okafor Petrov Quigley Romero Sato Tanaka Ueda Vasquez Whitfield Yamamoto Zeller Barlow "
    "Crane Dalton Everett"
)
PLACES = words(
    "Lisbon Oslo Nairobi Prague Quito Hanoi Dublin Vienna Lima Accra Turin Bergen Porto Lyon Ghent Malmo "
    "Krakow Seville Denver Boston Osaka Cairo Tunis Riga Sofia Bern Graz Leeds Cork Utrecht Kyoto Austin "
    "Perth Hobart"
)
TEAMS = words(
    "Norway Kenya Ghana Peru Chile Japan Canada Spain Egypt Poland Greece Cuba Brazil Iceland Morocco "
    "Turkey Hungary Jamaica Portugal Senegal Denmark Mexico Ireland Vietnam"
)
DID = (
    ("wrote", "written", "translated", "translated", "novel opera report poem manual article memoir"),
    ("designed", "designed", "restored", "restored", "bridge church theatre mill library tower villa"),
    ("discovered", "discovered", "named", "named", "comet fossil mineral island virus cave asteroid"),
    ("founded", "founded", "bought", "bought", "company newspaper museum school bakery brewery magazine"),
    ("directed", "directed", "produced", "produced", "film documentary play series musical"),
    ("painted", "painted", "stole", "stolen", "portrait mural landscape icon fresco"),
    ("invented", "invented", "improved", "improved", "device engine lens pump telescope battery loom"),
    ("composed", "composed", "recorded", "recorded", "song symphony anthem album quartet"),
    ("proposed", "proposed", "opposed", "opposed", "law treaty reform tax merger budget amendment"),
    ("trained", "trained", "sold", "sold", "horse dog falcon elephant camel"),
)
MORE = words(
    "taller/shorter older/younger larger/smaller cheaper/dearer heavier/lighter faster/slower "
    "warmer/colder longer/shorter richer/poorer deeper/shallower wider/narrower stronger/weaker "
    "busier/quieter harder/softer"
)
THINGS = words(
    "river lake mountain hotel camera phone engine tunnel ship laptop drug alloy farm airport stadium "
    "canyon printer heater cable pump"
)
PAIRS = (
    ("adults", "children"), ("men", "women"), ("cats", "dogs"), ("smokers", "non-smokers"), ("mice", "rats"),
    ("teachers", "students"), ("patients with asthma", "patients with diabetes"), ("iron", "copper"),
    ("coastal towns", "inland towns"), ("small firms", "large firms"), ("young trees", "old trees"),
    ("the first group", "the second group"), ("nurses", "doctors"), ("renters", "owners"), ("bees", "wasps"),
    ("the treated group", "the control group"), ("urban areas", "rural areas"), ("imports", "exports"),
)  # fmt: skip
EFFECTS = (
    "reduced pain in|had no effect in", "raised costs for|lowered costs for",
    "improved sleep among|worsened sleep among",
    "was safe for|was harmful to", "spread quickly among|was rarely seen among", "helped|hindered",
    "increased deaths among|left deaths unchanged among", "was popular with|was disliked by",
)  # fmt: skip
CAUSES = (
    "the drug", "the diet", "the new rule", "the vaccine", "the heat wave", "the training", "the tax",
    "the disease", "the programme", "the campaign",
)  # fmt: skip
PARTS = words(
    "battery frame engine screen roof keyboard motor lid filter handle strap lens door tank wheel charger"
)
STEPS = words("start/stop open/close lock/unlock raise/lower fill/drain heat/cool save/delete answer/reject")
BUTTONS = words(
    "left/right upper/lower red/green round/square front/rear first/second black/white large/small"
)
MONTHS = words("January February March April May June July August September October November December")
MADE_IN = (
    ("Insulin", "the pancreas"), ("Bile", "the liver"), ("Tears", "the lacrimal glands"),
    ("Honey", "the hive"),
    ("Paper", "the mill"), ("Steel", "the furnace"), ("Flour", "the windmill"), ("Cheese", "the dairy"),
    ("Glass", "the workshop"), ("Bread", "the bakery"), ("Software", "the lab"), ("Wine", "the cellar"),
)  # fmt: skip
