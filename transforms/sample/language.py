"""A language's phrases become texts, and a text becomes the pieces in which a model streams it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

import msgspec

from transforms.sample.vocabulary import MAKERS, SNIPPETS, WORDS

MIN_SENTENCES: Final = 6
MAX_SENTENCES: Final = 30
PARAGRAPH_SENTENCES: Final = 4

_SPACED: Final = tuple(re.compile(rf"(?:\s*\S{{1,16}}){{1,{words}}}") for words in (1, 2))
_UNSPACED: Final = tuple(re.compile(rf".{{{low},{high}}}|.+", re.DOTALL) for low, high in ((3, 4), (4, 6)))


class Language(msgspec.Struct, frozen=True):
    """The phrases of one language; ``{slots}`` are filled from the person, the words, or the common vocabulary.

    Args:
        asks: what a user asks, by domain (support, travel, coding).
        tells: what an agent says about it, by domain.
        facts: what users tell about themselves, worth remembering in a later conversation.
        names: first and family name as one string.
        words: slot name to the words of this language.
        has_spaces: words are separated by spaces; otherwise a piece is a few characters.
    """

    code: str
    asks: Mapping[str, Sequence[str]]
    tells: Mapping[str, Sequence[str]]
    facts: Sequence[str]
    opens: Sequence[str]
    advises: Sequence[str]
    thinks: Sequence[str]
    closes: Sequence[str]
    retries: Sequence[str]
    names: Sequence[str]
    words: Mapping[str, Sequence[str]]
    has_spaces: bool = True


class Slots(dict[str, str]):
    """What fills the slots: the entries stay the same through a conversation, every other slot is drawn anew."""

    def __init__(self, rng: Random, language: Language, entries: Mapping[str, str]) -> None:
        super().__init__(entries)
        self._rng = rng
        self._words = language.words

    def __missing__(self, key: str) -> str:
        maker = MAKERS.get(key)
        if maker is not None:
            return maker(self._rng)
        return self._rng.choice(self._words.get(key) or WORDS[key])


def ask(rng: Random, language: Language, domain: str, slots: Slots) -> str:
    """Return a user's message: one question, and now and then a fact about the user."""
    question = rng.choice(language.asks[domain]).format_map(slots)
    if rng.random() < 0.25:
        return f"{question} {rng.choice(language.facts).format_map(slots)}"
    return question


def answer(rng: Random, language: Language, domain: str, slots: Slots) -> str:
    """Return an agent's answer: paragraphs of sentences; in the coding domain often with a piece of code."""
    tells = language.tells[domain]
    middle = [
        rng.choice(tells if rng.random() < 0.7 else language.advises)
        for _ in range(rng.randint(MIN_SENTENCES, MAX_SENTENCES))
    ]
    sentences = [rng.choice(language.opens), *middle, rng.choice(language.closes)]
    paragraphs = [
        " ".join(sentences[start : start + PARAGRAPH_SENTENCES]).format_map(slots)
        for start in range(0, len(sentences), PARAGRAPH_SENTENCES)
    ]
    if domain == "coding" and rng.random() < 0.6:
        paragraphs.insert(1, rng.choice(SNIPPETS).replace("NAME", slots["function"]).replace("N0", slots["n"]))
    return "\n\n".join(paragraphs)


def thought(rng: Random, language: Language, slots: Slots) -> str:
    """Return what an agent thinks before it answers: two to six short sentences."""
    return " ".join(rng.choices(language.thinks, k=rng.randint(2, 6))).format_map(slots)


def pieces(rng: Random, text: str, *, has_spaces: bool = True) -> list[str]:
    """Return the text in token-like pieces, in order; they join to the text.

    >>> pieces(Random(1), "one idea a file", has_spaces=True)
    ['one', ' idea', ' a', ' file']
    """
    pattern = rng.choice(_SPACED if has_spaces else _UNSPACED)
    found: list[str] = pattern.findall(text)
    return found
