"""Texts and their pieces."""

from random import Random

import pytest

from transforms.sample.language import Slots, answer, ask, pieces, thought
from transforms.sample.person import LANGUAGES, invent_person

DOMAINS = ("support", "travel", "coding")


@pytest.mark.parametrize("language", LANGUAGES[2:], ids=lambda language: language.code)
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_slot_can_be_filled_and_pieces_join_to_the_text(language, domain):
    rng = Random(1)
    facts = dict(invent_person(1, 1).facts)
    for _ in range(60):
        slots = Slots(rng, language, facts)
        for text in (
            ask(rng, language, domain, slots),
            answer(rng, language, domain, slots),
            thought(rng, language, slots),
        ):
            assert "{" not in text or "```" in text
            assert "".join(pieces(rng, text, has_spaces=language.has_spaces)) == text


@pytest.mark.parametrize("language", LANGUAGES[2:], ids=lambda language: language.code)
def test_every_phrase_can_be_filled(language):
    rng = Random(2)
    slots = Slots(rng, language, dict(invent_person(1, 1).facts))
    groups = [*language.asks.values(), *language.tells.values(), language.facts, language.opens, language.advises]
    for phrase in (
        phrase for group in [*groups, language.thinks, language.closes, language.retries] for phrase in group
    ):
        assert phrase.format_map(slots)


def test_a_user_stays_the_same():
    assert invent_person(3, 14) == invent_person(3, 14)
    assert invent_person(3, 14).facts["email"] != invent_person(4, 14).facts["email"]
