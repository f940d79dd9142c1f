"""A seed and a number become a user: a tenant, a language, and invented personal data that stay with the user."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

import msgspec

from transforms.sample.english import ENGLISH
from transforms.sample.german import GERMAN
from transforms.sample.japanese import JAPANESE
from transforms.sample.korean import KOREAN
from transforms.sample.language import Language
from transforms.sample.spanish import SPANISH
from transforms.sample.vocabulary import FIRST_NAMES_LATIN, WORDS

TENANTS: Final = ("acme", "globex", "initech", "umbra")
LANGUAGES: Final = (ENGLISH, ENGLISH, ENGLISH, GERMAN, SPANISH, KOREAN, JAPANESE)
STREETS: Final = ("Sample Street", "Elm Court", "Muster Lane", "Harbour Row", "Placeholder Road", "Mill Yard")

_STICKY: Final = ("allergy", "pet", "pet_name", "preference")


class Person(msgspec.Struct, frozen=True):
    """Who talks to an agent.

    Args:
        facts: slot name to what is true of this person: name, email, phone, street, home, allergy, pet, …
    """

    user_id: str
    tenant_id: str
    language: Language
    facts: Mapping[str, str]


def invent_person(seed: int, number: int) -> Person:
    """Return the user of this number; nothing but the seed and the number decides who that is.

    Addresses end in ``example.com`` (RFC 2606) and numbers begin with ``+1-555``: nobody is reached by them.
    """
    rng = Random(f"{seed}/person/{number}")
    language = rng.choice(LANGUAGES)
    facts = {word: rng.choice(language.words[word]) for word in _STICKY}
    facts |= {
        "name": rng.choice(language.names),
        "email": f"{rng.choice(FIRST_NAMES_LATIN)}.{number}{rng.choice('abcdefgh')}@example.com",
        "phone": f"+1-555-{rng.randint(200, 989)}-{rng.randint(0, 9_999):04d}",
        "street": f"{rng.randint(1, 240)} {rng.choice(STREETS)}",
        "home": rng.choice(WORDS["city"]),
    }
    facts.setdefault("child", rng.choice(language.words["child"]) if "child" in language.words else facts["pet_name"])
    return Person(f"user-{number:05d}", TENANTS[number % len(TENANTS)], language, facts)
