"""What people say of themselves in German, French, Italian and Spanish."""

from __future__ import annotations

from typing import get_args

import pytest

from everlore.extract import slots
from everlore.extract.categories import told_of
from everlore.extract.languages import LANGUAGES, Language, halves, said_in
from everlore.extract.prompts import Category


def quoted(words: str) -> str:
    return f'Alice said: "{words}"'


@pytest.mark.parametrize(
    ("words", "category", "slot"),
    [
        ("Hallo, ich heiße Peter.", "identity", "alice: name"),
        ("Ich wohne in Frankfurt am Main.", "home", "alice: lives in"),
        ("Seit 2020 wohne ich in St. Pölten.", "home", "alice: lives in"),
        ("Ich bin letzte Woche von Salzburg nach Wien gezogen.", "home", "alice: lives in"),
        ("Ich arbeite als Krankenpfleger beim LKH Graz.", "work", "alice: works at"),
        ("Ich bin Softwareentwicklerin.", "work", "alice: job"),
        ("Meine Frau heißt Anna.", "family", "alice's wife: name"),
        ("Ich bin allergisch gegen Nüsse.", "health", "alice: is allergic to nüsse"),
        ("Ich habe eine Nussallergie.", "health", ""),
        ("Ich mag keinen Kaffee.", "preference", "alice: likes kaffee"),
        ("Bonjour, je m'appelle Luc.", "identity", "alice: name"),
        ("J'habite à Aix-en-Provence depuis 2019.", "home", "alice: lives in"),
        ("Je travaille comme infirmier chez Sanofi.", "work", "alice: works at"),
        ("Je suis infirmière à Lyon.", "work", "alice: job"),
        ("Ma femme s’appelle Marie.", "family", "alice's wife: name"),
        ("Je suis allergique aux noix.", "health", "alice: is allergic to noix"),
        ("J'adore le fromage.", "preference", "alice: likes fromage"),
        ("Mi chiamo Luca.", "identity", "alice: name"),
        ("Abito a Milano con mia moglie.", "home", "alice: lives in"),
        ("Faccio l'infermiere.", "work", "alice: job"),
        ("Il mio cane si chiama Fido.", "family", "alice's dog: name"),
        ("Sono allergico alle noci.", "health", "alice: is allergic to noci"),
        ("Non mi piace il caffè.", "preference", "alice: likes caffè"),
        ("Me llamo Ana.", "identity", "alice: name"),
        ("Vivo en La Paz con mi perro.", "home", "alice: lives in"),
        ("Trabajo como enfermera en Sanitas.", "work", "alice: job"),
        ("Mi marido se llama Luis.", "family", "alice's husband: name"),
        ("Soy alérgica a las nueces.", "health", "alice: is allergic to nueces"),
        ("Ya no me gusta el café.", "preference", "alice: likes café"),
        ("Tengo 35 años.", "identity", "alice: age"),
    ],
)
def test_a_plain_statement_has_its_place(words: str, category: str, slot: str) -> None:
    told = told_of(quoted(words), "Alice")
    assert told is not None
    assert told.category == category
    assert slots.about(quoted(words), "Alice") == slot


