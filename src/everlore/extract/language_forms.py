"""How people speak of themselves in German, French, Italian and Spanish: the forms that `languages` reads.

Each row is a place in the profile, a slot and a form. "not" before a slot says that something is over, "+" and "-" are
likes and states that hold or do not; where no slot is named, the statement is only listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

Form = tuple[str, str, re.Pattern[str]]


class Language:
    """A language. Its forms are compiled with the first statement in it: most users need one, and a start none."""

    def __init__(self, opens: str, joint: str, end: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """`opens` is how a statement about oneself begins, so that most others are not looked at further.

        `end` is what may follow a value so that the statement still stands as it is.
        """
        self.opens = re.compile(rf"^(?:{opens})", re.IGNORECASE)
        self.joint = re.compile(joint, re.IGNORECASE)
        self._end = end
        self._rows = rows

    @cached_property
    def forms(self) -> Sequence[Form]:
        return [
            (category, slot, re.compile(f"^(?:{form}){_HOLDS}{self._end}", re.IGNORECASE))
            for category, slot, form in self._rows
        ]


_UPPER = "A-ZÀ-ÖØ-Þ"
_WORD = rf"(?-i:[{_UPPER}])[\w'’&-]*(?:\.(?=[\w ]))?"
_LINK = r"(?:a[mn]|an der|ob der|im|de(?:l|lla|gli|i|s)?|di|du|la|le|les|las|los|y|und|sur|en|of)"
_PROPER = rf"(?P<v>{_WORD}(?:(?: {_LINK})? {_WORD})*)"
_THING = r"(?P<v>[\w'’-]+(?: [\w'’-]+){0,2}?)"
_HOLDS = r"(?!,? (?:aber |mais |ma |pero )?(?:nur|seulement|solo|sólo|wenn|si|se|quand|quando|cuando|bis)\b)"

_DE_NOW = (
    r"(?:jetzt|nun|derzeit|aktuell|momentan|mittlerweile|inzwischen|schon|auch|übrigens|seit (?:\d{4}|kurzem|januar"
    r"|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|einem (?:jahr|monat)"
    r"|\w+ (?:jahren|monaten|wochen)))"
)


def _ich(verb: str) -> str:
    """ "Ich wohne jetzt", "jetzt wohne ich", and "wohne" after "und"."""
    return rf"(?:ich {verb}|{_DE_NOW} {verb} ich|{verb})(?: {_DE_NOW})*"


_DE_JOBS = (
    r"\w*(?:lehrer|pfleger|ingenieur|entwickler|programmierer|student|architekt|bäcker|mechaniker|elektriker|tischler"
    r"|designer|journalist|buchhalter|berater|verkäufer|polizist|techniker|therapeut|wissenschaftler|forscher"
    r"|professor|friseur|künstler|musiker|fotograf|landwirt|apotheker|erzieher|informatiker|physiker|chemiker"
    r"|biologe|psychologe|maler|schauspieler|autor|übersetzer|installateur)(?:in)?"
    r"|\w*(?:ärztin|arzt|anwältin|anwalt|köchin|koch|krankenschwester|hebamme|biologin|psychologin|bäuerin|bauer)"
)
_GERMAN = Language(
    rf"ich|meine?|hei(?:ß|ss)e|wohne|lebe|arbeite|bin|mag|liebe|hasse|habe|trinke|esse|{_DE_NOW}",
    r",? und ",
    rf"(?=[.!]*$|,? (?:und|aber|weil)\b|,| (?:seit|mit|zusammen|gemeinsam|als|{_DE_NOW})\b)",
    (
        ("identity", ": name", rf"(?:{_ich('hei(?:ß|ss)e')}|mein name ist) {_PROPER}"),
        (
            "home",
            ": lives in",
            rf"{_ich('(?:wohne|lebe)')} in (?:der )?(?!Miete|Untermiete|Trennung|Sorge|Angst|Scheidung){_PROPER}",
        ),
        (
            "home",
            ": lives in",
            rf"{_ich('bin')}(?: (?:letzt\w+|vor) [\w ]{{2,20}}?)? (?:(?:von|aus) \w+ )?nach {_PROPER} (?:um)?gezogen",
        ),
        ("", "not: lives in", rf"{_ich('(?:wohne|lebe)')} nicht(?: mehr)? in (?:der )?{_PROPER}"),
        ("work", ": works at", rf"{_ich('arbeite')}(?: als \w+)? (?:bei(?:m| der)?|für) (?!Nacht|Bedarf){_PROPER}"),
        ("", "not: works at", rf"{_ich('arbeite')} nicht(?: mehr)? (?:bei(?:m| der)?|für) {_PROPER}"),
        ("work", ": job", rf"{_ich('arbeite')} als (?P<v>\w+)(?: (?:bei|in|an|für) [\w -]{{2,40}}?)?"),
        ("work", ": job", rf"{_ich('bin')} (?:eine? )?(?P<v>{_DE_JOBS})(?: (?:bei|in|an|von beruf) ?[\w -]{{0,40}}?)?"),
        ("work", "", rf"{_ich('(?:studiere|arbeite)')} (?:in (?:der )?)?{_PROPER}"),
        ("family", "'s kin: name", rf"meine? (?P<kin>\w+) hei(?:ß|ss)t {_PROPER}"),
        (
            "family",
            "state",
            rf"{_ich('bin')} (?:glücklich |frisch )?(?P<v>verheiratet|geschieden|verwitwet|ledig|single)",
        ),
        (
            "family",
            "",
            rf"{_ich('habe')} (?:eine?n?|zwei|drei|vier|fünf|\d) "
            r"(?:Kind(?:er)?|Söhne?|Sohn|Töchter|Tochter|Hunde?|Katzen?|Bruder|Brüder|Schwestern?|Geschwister)",
        ),
        ("identity", ": age", rf"{_ich('bin')} (?P<v>\d{{1,2}})(?: jahre(?: alt)?)?"),
        ("health", "+allergic", rf"{_ich('bin')} (?:stark |sehr )?allergisch (?:gegen|auf) {_THING}"),
        ("", "-allergic", rf"{_ich('bin')} (?:doch )?nicht(?: mehr)? allergisch (?:gegen|auf) {_THING}"),
        ("health", "state", rf"{_ich('bin')} (?P<v>vegan(?:er(?:in)?)?|vegetari(?:er(?:in)?|sch)|schwanger)"),
        (
            "",
            "-state",
            rf"{_ich('bin')} (?:nicht(?: mehr)?|keine?) (?P<v>vegan(?:er(?:in)?)?|vegetarier(?:in)?)(?: mehr)?",
        ),
        (
            "health",
            "",
            rf"{_ich('habe')} (?:eine? )?(?:\w*(?:allergie|intoleranz|unverträglichkeit)|diabetes|asthma|migräne"
            r"|zöliakie|epilepsie|bluthochdruck|depressionen|adhs)",
        ),
        ("health", "", rf"{_ich('(?:esse|trinke)')} keine?n? [\w-]+"),
        ("preference", "-likes", rf"{_ich('mag')} (?:keine?n? {_THING}(?: mehr)?|(?P<w>[\w-]+) nicht(?: mehr)?)"),
        ("preference", "+likes", rf"{_ich('(?:mag|liebe)')}(?: sehr)? {_THING}"),
        ("preference", "-likes", rf"{_ich('hasse')} {_THING}"),
        ("identity", "", r"mein geburtstag ist am \d[\w. ]{1,20}"),
        ("home", "", rf"{_ich('komme')} (?:ursprünglich )?aus (?:der )?{_PROPER}"),
    ),
)
_FR_NOW = r"(?:maintenant|désormais|actuellement|aussi|toujours|depuis \d{4}|depuis \w+ (?:ans?|mois))"
_FR_JOBS = (
    r"infirmi(?:er|ère)|professeure?|enseignante?|ingénieure?|développeu(?:r|se)|médecin|avocate?|étudiante?|architecte"
    r"|boulang(?:er|ère)|cuisini(?:er|ère)|journaliste|comptable|designer|graphiste|vendeu(?:r|se)|polici(?:er|ère)"
    r"|technicien(?:ne)?|psychologue|chercheu(?:r|se)|pharmacien(?:ne)?|coiffeu(?:r|se)|musicien(?:ne)?|photographe"
    r"|traduct(?:eur|rice)|dentiste|consultante?|agricult(?:eur|rice)|sage-femme|électricien(?:ne)?|mécanicien(?:ne)?"
)
_FRENCH = Language(
    rf"j['’]|je|mon|ma|{_FR_NOW}",
    r",? et ",
    rf"(?=[.!]*$|,? (?:et|mais|car)\b|,| (?:depuis|avec|comme|{_FR_NOW})\b)",
    (
        ("identity", ": name", rf"(?:je m['’]appelle|mon nom est|mon prénom est) {_PROPER}"),
        (
            "home",
            ": lives in",
            rf"(?:{_FR_NOW},? )?(?:j['’]habite|je vis)(?: {_FR_NOW})? (?:à|en|au|aux|dans le|dans la) {_PROPER}",
        ),
        ("home", ": lives in", rf"(?:j['’]ai déménagé|je me suis installée?) (?:à|en|au|aux) {_PROPER}"),
        ("", "not: lives in", rf"je (?:n['’]habite|ne vis) (?:plus|pas) (?:à|en|au|aux) {_PROPER}"),
        ("work", ": works at", rf"(?:{_FR_NOW},? )?je travaille(?: {_FR_NOW})?(?: comme \w+)? (?:chez|pour) {_PROPER}"),
        ("", "not: works at", rf"je ne travaille (?:plus|pas) (?:chez|pour) {_PROPER}"),
        ("work", ": job", rf"je travaille(?: {_FR_NOW})? comme (?P<v>\w+)(?: (?:à|en|au|dans) [\w' -]{{2,40}}?)?"),
        (
            "work",
            ": job",
            rf"je suis(?: {_FR_NOW})? (?:une? )?(?P<v>{_FR_JOBS})(?: (?:à|en|au|chez|dans) [\w' -]{{2,40}}?)?",
        ),
        ("work", "", rf"je travaille (?:à|au|en) {_PROPER}|j['’]étudie [\w' -]{{2,30}}?"),
        ("family", "'s kin: name", rf"(?:mon|ma) (?P<kin>\w+) s['’]appelle {_PROPER}"),
        ("family", "state", r"je suis (?P<v>mariée?|divorcée?|célibataire|veuf|veuve)"),
        (
            "family",
            "",
            r"j['’]ai (?:une?|deux|trois|quatre|\d) (?:enfants?|fils|filles?|chiens?|chats?|frères?|sœurs?)",
        ),
        ("identity", ": age", r"j['’]ai (?P<v>\d{1,2}) ans"),
        ("health", "+allergic", rf"je suis (?:très )?allergique (?:à la |à l['’]|aux? |à ){_THING}"),
        ("", "-allergic", rf"je ne suis (?:plus|pas) allergique (?:à la |à l['’]|aux? |à ){_THING}"),
        ("health", "state", r"je suis (?P<v>végan\w*|vegan\w*|végétarien(?:ne)?|enceinte)"),
        ("", "-state", r"je ne suis (?:plus|pas) (?P<v>végan\w*|vegan\w*|végétarien(?:ne)?)"),
        ("health", "", r"j['’]ai (?:du diabète|de l['’]asthme|des migraines|le diabète|une allergie [\w' ]{2,30})"),
        ("health", "", r"je ne (?:mange|bois) (?:pas|plus|jamais) (?:de |d['’])[\w-]+"),
        (
            "preference",
            "-likes",
            rf"(?:je n|j)['’]aime (?:pas|plus) {_THING}|je déteste (?P<w>[\w'’-]+(?: [\w'’-]+){{0,2}}?)",
        ),
        ("preference", "+likes", rf"j['’](?:aime(?: bien| beaucoup)?|adore) {_THING}"),
        ("home", "", rf"je (?:viens|suis) (?:de |d['’]|du ){_PROPER}"),
    ),
)
_IT_NOW = r"(?:ora|adesso|ormai|attualmente|anche|ancora|dal \d{4}|da \w+ (?:anni|mesi))"
_IT_JOBS = (
    r"infermier[ea]|insegnante|professor(?:e|essa)|ingegnere|sviluppat(?:ore|rice)|programmat(?:ore|rice)|medico"
    r"|dottor(?:e|essa)|avvocat[oa]|student(?:e|essa)|architett[oa]|panettiere|cuoc[oa]|giornalista|contabile|designer"
    r"|commess[oa]|tecnico|psicolog[oa]|ricercat(?:ore|rice)|farmacista|parrucchier[ea]|musicista|fotograf[oa]"
    r"|tradutt(?:ore|rice)|dentista|consulente|contadin[oa]|elettricista|meccanico|maestr[oa]"
)
_ITALIAN = Language(
    r"(?:io )?(?:mi|il mio|la mia|mi[oa]|vivo|abito|lavoro|sono|ho|amo|odio|adoro|non|faccio|studio|vengo)\b"
    rf"|{_IT_NOW}",
    r",? e ",
    rf"(?=[.!]*$|,? (?:e|ma|perché)\b|,| (?:dal|da|con|come|insieme|{_IT_NOW})\b)",
    (
        ("identity", ": name", rf"(?:mi chiamo|il mio nome è) {_PROPER}"),
        ("home", ": lives in", rf"(?:{_IT_NOW} )?(?:vivo|abito)(?: {_IT_NOW})? (?:a|ad|in) {_PROPER}"),
        ("home", ": lives in", rf"mi sono trasferit[oa] (?:a|ad|in) {_PROPER}"),
        ("", "not: lives in", rf"non (?:vivo|abito)(?: più)? (?:a|ad|in) {_PROPER}"),
        (
            "work",
            ": works at",
            rf"(?:{_IT_NOW} )?lavoro(?: {_IT_NOW})?(?: come \w+)? (?:presso|per|alla) (?:la |il )?{_PROPER}",
        ),
        ("", "not: works at", rf"non lavoro(?: più)? (?:presso|per|alla) (?:la |il )?{_PROPER}"),
        ("work", ": job", rf"(?:{_IT_NOW} )?lavoro(?: {_IT_NOW})? come (?P<v>\w+)(?: (?:a|in) [\w' -]{{2,40}}?)?"),
        (
            "work",
            ": job",
            rf"(?:sono(?: {_IT_NOW})? (?:un['’]? ?|una )?|faccio (?:l['’]|il |la ))(?P<v>{_IT_JOBS})"
            r"(?: (?:a|in) [\w' -]{2,40}?)?",
        ),
        ("work", "", rf"lavoro (?:a|in) {_PROPER}|studio [\w' -]{{2,30}}?"),
        ("family", "'s kin: name", rf"(?:il mio |la mia |mi[oa] )(?P<kin>\w+) si chiama {_PROPER}"),
        ("family", "state", r"sono (?P<v>sposat[oa]|divorziat[oa]|single|vedov[oa])"),
        (
            "family",
            "",
            r"ho (?:un[oa]?|due|tre|quattro|\d) "
            r"(?:figl[ioae]+|cane|cani|gatt[oiae]|fratell[oi]|sorell[ae]|bambin[ioae])",
        ),
        ("identity", ": age", r"ho (?P<v>\d{1,2}) anni"),
        ("health", "+allergic", rf"sono (?:molto )?allergic[oa] (?:al(?:la|le|lo|l['’])?|ai|agli|a) ?{_THING}"),
        ("", "-allergic", rf"non sono(?: più)? allergic[oa] (?:al(?:la|le|lo|l['’])?|ai|agli|a) ?{_THING}"),
        ("health", "state", r"sono (?P<v>vegan[oa]|vegetarian[oa]|incinta)"),
        ("", "-state", r"non sono(?: più)? (?P<v>vegan[oa]|vegetarian[oa])"),
        (
            "health",
            "",
            r"(?:ho il diabete|ho l['’]asma|sono (?:celiac[oa]|diabetic[oa]|asmatic[oa]|intollerante [\w' ]{2,30}))",
        ),
        ("health", "", r"non (?:mangio|bevo)(?: più)? (?!niente|nulla)[\w' ]{2,20}?"),
        ("preference", "-likes", rf"(?:non mi piac(?:e|ciono)(?: più)?|odio) {_THING}"),
        ("preference", "+likes", rf"(?:mi piac(?:e|ciono)(?: molto)?|amo|adoro) {_THING}"),
        ("home", "", rf"(?:vengo da|sono di) {_PROPER}"),
    ),
)
_ES_NOW = r"(?:ahora|actualmente|ya|también|todavía|desde \d{4}|desde hace \w+ (?:años?|meses))"
_ES_JOBS = (
    r"enfermer[oa]|maestr[oa]|profesora?|ingenier[oa]|desarrolladora?|programadora?|médic[oa]|abogad[oa]|estudiante"
    r"|arquitect[oa]|panader[oa]|cociner[oa]|periodista|contable|diseñadora?|vendedora?|policía|técnic[oa]|psicólog[oa]"
    r"|investigadora?|farmacéutic[oa]|peluquer[oa]|músic[oa]|fotógraf[oa]|traductora?|dentista|consultora?|agricultora?"
    r"|electricista|mecánic[oa]|camarer[oa]"
)
_SPANISH = Language(
    r"(?:yo )?(?:me|mi|vivo|nac[íi]|crec[íi]|soy|estoy|tengo|trabajo|estudio|odio|prefiero|detesto|no|amo|a m[íi])\b"
    rf"|{_ES_NOW}",
    r",? y ",
    rf"(?=[.!]*$|,? (?:y|pero|porque)\b|,| (?:desde|con|como|{_ES_NOW})\b)",
    (
        ("identity", ": name", rf"(?:me llamo|mi nombre es) {_PROPER}"),
        ("home", ": lives in", rf"(?:{_ES_NOW} )?(?:yo )?vivo(?: {_ES_NOW})? en {_PROPER}"),
        ("home", ": lives in", rf"me (?:mudé|mude|he mudado) a {_PROPER}"),
        ("", "not: lives in", rf"(?:ya )?no vivo en {_PROPER}"),
        ("work", ": works at", rf"(?:{_ES_NOW} )?trabajo(?: {_ES_NOW})?(?: como \w+)? para {_PROPER}"),
        ("", "not: works at", rf"(?:ya )?no trabajo (?:en|para) {_PROPER}"),
        ("work", ": job", rf"(?:{_ES_NOW} )?trabajo(?: {_ES_NOW})? (?:como|de) (?P<v>\w+)(?: en [\w' -]{{2,40}}?)?"),
        ("work", ": job", rf"(?:{_ES_NOW} )?(?:yo )?soy (?:un |una )?(?P<v>{_ES_JOBS})(?: en [\w' -]{{2,40}}?)?"),
        ("work", "", rf"(?:{_ES_NOW} )?trabajo en (?:el |la )?{_PROPER}|(?:yo )?estudio [\w' -]{{2,30}}?"),
        ("family", "'s kin: name", rf"mi (?P<kin>\w+) se llama {_PROPER}"),
        ("family", "state", r"(?:yo )?(?:estoy|soy) (?P<v>casad[oa]|divorciad[oa]|solter[oa]|viud[oa])"),
        ("family", "", r"(?:yo )?tengo (?:un|una|dos|tres|cuatro|\d+) (?:hij|perr|gat|herman)\w+"),
        ("identity", ": age", r"(?:yo )?tengo (?P<v>\d{1,2}) años"),
        ("health", "+allergic", rf"(?:yo )?soy (?:muy )?alérgic[oa] (?:al?|a l[oa]s?) {_THING}"),
        ("", "-allergic", rf"(?:ya )?no soy alérgic[oa] (?:al?|a l[oa]s?) {_THING}"),
        ("health", "state", r"(?:yo )?(?:soy|estoy) (?P<v>vegan[oa]|vegetarian[oa]|embarazada)"),
        ("", "-state", r"(?:ya )?no soy (?P<v>vegan[oa]|vegetarian[oa])"),
        (
            "health",
            "",
            r"(?:yo )?(?:soy|tengo) (?:muy )?(?:al[ée]rgi\w+[\w ]{0,30}?|diab[ée]ti\w+|diabetes|asma|asm[áa]tic[oa]"
            r"|cel[íi]ac[oa]|migrañas?|intoleran\w+[\w ]{0,30}?|hipertensi[óo]n)",
        ),
        ("health", "", r"(?:yo )?no (?:como|bebo|puedo (?:comer|beber)) [\w ]{2,20}?"),
        ("preference", "-likes", rf"(?:a m[íi] )?(?:(?:ya )?no me gustan?|odio|detesto) {_THING}"),
        ("preference", "+likes", rf"(?:a m[íi] )?(?:me (?:gustan?|encantan?)(?: mucho)?|amo) {_THING}"),
        ("preference", "", r"(?:yo )?prefiero [\w ]{2,40}?"),
        ("home", "", rf"(?:yo )?(?:nac[íi]|crec[íi]) en {_PROPER}|(?:yo )?soy de {_PROPER.replace('<v>', '<w>')}"),
        ("identity", "", r"mi cumpleaños es el [\w ]{3,25}?"),
    ),
)
LANGUAGES = (_GERMAN, _FRENCH, _ITALIAN, _SPANISH)
