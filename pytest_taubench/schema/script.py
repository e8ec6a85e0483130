"""The script of a task: what the scripted user knows, wants and says.

Everything is optional: what a script leaves out is derived from the task's instruction. A
script is written where the derived user would not do the instruction justice::

    script:
      mood: [polite, impatient]
      facts:
        name: Ada Kern
        zip: "60601"
        order_id: ["#W1000001", "#W1000002"]     # the second when the first is not found
      unknown: [email]
      private: [address]
      requests:
        - say: I want to exchange the desk lamp for a black one.
          wants: {payment: PayPal, color: black}
          avoid: [white]
          choose: [battery, USB]                 # when offered several, the first that fits
          insist: 1
          if_refused: Then I want to return the lamp instead.
        - How much do I get back in total?
      answers:
        why|reason: It is too bright for my desk.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator


def _as_list(value: Any) -> Any:
    """One value stands for a list of one."""
    return value if value is None or isinstance(value, list) else [value]


def _as_words(value: Any) -> Any:
    """Let ``brief, polite`` stand for ``[brief, polite]``."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return value


def _as_texts(value: Any) -> Any:
    """Let numbers and yes/no stand for their text in a list of values."""
    return [_as_text(item) for item in _as_list(value) or []]


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value


def _as_known(value: Any) -> Any:
    """Notice the YAML trap that cuts a sentence in a ``{...}`` at its comma."""
    if value is None:
        raise ValueError(
            "has no value; text that holds a comma must stand in quotes inside {...}, "
            "since YAML begins the next key after it"
        )
    return _as_texts(value)


def _as_requests(value: Any) -> Any:
    """A bare sentence stands for a request that says it."""
    items = _as_list(value) or []
    return [{"say": item} if isinstance(item, str) else item for item in items]


_CUT_OFF = re.compile(
    r"\b(?:orders?|reservations?|items?|numbers?|ids?|the|my|of|to|from|in|for|with|on|and|or|than|is)$",
    re.I,
)


def breaks_off(text: str) -> bool:
    """Tell whether a text ends with a word that no sentence ends with."""
    return _CUT_OFF.search(text.strip()) is not None


def _whole(text: str) -> str:
    """Notice the YAML trap that costs a script half its sentence."""
    if breaks_off(text):
        raise ValueError(
            f"{text!r} breaks off in mid-sentence; text that holds ' #' must stand in quotes, "
            "since YAML reads the rest of the line as a comment"
        )
    return text


Sentence = Annotated[str, Field(min_length=1), AfterValidator(_whole)]
Values = Annotated[list[str], BeforeValidator(_as_texts)]
Known = Annotated[list[str], BeforeValidator(_as_known)]
Sentences = Annotated[list[Sentence], BeforeValidator(_as_texts)]
Words = Annotated[list[str], BeforeValidator(_as_words)]
Requests = Annotated[list["Request"], BeforeValidator(_as_requests)]


_KEYS = [
    "name",
    "zip",
    "email",
    "user_id",
    "date_of_birth",
    "phone",
    "order_id",
    "reservation_id",
    "item_id",
    "item",
    "payment",
    "reason",
    "address",
    "cabin",
    "insurance",
    "bags",
    "passengers",
    "flight",
    "flight_type",
    "origin",
    "destination",
    "color",
]
_MOODS = [
    "polite",
    "brief",
    "chatty",
    "impatient",
    "angry",
    "sad",
    "anxious",
    "private",
    "calm",
    "happy",
    "friendly",
]
# Other names of these, and options of goods that only look like one of them.
_OTHER_NAMES = frozenset(
    {
        "season",
        "order",
        "orders",
        "reservation",
        "reservations",
        "zip_code",
        "zipcode",
        "postal_code",
        "dob",
        "birthday",
        "refund",
        "payment_method",
        "payment_method_id",
        "order_ids",
        "reservation_ids",
        "baggage",
        "baggages",
        "passenger",
        "colour",
        "class",
        "dates",
        "flights",
        "items",
        "names",
        "new_item",
        "new_items",
    }
)


def _no_misspelling(names: Iterable[str], known: Sequence[str], where: str) -> None:
    """Notice a name that is nearly a known one; every other name is an option of goods."""
    for name in names:
        key = name.strip().lower().replace(" ", "_").replace("-", "_")
        if key in known or key in _OTHER_NAMES or key.rstrip("s") in known:
            continue
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.76)
        if near:
            raise ValueError(f"{where} has {name!r}; did you mean {near[0]!r}?")


