"""English verbs and their forms: a lexicon of bases, inflected by rule."""

from __future__ import annotations

from adjudge.segment.claims.words import word_set

_REGULAR = (
    "abandon abolish absorb abuse accept acclaim accompany accomplish account accumulate accuse achieve"
    " acknowledge acquire act activate adapt add address adjust administer admire admit adopt advance"
    " advise advocate affect age agree aid aim alert align allege allow alter amass amend analyze"
    " analyse announce answer anticipate apologize apologise appeal appear apply appoint appreciate"
    " approach approve argue arrange arrest arrive articulate ask aspire assassinate assault assemble"
    " assert assess assign assist associate assume attach attack attain attempt attend attract attribute"
    " audition author authorize avoid award back balance ban base battle beg behave believe belong"
    " benefit blame blend block boast boil book boost border bother box brand breathe bring broaden burn"
    " bury calculate call campaign cancel capture care carry cast catalog cause cease celebrate censor"
    " center centre certify chair challenge champion change charge chart chase check cite claim clarify"
    " classify clean clear climb close clash coach coincide collaborate collapse collect colonize combat"
    " combine command commemorate commence commend comment commission commit communicate compare compete"
    " compile complain complete compose comprise compress compute conceive concentrate concern conclude"
    " condemn conduct confess confine confirm connect conquer conserve consider consist consolidate"
    " constitute construct consult consume contact contain contend contest continue contract contribute"
    " control convert convey convict convince cook cooperate coordinate cope copy correct correspond"
    " cover craft crash create credit criticize criticise cross crown cultivate cure damage dance date"
    " debate debut decide declare decline decorate decrease dedicate deem defeat defect defend define"
    " delay delegate delete deliver demand demolish demonstrate denote denounce deny depart depend"
    " depict deploy deport deposit derive descend describe deserve design designate desire destroy"
    " detail detain detect deteriorate determine develop devise devote diagnose dictate die differ"
    " diminish direct disable disagree disappear disband discharge disclose discontinue discover discuss"
    " dislike dismiss display disrupt dissolve distinguish distribute dive divide divorce document"
    " dominate donate double doubt draft drain drift drop drown dry earn ease edit educate elect elevate"
    " eliminate embark embody embrace emerge emigrate emit emphasize emphasise employ empower empty"
    " enable enact encode encompass encounter encourage end endorse endure enforce engage engineer"
    " enhance enjoy enlarge enlist enroll enrol ensure entail enter entertain equip erect erupt escape"
    " establish estimate evacuate evaluate evoke evolve examine exceed excel exchange exclude execute"
    " exempt exercise exert exhibit exile exist expand expect expel experience experiment expire explain"
    " explode exploit explore export expose express extend extract face facilitate fail fall fascinate"
    " favor favour fear feature figure file fill film filter finalize finance finish fire fit fix flee"
    " flourish flow focus fold follow force form formulate foster found fulfill fulfil function fund"
    " fuse gain gather generate govern grace graduate grant greet guarantee guard guide hail halt handle"
    " happen harm harvest head heal heat help highlight hire honor honour hope host house hunt identify"
    " ignore illustrate imagine immigrate impact implement imply import impose impress imprison improve"
    " include incorporate increase indicate induce infect influence inform inhabit inherit initiate"
    " injure innovate inquire insert insist inspect inspire install instruct insure integrate intend"
    " intensify interact interest interfere interpret interrupt intersect intervene interview introduce"
    " invade invent invest investigate invite involve isolate issue jail join judge jump justify kick"
    " kill knock label lack land last laugh launch learn lecture legalize level liberate license lift"
    " like limit link list listen live load loan lobby locate lock look love lower maintain manage"
    " manipulate manufacture march mark market marry master match mature matter measure melt mention"
    " mentor merge migrate mine minimize miss mix modify monitor motivate mount move multiply murder"
    " name narrate narrow navigate need neglect negotiate nickname nominate note notice notify number"
    " nurture obey object oblige observe obtain occupy occur offer open operate oppose optimize opt"
    " orbit order organize organise orient originate oscillate oust outline overlook oversee owe own"
    " pack paint park participate partner pass patent patrol pay peak penetrate perceive perform permit"
    " persuade persist photograph pick pilot pioneer place plan plant play plead pledge point popularize"
    " portray position possess post pour practice practise praise preach precede predict prefer premiere"
    " prepare prescribe present preserve preside press pressure presume prevail prevent print privatize"
    " proceed process proclaim procure produce profile program progress prohibit project promise promote"
    " prompt propel propose prosecute protect protest prove provide provoke publish publicize pull pump"
    " punish purchase pursue push qualify question quote race radiate raise rally range rank rate ratify"
    " reach react realize realise rebel recall receive recharge reclaim recognize recognise recommend"
    " reconcile reconstruct record recover recruit recycle redesign reduce refer refine reflect reform"
    " refuse regain regard register regulate reign reinforce reinstate reject rejoin relate relax"
    " release relieve relinquish relocate rely remain remark remember remind remove rename render renew"
    " renounce renovate rent reopen repair repeat replace reply report represent reproduce request"
    " require rescue research resemble reserve reset reside resign resist resolve respect respond rest"
    " restart restore restrict result resume retain retire retreat retrieve return reunite reveal"
    " reverse review revise revive revolutionize revolve reward rhyme rinse rival rob rotate rule rush"
    " sail sample satisfy save scan scatter schedule score scout screen sculpt seal search secure seem"
    " segregate seize select sense sentence separate serve settle shape share shift ship shock shoot"
    " shorten showcase sign signal simplify situate sketch slow smell smile smoke soften solve sort span"
    " spark specialize specialise specify spell sponsor spot spring staff stage stain stand star start"
    " state station stay stem step stimulate stipulate stop store stream strengthen stress stretch strip"
    " structure struggle study style submit subscribe substitute succeed suffer suggest suit summarize"
    " summon supervise supply support suppress surface surpass surprise surrender surround survey"
    " survive suspect suspend sustain switch symbolize sympathize tackle talk target taste tend term"
    " terminate test testify thank threaten thrive tie top total touch tour trace track trade train"
    " transfer transform transition translate transmit transport trap travel treat trigger triumph"
    " trouble trust try turn uncover undergo undermine unify unite unveil update upgrade uphold urge use"
    " utilize vacate vaccinate value vanish vary venture verify view violate visit visualize voice"
    " volunteer vote wait walk want warn wash waste watch weaken weigh welcome widen wipe wish witness"
    " work worry worship wound wrap yield access accelerate aggregate allocate annex append archive"
    " assure attest automate bake blink bloom bounce breach browse cater circulate click code collide"
    " compensate complement complicate comply conceal configure congratulate contradict converge"
    " correlate customize cycle debug decay decompose deduct deepen degrade dehydrate depose deprive"
    " detach devastate deviate differentiate digest dilute dip discourage discriminate dispatch disperse"
    " display dispose dispute dissolve diversify donate download drag dump duplicate echo elaborate"
    " embed enforce enlighten enrich erase erode escalate escort exacerbate excavate exhaust expedite"
    " facilitate fade falsify fasten fetch fluctuate forge forward freelance frequent fry furnish gauge"
    " glue grab graze grind guess hack harness hasten haunt hesitate hinder hover hydrate impair incur"
    " inflate inhale inhibit inject innovate invoke irritate jeopardize juggle kidnap lag lease lengthen"
    " linger log magnify mandate manifest memorize mimic mobilize mock nourish obstruct offset omit"
    " outnumber outperform outweigh overlap overrule overwhelm pair patch pause peel perceive plug"
    " poison polish pollute ponder postpone praise precipitate presuppose prohibit prolong propagate"
    " quantify queue reassure reboot rebuild recite reckon rectify redirect reelect refill refrain"
    " refresh refund rehearse reiterate remedy repel replicate repress reschedule reside resort restrain"
    " retell retrain reuse revert rework roam roll ruin sacrifice scale scroll sculpt shatter shine"
    " shrink simulate skip slide solidify spin sprinkle squeeze stabilize startle stir strain subdue"
    " subsidize substantiate sue supersede swap swipe synthesize tap tighten tolerate transcend"
    " transplant traverse trim tweak type unlock unplug upload validate vanquish vibrate wander warrant"
    " withhold withstand zoom"
)
_IRREGULAR = (
    "arise:arose:arisen become:became:become begin:began:begun bind:bound:bound bite:bit:bitten"
    " blow:blew:blown break:broke:broken breed:bred:bred bring:brought:brought"
    " broadcast:broadcast:broadcast build:built:built burst:burst:burst buy:bought:bought cast:cast:cast"
    " catch:caught:caught choose:chose:chosen come:came:come cost:cost:cost cut:cut:cut deal:dealt:dealt"
    " draw:drew:drawn drink:drank:drunk drive:drove:driven eat:ate:eaten fall:fell:fallen feed:fed:fed"
    " feel:felt:felt fight:fought:fought find:found:found fit:fit:fit flee:fled:fled fly:flew:flown"
    " forbid:forbade:forbidden forget:forgot:forgotten freeze:froze:frozen get:got:gotten"
    " give:gave:given go:went:gone grow:grew:grown hang:hung:hung have:had:had hear:heard:heard"
    " hide:hid:hidden hit:hit:hit hold:held:held hurt:hurt:hurt keep:kept:kept know:knew:known"
    " lay:laid:laid lead:led:led leave:left:left lend:lent:lent let:let:let lie:lay:lain lose:lost:lost"
    " make:made:made mean:meant:meant meet:met:met overcome:overcame:overcome"
    " overthrow:overthrew:overthrown oversee:oversaw:overseen pay:paid:paid put:put:put quit:quit:quit"
    " read:read:read ride:rode:ridden ring:rang:rung rise:rose:risen run:ran:run say:said:said"
    " see:saw:seen seek:sought:sought sell:sold:sold send:sent:sent set:set:set shake:shook:shaken"
    " shoot:shot:shot show:showed:shown shut:shut:shut sing:sang:sung sink:sank:sunk sit:sat:sat"
    " sleep:slept:slept speak:spoke:spoken spend:spent:spent split:split:split spread:spread:spread"
    " spring:sprang:sprung stand:stood:stood steal:stole:stolen stick:stuck:stuck strike:struck:struck"
    " strive:strove:striven swear:swore:sworn sweep:swept:swept swim:swam:swum take:took:taken"
    " teach:taught:taught tear:tore:torn tell:told:told think:thought:thought throw:threw:thrown"
    " undergo:underwent:undergone shine:shone:shone shrink:shrank:shrunk slide:slid:slid spin:spun:spun"
    " rebuild:rebuilt:rebuilt withhold:withheld:withheld withstand:withstood:withstood"
    " retell:retold:retold grind:ground:ground understand:understood:understood"
    " undertake:undertook:undertaken uphold:upheld:upheld wear:wore:worn weave:wove:woven win:won:won"
    " withdraw:withdrew:withdrawn write:wrote:written"
)
_DOUBLING = word_set(
    "ban beg begin box commit cut excel expel fit forbid forget get hit let occur opt patrol plan"
    " program put quit rebel refer rob run scan set shut sit spin split spot star stem step stop strip"
    " submit swim top transfer transmit transit trap win wrap drop permit admit equip lag log plug skip"
    " swap tap trim unplug drag grab hum nod zip"
) - {"box"}

