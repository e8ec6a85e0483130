"""How the scripted user puts things; varies with the trial's generator and the user's mood."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from pytest_taubench.users.scripted.lexicon import operations
from pytest_taubench.users.scripted.sentences import (
    as_sentence,
    lower_first,
    split_sentences,
    word_list,
)

_OPENINGS = ("Hi!", "Hello,", "Hi there,", "Hello!", "Good morning,", "Hey,", "")
_BRIEF_OPENINGS = ("", "Hi.", "Hello.", "Hi there.")
_WANT_TO = ("I want to", "I'd like to", "I would like to", "I need to")
_WANT = ("I want", "I'd like", "I would like")
_PLEASE = ("", "", "Could you please", "Can you please", "Would you please")
_CLOSINGS = ("Can you do that?", "Can you help me with that?", "Is that something you can do?")
_CLOSES = 0.3
# People do not use a shop's words. Only words that change nothing else in the sentence.
_SYNONYMS = (
    (
        re.compile(r"\b((?:to|please|and|want|I) )exchange (?=the|my|it|them|both|a)", re.I),
        r"\1swap ",
    ),
    (re.compile(r"\b((?:to|please|and) )return (?=the|my|both)", re.I), r"\1send back "),
    (re.compile(r"\b((?:to|please|and) )return (it|them)\b", re.I), r"\1send \2 back"),
    (re.compile(r"\b((?:to|please|and) )modify (?=the|my|it|them|both)", re.I), r"\1change "),
)
_ASKING = re.compile(r"\?|\b(?:please|want|need|should|would like|can|could|prefer)\b", re.I)
_OTHER_WORDS = 0.25
_TYPO = 0.12
_FILLERS = word_list(
    "please would could should really think about there their because maybe thanks hello morning "
    "something everything thing today where which these those that's getting another"
)
_PHRASES: dict[str, tuple[str, ...]] = {
    "hello": (
        "Hi, I need some help, please.",
        "Hello, can you help me with something?",
        "Good morning. I have a request.",
        "Hi there! Are you the one who can help me with my account?",
        "Hello. There is something I need your help with.",
        "Hey, is this the right place to ask for help?",
    ),
    "next": ("", "", "Also,", "Next,", "One more thing:", "There is something else."),
    "thanks": ("Thanks.", "Thank you.", "Great, thanks.", "Okay, thank you.", "Perfect."),
    "yes": ("Yes.", "Yes, please.", "Yes, go ahead.", "Yes, that's right.", "Yes, I confirm."),
    "no": ("No.", "No, that's not right.", "No, please don't.", "Wait, no."),
    "no_thanks": ("No, thank you.", "No thanks.", "No, that won't be necessary."),
    "before": ("Before you do that:", "One thing first:", "Just so you know before we go on:"),
    "instead": ("In that case:", "Hm, okay.", "I see.", "All right."),
    "accept": ("Okay, I understand.", "All right, then leave it.", "That's a pity, but okay."),
    "insist": (
        "I really need this.",
        "Can't you make an exception?",
        "I'm not happy with that. Please try again.",
        "Are you sure? Please check once more.",
    ),
    "unknown": (
        "I don't know that, sorry.",
        "I'm not sure, sorry.",
        "I don't remember.",
        "I don't have that at hand.",
    ),
    "look_up": ("Can you look it up?", "Could you check that in my account?", ""),
    "private": ("I'd rather not say.", "I prefer not to give that out."),
    "wait": ("Sure.", "Okay, take your time.", "All right, I'll wait."),
    "nudge": ("Are you still there?", "I don't follow.", "That doesn't help me much."),
    "bye": (
        "That's all, thank you. Bye!",
        "No, that's everything. Thanks for your help.",
        "Nothing else, thanks. Goodbye.",
        "That was all. Thank you!",
    ),
    "bye_refused": (
        "Then there is nothing to be done. Goodbye.",
        "Never mind, then. Bye.",
        "Too bad. That was all, goodbye.",
    ),
    "give_up": (
        "This is getting us nowhere. Goodbye.",
        "I'll try another time. Bye.",
        "I give up. Goodbye.",
    ),
    "repeat": ("As I said:", "Again:", "Like I said,"),
    "shorter": ("In short:", "To put it simply:", "Once more, briefly:"),
    "said_enough": (
        "I don't know how else to put it.",
        "I have told you what I want.",
        "It is still the same thing that I want.",
    ),
    "never_mind": ("Never mind that, then.", "Let's leave that, then.", "Forget about that one."),
    "leave": (
        "Then please leave it as it is.",
        "Then don't change anything, please.",
        "In that case leave it, please.",
    ),
    "pick": ("I'd take this one:", "This one, please:", "I'd like that one:"),
    "mean": ("I mean this one:", "It's this one:", "This one:"),
    "picked": ("As I said, that one:", "I have chosen already:", "Still the same one:"),
    "still_open": (
        "And what about this?",
        "You haven't mentioned this one yet:",
        "One part is missing:",
    ),
    "no_preference": ("I don't mind, whatever is fine.", "No preference there."),
}
_MOOD_PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("angry", "thanks"): ("Fine.", "Finally.", "About time."),
    ("angry", "insist"): ("That is not acceptable.", "This is ridiculous. Do it, please."),
    ("angry", "bye"): ("That's it. Bye.", "We're done here, then."),
    ("brief", "thanks"): ("Thanks.", "Ok.", "Good."),
    ("brief", "yes"): ("Yes.", "Yes, do it.", "Confirmed, yes."),
    ("brief", "bye"): ("That's all.", "Nothing else. Bye."),
    ("polite", "thanks"): ("Thank you very much.", "That's kind of you, thank you."),
    ("impatient", "wait"): ("Okay, but please be quick.", "Fine, hurry up please."),
}
_SMALL_TALK: dict[str, tuple[str, ...]] = {
    "angry": ("I'm really not in the mood for long explanations.",),
    "sad": ("It hasn't been a good week for me.", "Sorry, I'm a bit down today."),
    "anxious": ("I'm a bit worried about this.", "I hope this can be sorted out."),
    "chatty": ("Hope you're having a good day!", "What a day it has been here!"),
    "polite": ("I hope you're doing well.",),
    "impatient": ("I don't have much time.", "Please be quick, I have to leave soon."),
}


class Wording:
    """Puts what the user means into words.

    Args:
        generator: The trial's generator; the same seed gives the same words.
        mood: The user's moods.
    """

    def __init__(self, generator: random.Random, mood: Sequence[str]) -> None:
        self._random = generator
        self._mood = list(mood)
        self._last: dict[str, str] = {}

    def phrase(self, name: str) -> str:
        """Return one of the ways to say it, not the one used just before."""
        choices: tuple[str, ...] = _PHRASES[name]
        for mood in self._mood:
            choices = _MOOD_PHRASES.get((mood, name), choices)
        fresh = [choice for choice in choices if choice != self._last.get(name)]
        self._last[name] = self._random.choice(fresh or list(choices))
        return self._last[name]

    def says_unknown(self, text: str) -> bool:
        """Is the text one of the ways to say that one does not know?"""
        return text in _PHRASES["unknown"]

    def opening(self, request: str) -> str:
        """Return the first message: a greeting, perhaps small talk, the first request."""
        brief = "brief" in self._mood
        parts = [self._random.choice(_BRIEF_OPENINGS if brief else _OPENINGS)]
        talk = [line for mood in self._mood for line in _SMALL_TALK.get(mood, ())]
        if talk and self._random.random() < 0.4:
            parts = [part.replace(",", "!") for part in parts] + [self._random.choice(talk)]
        said = self.vary(request)
        if parts and parts[-1].endswith(","):
            said = lower_first(said)
        if not brief and not said.endswith("?") and self._random.random() < _CLOSES:
            said = f"{said} {self._random.choice(_CLOSINGS)}"
        return " ".join([*filter(None, parts), said])

    def vary(self, request: str) -> str:
        """Say a wish in one of the usual ways; what is wished stays the same."""
        want_to, want = self._random.choice(_WANT_TO), self._random.choice(_WANT)
        request = re.sub(r"^I(?:'d| would)? (?:want|like|wish) to\b", want_to, request)
        request = re.sub(r"^I want (?=my|the|a|an|it|both|order|each|every)\b", f"{want} ", request)
        lead = self._random.choice(_PLEASE)
        if lead and re.fullmatch(r"Please [^.?!;]*\.", request):
            request = f"{lead} {request[7:-1]}?"
        for pattern, instead in _SYNONYMS:
            if self._random.random() < _OTHER_WORDS:
                request = pattern.sub(instead, request)
        return request

    def typed(self, text: str) -> str:
        """Mistype a word now and then, but only one that carries no meaning."""
        words = [
            m
            for m in re.finditer(r"(?<![\w@#.'’-])[a-z]{5,}(?![\w@'’-]|\.\w)", text)
            if m[0] in _FILLERS
        ]
        if not words or self._random.random() >= _TYPO:
            return text
        word = self._random.choice(words)
        place = word.start() + self._random.randrange(1, len(word[0]) - 2)
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]

    def again(self, request: str, times: int = 1) -> str:
        """Say a wish again that was not understood: as it was, in short, or not at all."""
        if times <= 1:
            return f"{self.phrase('repeat')} {lower_first(request)}"
        if times == 2:
            return f"{self.phrase('shorter')} {lower_first(_gist(request))}"
        return self.phrase("said_enough")

    def following(self, request: str) -> str:
        """Return a further request with a connective."""
        lead = self.phrase("next")
        if re.match(r"I also|Also|Then|In that case|Can you also", request):
            lead = ""
        said = self.vary(request)
        return f"{lead} {lower_first(said) if lead.endswith((',', ':')) else said}".strip()

    def fact(self, slot: str, values: Sequence[str]) -> str:
        """State a fact about oneself."""
        value = " and ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)
        noun = slot.replace("_", " ").replace(" id", " ID")
        if slot == "reason":
            return _reason(value)
        if slot == "payment" and value.isdigit():
            value = f"card ending in {value}"
        if slot == "payment" and re.match(r"(?:what|the|my|original|same)\b", value, re.I):
            article = "the " if re.match(r"original|same", value, re.I) else ""
            return f"Please use {article}{value}."
        said = _plain_fact(slot, value)
        if said:
            return said
        templates = {
            "name": ("My name is {v}.", "I'm {v}.", "It's {v}."),
            "zip": ("My zip code is {v}.", "The zip is {v}.", "Zip code {v}."),
            "email": ("My email is {v}.", "It's {v}.", "My email address is {v}."),
            "payment": ("Please use my {v}.", "My {v}, please.", "I'd like to use my {v}."),
            "order_id": ("It's order {v}.", "The order number is {v}.", "That's order {v}."),
            "reservation_id": ("It's {v}.", "The reservation is {v}.", "My reservation is {v}."),
        }.get(slot, (f"My {noun} is {{v}}.", f"The {noun} is {{v}}."))
        if len(values) > 1:
            templates = (f"They are {value}.", f"{value}.")
        return self._random.choice(templates).format(v=value)

    def shuffled(self, parts: Sequence[str]) -> list[str]:
        """Return the parts in an order of this trial's own."""
        mixed = list(parts)
        self._random.shuffle(mixed)
        return mixed

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random.random() < probability


def _plain_fact(slot: str, value: str) -> str:
    """Facts that nobody says as "my insurance is no"."""
    if slot == "bags" and value.isdigit():
        count = "No" if value == "0" else value
        return f"{count} checked bag{'' if value == '1' else 's'}, please."
    if slot == "insurance":
        return "No insurance, please." if value == "no" else "Yes, with insurance, please."
    if slot == "cabin":
        return f"In {value}, please."
    if slot == "date":
        return f"On {value}."
    if slot == "flight_type":
        return as_sentence(value)
    return ""


def _gist(request: str) -> str:
    """What a request asks for, without what it tells besides and adds to it."""
    sentences = split_sentences(request)
    asking = [s for s in sentences if _ASKING.search(s) or operations(s)]
    parts = [
        re.split(r", (?=with|same|as |still|whatever|which|but)", s)[0] for s in asking or sentences
    ]
    return " ".join(part if part[-1] in ".?!" else f"{part}." for part in parts)


def _reason(value: str) -> str:
    if value == "no longer needed":
        return "It's no longer needed."
    if value == "ordered by mistake":
        return "I ordered it by mistake."
    return value if value[:2] in ("I ", "It") else as_sentence(f"Because {lower_first(value)}")
