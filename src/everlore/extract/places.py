"""Places that exclude each other: who lives in one town does not live in another.

A town may lie in a country and a quarter in a town, so a place that is not known here contradicts nothing. Towns that
many take for a part of a larger one (Salford, Jersey City) are left out.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from everlore.extract.lexicon import CITIES, COUNTRIES

_NAMES = """
    aberdeen, belfast, birmingham, brighton, bristol, cardiff, coventry, derry, dundee, exeter, glasgow, hull,
    inverness, leeds, leicester, liverpool, newcastle, norwich, nottingham, plymouth, sheffield, southampton,
    swansea, york, cork, galway, limerick, waterford, kilkenny, sligo, aachen, augsburg, bamberg, bielefeld, bochum,
    bonn, braunschweig, bremen, chemnitz, cottbus, darmstadt, dortmund, dresden, duisburg, düsseldorf, dusseldorf,
    erfurt, erlangen, essen, flensburg, freiburg, gera, göttingen, halle, hanover, heidelberg, heilbronn,
    ingolstadt, jena, karlsruhe, kassel, kiel, koblenz, konstanz, leipzig, lübeck, magdeburg, mainz, mannheim,
    münster, nuremberg, oldenburg, osnabrück, paderborn, passau, potsdam, regensburg, rostock, saarbrücken,
    schwerin, trier, tübingen, ulm, weimar, wiesbaden, wolfsburg, wuppertal, würzburg, graz, linz, salzburg,
    innsbruck, klagenfurt, villach, wels, bregenz, basel, bern, lausanne, lucerne, lugano, st. gallen, winterthur,
    aarau, fribourg, sion, aix-en-provence, amiens, angers, avignon, besançon, bordeaux, brest, caen, cannes,
    clermont-ferrand, dijon, grenoble, le havre, lille, limoges, metz, montpellier, mulhouse, nancy, nantes, nice,
    nîmes, orléans, perpignan, poitiers, reims, rennes, rouen, strasbourg, toulon, toulouse, tours, antwerp, bruges,
    charleroi, ghent, leuven, liège, mechelen, mons, namur, ostend, arnhem, breda, delft, eindhoven, enschede,
    groningen, haarlem, leiden, maastricht, nijmegen, rotterdam, the hague, tilburg, utrecht, luxembourg, bari,
    bergamo, bologna, bolzano, brescia, cagliari, catania, florence, genoa, lecce, lucca, modena, padua, palermo,
    parma, perugia, pisa, ravenna, rimini, siena, syracuse, trento, treviso, trieste, turin, udine, venice, verona,
    alicante, bilbao, cádiz, córdoba, gijón, girona, granada, la coruña, las palmas, león, málaga, murcia, oviedo,
    pamplona, salamanca, san sebastián, santander, seville, tarragona, toledo, valencia, valladolid, vigo, zaragoza,
    aveiro, braga, coimbra, évora, faro, funchal, setúbal, aalborg, aarhus, esbjerg, odense, bergen, bodø,
    kristiansand, stavanger, tromsø, trondheim, gothenburg, linköping, lund, malmö, umeå, uppsala, örebro, oulu,
    tampere, turku, reykjavik, tallinn, tartu, riga, kaunas, vilnius, białystok, gdańsk, gdynia, katowice, kraków,
    lublin, łódź, poznań, szczecin, wrocław, brno, olomouc, ostrava, plzeň, bratislava, košice, debrecen, pécs,
    szeged, ljubljana, maribor, dubrovnik, rijeka, split, zadar, zagreb, belgrade, novi sad, sarajevo, skopje,
    tirana, podgorica, pristina, plovdiv, sofia, varna, bucharest, cluj, iași, sibiu, timișoara, chișinău, corfu,
    heraklion, patras, thessaloniki, ankara, antalya, bursa, izmir, konya, nicosia, minsk, kharkiv, kyiv, lviv,
    odessa, kazan, novosibirsk, saint petersburg, sochi, tbilisi, yerevan, baku, almaty, astana, tashkent, bishkek,
    albany, albuquerque, anchorage, ann arbor, asheville, augusta, baltimore, baton rouge, bend, billings, boise,
    boulder, buffalo, burlington, charleston, charlotte, chattanooga, cincinnati, cleveland, columbus, des moines,
    duluth, el paso, eugene, fargo, fresno, grand rapids, green bay, honolulu, indianapolis, jacksonville, kansas
    city, knoxville, las vegas, lexington, lincoln, little rock, los angeles, louisville, madison, memphis,
    milwaukee, missoula, mobile, montgomery, new orleans, new york, norfolk, oklahoma city, omaha, orlando,
    pittsburgh, providence, raleigh, reno, richmond, rochester, sacramento, salt lake city, san antonio, san diego,
    san francisco, san jose, santa fe, savannah, spokane, st. louis, tacoma, tallahassee, tampa, topeka, tucson,
    tulsa, wichita, calgary, edmonton, halifax, kelowna, kingston, london, ottawa, regina, saskatoon, victoria,
    winnipeg, cancún, guadalajara, mérida, mexico city, monterrey, oaxaca, puebla, tijuana, havana, san juan,
    bogotá, cali, cartagena, medellín, caracas, quito, guayaquil, lima, cusco, la paz, santiago, valparaíso, buenos
    aires, mendoza, rosario, montevideo, asunción, brasília, curitiba, florianópolis, fortaleza, manaus, porto
    alegre, recife, rio de janeiro, salvador, são paulo, guatemala city, managua, panama city, san salvador,
    tegucigalpa, abuja, accra, addis ababa, algiers, alexandria, bamako, cape town, casablanca, dakar, dar es
    salaam, durban, harare, ibadan, johannesburg, kampala, kigali, kinshasa, luanda, lusaka, maputo, marrakesh,
    mombasa, pretoria, rabat, tunis, windhoek, abu dhabi, amman, baghdad, beirut, damascus, doha, haifa, jeddah,
    jerusalem, kuwait city, manama, muscat, riyadh, tehran, tel aviv, ahmedabad, bangalore, bhopal, chandigarh,
    chennai, goa, hyderabad, indore, jaipur, kochi, kolkata, lucknow, mysore, nagpur, pune, surat, varanasi,
    karachi, lahore, islamabad, dhaka, colombo, kathmandu, chengdu, chongqing, dalian, guangzhou, hangzhou, harbin,
    kunming, nanjing, ningbo, qingdao, shenzhen, suzhou, tianjin, wuhan, xiamen, xi'an, hong kong, macau, kaohsiung,
    taichung, tainan, busan, daegu, daejeon, incheon, fukuoka, hiroshima, kanazawa, kobe, nagasaki, nagoya, naha,
    nara, niigata, okayama, sapporo, sendai, yokohama, chiang mai, phuket, hanoi, da nang, ho chi minh city, phnom
    penh, siem reap, vientiane, yangon, kuala lumpur, penang, bandung, denpasar, surabaya, yogyakarta, cebu, davao,
    ulaanbaatar, adelaide, brisbane, cairns, canberra, darwin, hobart, perth, auckland, christchurch, dunedin,
    hamilton, queenstown, wellington