@pytest.mark.parametrize(
    "words",
    [
        "Wenn ich in Paris wohnen würde, wäre ich glücklich.",
        "Ich würde gern in Rom wohnen.",
        "Ich wohne diese Woche in Linz.",
        "Ich wohne in Linz, aber nur im Sommer.",
        "Ich wohne in Untermiete.",
        "Ich heiße dich willkommen.",
        "Ich bin müde.",
        "Ich bin gespannt.",
        "Ich liebe dich.",
        "Ich mag das.",
        "Er sagt, ich wohne in Rom.",
        "Mein Bruder ist ein schrecklicher Koch.",
        "J'aimerais vivre à Rome.",
        "Si j'habitais à Paris, je serais content.",
        "Je viens de manger.",
        "Je suis de retour.",
        "J'aime bien ça.",
        "Non mi chiamo Luca.",
        "Vorrei vivere a Roma.",
        "Sono di fretta.",
        "Me gustaría vivir en Roma.",
        "Si viviera en Roma sería feliz.",
        "Me gusta esto.",
    ],
)
def test_a_wish_a_doubt_and_a_moment_have_none(words: str) -> None:
    assert said_in(words) is None
    assert told_of(quoted(words), "Alice") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ich wohne in Graz.", "Ich wohne jetzt in Wien."),
        ("Ich wohne in Graz.", "Ich wohne nicht mehr in Graz."),
        ("Ich arbeite bei Siemens.", "Ich arbeite jetzt bei BMW."),
        ("Ich bin Lehrer.", "Ich bin jetzt Ingenieur."),
        ("Ich mag Kaffee.", "Ich mag keinen Kaffee mehr."),
        ("Ich bin allergisch gegen Nüsse.", "Ich bin nicht mehr allergisch gegen Nüsse."),
        ("Ich bin Vegetarierin.", "Ich bin keine Vegetarierin mehr."),
        ("J'habite à Lyon.", "J'ai déménagé à Paris."),
        ("J'aime le café.", "Je n'aime plus le café."),
        ("Vivo a Milano.", "Mi sono trasferito a Roma."),
        ("Mi piace il caffè.", "Non mi piace più il caffè."),
        ("Vivo en Madrid.", "Me mudé a Barcelona."),
        ("Soy vegano.", "Ya no soy vegano."),
    ],
)
def test_a_later_word_ends_an_earlier_one(old: str, new: str) -> None:
    slot = slots.about(quoted(old), "Alice")
    assert slots.ends(quoted(new), quoted(old), slot)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Alice lives in Vienna.", quoted("Ich wohne in Wien.")),
        (quoted("Ich wohne in Wien."), "Alice lives in Vienna."),
        (quoted("Ich wohne in Graz und arbeite bei Siemens."), quoted("Ich wohne jetzt in Wien.")),
        (quoted("Mein Hund heißt Rex."), quoted("Mein Hund heißt Bello.")),
        (quoted("Ich wohne in Graz."), quoted("Ich bin 2005 nach Wien gezogen.")),
    ],
)
def test_what_may_hold_together_does(old: str, new: str) -> None:
    assert not slots.ends(new, old, slots.about(old, "Alice"), told=1_780_000_000_000)


def test_one_place_in_two_languages() -> None:
    old = "Alice lives in Vienna."
    assert slots.ends(quoted("Ich wohne jetzt in Berlin."), old, slots.about(old, "Alice"))


def test_two_statements_in_one_sentence() -> None:
    assert halves("Hallo, ich heiße Peter und wohne in Graz.") == ["Ich heiße Peter.", "Ich wohne in Graz."]
    assert halves("Je m'appelle Luc et j'habite à Lyon.") == ["Je m'appelle Luc.", "J'habite à Lyon."]
    assert halves("Ich liebe Bergsteigen und Kaffee.") == ["Ich liebe Bergsteigen und Kaffee."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_belongs_to_a_place_of_the_profile(language: Language) -> None:
    assert language.forms
    assert {category for category, _, _ in language.forms if category} <= set(get_args(Category))
    assert all(category or slot for category, slot, _ in language.forms), "what is not listed ends something"


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("Ich wohne in Graz.", True),
        ("Ich wohne in Graz, wenn ich dort bin.", False),
        ("J'habite à Lyon.", True),
        ("Vivo a Roma.", True),
        ("Vivo en Madrid.", True),
        ("I live in Rome.", False),
    ],
)
def test_a_form_reads_a_whole_clause(words: str, read: bool) -> None:
    found = [form for language in LANGUAGES if language.opens.match(words) for _, _, form in language.forms]
    assert any(form.match(words) for form in found) is read
