"""Take texts apart: sentences, clauses, content words."""

from __future__ import annotations

import re


def word_list(text: str) -> frozenset[str]:
    """Return the words of a text, for lists that would else fill pages."""
    return frozenset(text.split())


_ABBREVIATIONS = (
    "e.g.",
    "i.e.",
    "etc.",
    "vs.",
    "Mr.",
    "Mrs.",
    "Ms.",
    "Dr.",
    "St.",
    "No.",
    "approx.",
)
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MARKUP = re.compile(r"\*\*|__|`+|^#{1,6}\s+|^>\s+", re.M)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)]|\(?[a-hA-H][.)])\s+")
_STOP_WORDS = word_list(
    """
    a an the this that these those it its is are was were be been being am i me my mine
    myself you your yours yourself we our us they them their he she his her and or but if
    then so as of to in on at for from with by about into not no do does did done can could
    will would shall should may might must have has had there here what which who whom whose
    when where why how any some all both each more most other such only own same than too
    very just also please let know want wants like need needs would prefer one ones okay ok
    yes sure thanks thank hello hi get got make made give go agent tell ask provide could
    confirm able information details detail help still
    """
)


def split_sentences(text: str) -> list[str]:
    """Split prose into sentences; dots in numbers, addresses and abbreviations do not end one."""
    held = text
    for number, abbreviation in enumerate(_ABBREVIATIONS):
        held = held.replace(abbreviation, f"{abbreviation[:-1]}\x00{number}\x01")
    pieces = re.split(r"(?<=[.!?])[\"”')]*\s+(?=[\"“'(]?[A-Z#\d$])|\s*\n+\s*", held)
    return [re.sub("\x00\\d+\x01", ".", piece).strip() for piece in pieces if piece.strip()]


def plain(text: str) -> str:
    """Return the text without Markdown emphasis, headings and quotation marks of blocks."""
    return _MARKUP.sub("", text)


def bullets(text: str) -> list[str]:
    """Return the entries of the lists in a text, without their marks."""
    lines = plain(text).splitlines()
    return [_BULLET.sub("", line).strip() for line in lines if _BULLET.match(line)]


def content_words(text: str) -> set[str]:
    """Return the stems of the words that carry meaning."""
    found = re.findall(r"[#$]?\w[\w.@-]*\w|\w", text.lower().replace("’", "'"))
    return {stem(word) for word in found if word not in _STOP_WORDS and len(word) > 1}


def stem(word: str) -> str:
    """Cut the endings that tell forms of one word apart; crude, but the same on both sides."""
    if not word.isalpha() or len(word) < 4:
        return word
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    return word.rstrip("e") if len(word) > 3 else word


def number_word(digits: str) -> str:
    """Return a small number in words, a larger one as it is."""
    return NUMBERS[int(digits)] if int(digits) < len(NUMBERS) else digits


def mentions(text: str, phrase: str) -> bool:
    """Does the text contain the phrase as whole words, in any case?"""
    return re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", text.lower()) is not None


def lower_first(text: str) -> str:
    """Lower the first letter, unless the word is a name, an id or "I"."""
    head = re.match(r"\w+(?:'\w+)?", text)
    word = head[0] if head else ""
    if word in ("I", "I'm", "I'd", "I've", "I'll") or (not word[1:].islower() and len(word) > 1):
        return text
    return text[:1].lower() + text[1:]


def as_sentence(text: str) -> str:
    """Start with a capital and end with a mark."""
    text = text.strip().rstrip(",;: ")
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")