"""
_ALIASES = {
    "munchen": "munich", "koln": "cologne", "wien": "vienna", "roma": "rome", "milano": "milan",
    "nurnberg": "nuremberg", "torino": "turin",
    "hannover": "hanover", "kiev": "kyiv", "odesa": "odessa", "bengaluru": "bangalore", "saigon": "ho chi minh city",
    "st. petersburg": "saint petersburg", "new york city": "new york", "nyc": "new york", "sf": "san francisco",
    "la": "los angeles", "praha": "prague", "lisboa": "lisbon", "geneve": "geneva", "napoli": "naples",
}  # fmt: skip


def same_place(one: str, two: str) -> bool:
    return _plain(one) == _plain(two)


def place_class(place: str) -> str:
    name = _plain(place)
    return "country" if name in COUNTRIES else "city" if name in TOWNS else "unknown"


@lru_cache(maxsize=4096)
def _plain(place: str) -> str:
    """One spelling for each place: small letters without accents, as it is called in English."""
    decomposed = unicodedata.normalize("NFKD", place.lower()).translate(_STROKES)
    name = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _ALIASES.get(name, name)


_STROKES = str.maketrans({"ø": "o", "ł": "l", "ß": "ss"})
TOWNS = CITIES | frozenset(_plain(" ".join(name.split())) for name in _NAMES.split(","))