def _keys_spelt(values: dict[str, list[str]]) -> dict[str, list[str]]:
    _no_misspelling(values, _KEYS, "this")
    return values


def _names_spelt(values: list[str]) -> list[str]:
    _no_misspelling(values, _KEYS, "this list")
    return values


def _moods_spelt(values: list[str]) -> list[str]:
    _no_misspelling(values, _MOODS, "mood")
    return values


def _patterns(answers: dict[str, str]) -> dict[str, str]:
    """Each side of a ``|`` is words of a question, and no regular expression."""
    for pattern in answers:
        for words in pattern.split("|"):
            if not re.fullmatch(r"[ #'’,/&$%.-]*+\w[\w #'’,/&$%.-]*+", words):
                raise ValueError(
                    f"answers has {pattern!r}; it must be words of the agent's question, "
                    "with | between alternatives"
                )
    return answers


class Request(BaseModel):
    """One thing the user wants; a bare sentence in a task file is its ``say``.

    Attributes:
        say: How the user asks for it, in the first person.
        wants: What a proposal must agree with, by name: ``payment``, ``color``, ``order_id``,
            ``item``, ... Also the answer when the agent asks for that name.
        recognizes: What the user knows when it hears it, but cannot tell, by name: ``address``, or
            an order's id with words of the place where that order should go.
        avoid: Words that no proposal may contain, such as another item's name.
        details: Sentences the user tells when asked, or at the latest before it confirms.
        choose: What to take of several options, the most wanted first. ``cheapest`` and
            ``most expensive`` go by the prices that the agent names.
        insist: How often the user repeats the wish when it is refused.
        if_refused: What the user asks for instead once it is finally refused; of several, all
            in order. A fallback of a fallback is its own ``if_refused``.
        on_confirm: What the user says in place of its first confirmation: a change of mind.
        drop_on_confirm: True when that change of mind takes the request back.
    """

    model_config = ConfigDict(extra="forbid")

    say: Sentence
    wants: Annotated[dict[str, Known], AfterValidator(_keys_spelt)] = Field(default_factory=dict)
    recognizes: dict[str, Known] = Field(default_factory=dict)
    avoid: Values = Field(default_factory=list)
    details: Sentences = Field(default_factory=list)
    choose: Values = Field(default_factory=list)
    insist: int = Field(default=0, ge=0, le=10)
    if_refused: Requests = Field(default_factory=list)
    on_confirm: Sentence | None = None
    drop_on_confirm: bool = False


class Script(BaseModel):
    """What the scripted user knows and says.

    Attributes:
        facts: What the user can tell when asked, by name: ``name``, ``zip``, ``email``,
            ``user_id``, ``date_of_birth``, ``order_id``, ``reservation_id``, ``payment``,
            ``reason``, ``address``, ... Of several values the next is given when the agent
            found nothing under the one before.
        unknown: Names of facts the user does not know, whatever the instruction says.
        private: Names of facts the user does not want to tell.
        requests: What the user wants, in order.
        all_at_once: True when the opening states every request.
        opening: The first message, in place of the first request.
        answers: Replies by words of the agent's question; ``a|b`` matches either.
        never_says: Words that must not appear in any message of the user.
        mood: ``polite``, ``brief``, ``chatty``, ``impatient``, ``angry``, ``sad``, ...
        patience: Turns without progress before the user gives up.
    """

    model_config = ConfigDict(extra="forbid")

    facts: Annotated[dict[str, Known], AfterValidator(_keys_spelt)] = Field(default_factory=dict)
    unknown: Annotated[Words, AfterValidator(_names_spelt)] = Field(default_factory=list)
    private: Annotated[Words, AfterValidator(_names_spelt)] = Field(default_factory=list)
    requests: Requests = Field(default_factory=list)
    all_at_once: bool = False
    opening: Sentence | None = None
    answers: Annotated[dict[str, Sentence], AfterValidator(_patterns)] = Field(default_factory=dict)
    never_says: Values = Field(default_factory=list)
    mood: Annotated[Words, AfterValidator(_moods_spelt)] = Field(default_factory=list)
    patience: int = Field(default=4, ge=1, le=20)

    @model_validator(mode="before")
    @classmethod
    def _zip_is_text(cls, data: Any) -> Any:
        """YAML reads an unquoted 02134 as an octal number, so a zip must be text."""
        facts = data.get("facts") if isinstance(data, dict) else None
        if isinstance(facts, dict) and isinstance(facts.get("zip"), int):
            raise ValueError(f'facts.zip must be quoted text, such as "{facts["zip"]}"')
        return data