NOUNISH = word_set(
    "account act address advance age aid aim appeal approach attack attempt award back balance ban base"
    " battle benefit block book border brand campaign care cast catalog cause center centre challenge"
    " champion change charge chart check claim coach command comment contact contest contract control"
    " copy cost cover craft credit cross dance date debate debut deal defeat delay delegate demand"
    " deposit design desire detail display document doubt draft drink drive drop end engineer estimate"
    " exchange exercise exhibit experience experiment export face favor favour fear feature field figure"
    " file film filter fire flow focus force form function fund gain grace grant guard guarantee guide"
    " harm harvest head heat help highlight honor honour hope host house hunt impact import increase"
    " influence interest interview issue judge label land last laugh launch lecture level license lift"
    " like limit link list loan lobby lock look love march mark market master match matter measure"
    " mentor mine monitor mount move murder name need note notice number object offer orbit order own"
    " pack paint park partner patent patrol peak permit photograph pick pilot pioneer place plan plant"
    " play pledge point position post practice praise present press pressure print process produce"
    " profile program progress project promise protest pump purchase question quote race range rank rate"
    " read record reform regard register reign release remark rent repair report request research rescue"
    " reserve respect rest result return review reward ride ring rise rival rule run sample scale"
    " schedule score scout screen search seal sense sentence set shape share shift ship shock show sign"
    " signal sketch sleep smell smile smoke spot spread spring staff stage stain star start state"
    " station stay stem step store strain stream stress stretch strike strip structure struggle study"
    " style suit supply support surface surprise survey suspect switch talk target taste term test tie"
    " top total touch tour trace track trade train transfer transition transport trap travel treat"
    " trigger triumph trouble trust turn update upgrade use value venture view visit voice volunteer"
    " vote wait walk want waste watch welcome win wish witness work worship wound yield abuse answer"
    " author call advocate associate graduate aspect lead mean spell"
)
"""Verbs whose base and -s form are as often a noun."""

ACTIVE = word_set(
    "served moved worked became died lived returned retired remained continued participated graduated"
    " studied competed appeared debuted emigrated immigrated migrated arrived resided began grew went"
    " came rose fell collaborated contributed specialized specialised succeeded resigned emerged"
    " struggled travelled traveled toured performed starred went spoke"
)
"""Pasts that are not read as sharing a passive `was` before them."""


def _past(base: str) -> str:
    if base in _DOUBLING:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeiou" else base + "ed"


def _present(base: str) -> str:
    if base == "have":
        return "has"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _gerund(base: str) -> str:
    if base in _DOUBLING:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return (base[:-1] if base.endswith("e") and not base.endswith(("ee", "ye")) else base) + "ing"


_TRIPLES = [tuple(entry.split(":")) for entry in _IRREGULAR.split()]
_ODD = {base: (past, done) for base, past, done in _TRIPLES}
_BASES = tuple(dict.fromkeys([*_REGULAR.split(), *_ODD]))

BASE_FORMS = frozenset(_BASES)
PRESENT = {_present(base): base for base in _BASES}
PAST = {_ODD[base][0] if base in _ODD else _past(base): base for base in _BASES}
DONE = {_ODD[base][1] if base in _ODD else _past(base): base for base in _BASES} | {"born": "bear"}
ING = {_gerund(base): base for base in _BASES}
"""`becoming` to `become`, and so on."""
ONLY_PAST = PAST.keys() - DONE.keys() - BASE_FORMS
ONLY_DONE = DONE.keys() - PAST.keys() - BASE_FORMS


def base_of(word: str) -> str:
    """The base of a verb's form, or the word itself."""
    return PRESENT.get(word) or PAST.get(word) or DONE.get(word) or ING.get(word) or word


def finite(participle: str, *, past: bool, plural: bool = False) -> str:
    """`becoming` as `became`, `becomes` or `become`; other words are given back after `is` or `was`."""
    base = ING.get(participle)
    if base is None:
        return f"{'was' if past else 'are' if plural else 'is'} {participle}"
    if past:
        return _ODD[base][0] if base in _ODD else _past(base)
    return base if plural else _present(base)
