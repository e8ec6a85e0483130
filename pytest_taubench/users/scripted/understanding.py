"""What the scripted user hears in an agent's message: dialogue acts, questions, options."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_taubench.users.scripted.lexicon import SLOTS
from pytest_taubench.users.scripted.sentences import bullets, plain, split_sentences

_CONFIRM = re.compile(
    r"\(?\byes ?/ ?no\b|\(yes or no\)|\byes or no\b|\"yes\"|'yes'|\bsay yes\b|\breply yes\b"
    r"|\b(?:do|can|could|would|will) you (?:please )?(?:also )?(?:confirm|approve|agree)\b(?! (?:your|the) (?:name|e-?mail|zip|identity|user|account|order (?:id|number)|address on))"
    r"|\bplease confirm\b(?! (?:your|the|which) (?:\w+ )?(?:name|e-?mail|zip|identity|user|account|order|reason|payment|address on))"
    r"|\b(?:shall|should|may|can) i (?:go ahead|proceed|continue|process|submit|place|make|cancel|return|exchange|modify|change|update|book)"
    r"|\b(?:would you like|do you want|are you (?:okay|ok|happy|ready|fine)|is it (?:okay|ok|fine)|want)(?: for)?(?: me)? (?:to )?(?:go ahead|proceed|continue)"
    r"|\bwould you like me to (?:process|submit|place|make|cancel|return|exchange|modify|change|update|book|finali[sz]e|complete|apply|do)"
    r"|\bdo you want me to (?:process|submit|place|make|cancel|return|exchange|modify|change|update|book|finali[sz]e|complete|apply|do)"
    r"|\b(?:is|does|are) (?:this|that|these|all|everything)(?: \w+)* (?:correct|right|good|okay|ok|accurate|acceptable|fine)\b"
    r"|\bdoes (?:this|that) (?:look|sound) (?:good|right|correct|okay|ok|fine)"
    r"|(?:^|[.!:;)\n]|\bso,?|\bthen,?) *(?:(?:is|does) (?:that|this) )?(?:proceed|confirm(?:ed)?|ok(?:ay)?|agreed|all right|alright|correct|right|good|deal|yes|go ahead|fine)(?: (?:with (?:this|that)|for you|then))? ?\?"
    r"|\b(?:does|would|will) (?:this|that|it) work(?: for you)?\b|\bare you sure\b|\b(?:is|are) (?:that|this|you) (?:ok(?:ay)?|fine|good|all right|alright|happy)\b|\bshall i\?|\bsay yes\b"
    r"|\b(?:confirm|ready|okay|ok|happy) to proceed\b|\bproceed with (?:this|these|the)\b[^.]*\?",
    re.I,
)  # fmt: skip
_REFUSED = re.compile(
    r"\b(?:i|we)(?: am|'m| are|'re)? (?:\w+ )?(?:cannot|can't|can not|unable|not able|not allowed|not permitted|won't be able)\b"
    r"|\bunable to\b|\bnot (?:possible|allowed|permitted|eligible|available|supported|offered|something i can)\b"
    r"|\b(?:isn't|aren't|is no longer) (?:possible|allowed|permitted|eligible|available|supported)\b"
    r"|\b(?:cannot|can't|can not|can only|may only|must not|may not|could not|couldn't) (?:\w+ )?(?:be|cancel|return|exchange|modif|chang|refund|remov|add|split|offer|provide|do|process|make|book|updat|help|issue|give|compensate|use)"
    r"|\bdo(?:es)? not (?:allow|permit|offer|support|qualify|have (?:any|a|that))\b|\bdoesn't (?:allow|permit|qualify)\b"
    r"|\bpolicy (?:does not|doesn't|prohibits|forbids)\b|\b(?:no longer|too late to) (?:be )?(?:cancel|chang|modif|return)"
    r"|\b(?:can|could) do nothing\b|\bnothing (?:that )?(?:i|we) can do\b|\bis not (?:one of )?your\b|\bi(?:'m| am) (?:very |so |really )?sorry,? but\b"
    r"|\bunfortunately\b|\bout of stock\b|\bno (?:such )?(?:matching )?(?:options?|variants?|flights?) (?:is|are|matches|match|available)"
    r"|\b(?:isn't|is not|not|won't be) (?:quite )?enough\b|\bdenied\b|\bdeclined\b|\bnon-?refundable\b|\bi have to decline\b|\bagainst (?:our|the) (?:policy|rules)\b",
    re.I,
)  # fmt: skip
# "Once changed, it cannot be changed again" refuses nothing.
_CAVEAT = re.compile(
    r"\b(?:note|keep in mind|be aware|remember|once|afterwards?|again|after (?:this|that|confirm)|this action|undone|reversed)\b",
    re.I,
)
_OUTRIGHT = re.compile(r"\b(?:I|we)(?:['’]m| am|['’]re| are) (?:\w+ )?(?:not able|unable)\b", re.I)
_NOT_FOUND = re.compile(
    r"\b(?:could not|couldn't|cannot|can't|can not|unable to|not able to|did not|didn't|do not|don't) (?:seem to )?(?:find|locate|verify|authenticate|identify|match|look up|see (?:an?|any) (?:account|user|order))"
    r"|\b(?:not found|no (?:user|account|order|reservation|record|match)\w* (?:was |were )?(?:found|with|under|matching))\b"
    r"|\b(?:invalid|incorrect|does not (?:exist|match)|doesn't (?:exist|match))\b",
    re.I,
)  # fmt: skip
_DEED = (
    r"(?:cancel|return|exchang|modif|updat|chang|process|refund|book|submit|complet|add|remov|"
    r"request|plac|appl|done|carried|made|upgrad|downgrad|switch|issu|sent|send|approv|credit|finali[sz]|correct|set)"
)
_DONE = re.compile(
    rf"\b(?:has|have) (?:now |just |already |both |all )?been (?:successfully |now )?{_DEED}\w*"
    rf"|\bi(?:'ve| have) (?:now |just |successfully |also |gone ahead and )*{_DEED}\w*"
    rf"|\b(?:is|are|was|were) (?:now |successfully )+{_DEED}\w*|\bsuccessful(?:ly)?\b|\ball (?:set|done|taken care of)\b"
    r"|^(?:\W*)(?:done|completed)\b|\b(?:is|are|it's) (?:now )?(?:done|complete|completed|confirmed|in place)\b",
    re.I,
)  # fmt: skip
_ANYTHING_ELSE = re.compile(
    r"\b(?:anything|something|is there any thing) (?:else|more|further)\b|\bany(?:thing)? other (?:\w+ )?(?:questions?|requests?|concerns?|help|i can)"
    r"|\b(?:further|additional|more) (?:assistance|help|questions?|requests?|concerns?)\b|\bwhat else\b|\bhave a (?:great|nice|good|wonderful|lovely) (?:day|one|trip|flight|evening|weekend)\b|\bgoodbye\b",
    re.I,
)  # fmt: skip
_GREETING = re.compile(
    r"\b(?:how|what) (?:can|may|could) i (?:help|assist|do for)|\bhow (?:can|may) we\b"
    r"|\bwhat (?:would you like|do you (?:need|want))(?: help| me)?(?: to do| with)?(?: today)?\?|\bhow would you like (?:me )?to proceed"
    r"|\bplease (?:describe|explain|rephrase|tell me (?:more|what))|\bwhat brings you",
    re.I,
)  # fmt: skip
_TRANSFER = re.compile(
    r"\byou are being transfer|\b(?:i am|i'm|i will|i'll|let me|have been|has been|being|am now|now) (?:now )?(?:transfer|connect)\w* (?:you )?(?:to|with) (?:an? )?(?:human|live|agent|representative|specialist)",
    re.I,
)  # fmt: skip
_WAIT = re.compile(
    r"\b(?:one|a|just a) moment\b|\bplease (?:wait|hold|bear with)\b|\b(?:let me|i'll|i will|i am going to|i'm going to) (?:now |first |go ahead and |quickly )*(?:check|look|pull|retriev|search|verif|find|see|process|get|proceed|fetch|calculat)",
    re.I,
)  # fmt: skip
_REQUESTING = re.compile(
    r"\?|\b(?:please|kindly) (?:\w+ )?(?:provide|share|tell|give|confirm|specify|let|send|state|choose|select|indicate|enter|verify|supply|clarify)"
    r"|\blet me know\b|\bi(?:'ll| will| would|'d)? (?:also |still |first |just )?(?:need|require|like to (?:know|verify|confirm))\b|\b(?:could|can|would|may|might) (?:you|i)\b"
    r"|\b(?:provide|share|specify|tell me|give me|to verify your|in order to)\b",
    re.I,
)  # fmt: skip
_CHOICE = re.compile(
    r"\bwhich (?:one|of|option|item|variant|flight|would|do|method|card|\w+ would)|\bwhat (?:option|color|colour|size|kind|type|\w+ would you)|\bprefer\b|\bchoose\b|\bselect\b|\bany preference|\bpick\b",
    re.I,
)  # fmt: skip
_OFFER = re.compile(
    r"\b(?:would you like|do you want|would you prefer|would you be (?:interested|open|willing)|are you interested|shall i|should i|would that work|do you wish|would it be)\b"
    r"|\b(?:instead|alternatively|alternative)\b[^.]*\?|\bi can (?:offer|instead)\b|\bif you(?:'d| would)? (?:like|prefer|want|wish)\b",
    re.I,
)  # fmt: skip


# Where a sentence begins like this and asks for no fact, a yes or a no answers it.
_YES_OR_NO = re.compile(
    r"(?:^|[,.;:!–—-] *|\b(?:so|then|and|or|but) )"
    r"(?:shall|should|may|can|could|do|does|would|will|is|are|want|sounds?|okay|ok|right|all good|good|fine|happy|ready|correct)\b[^?]*\?\s*$",
    re.I,
)
_TAG = re.compile(r"[,–—-] ?(?:is that |am I )?(?:right|correct|yes|ok|okay|all right)\?\s*$", re.I)
_ASKS_FOR_FACT = re.compile(
    r"\b(?:which|what|when|where|who|whose|how|why|or|else|other|another|more|further|tell|provide|share|give|"
    r"let me know|prefer|rather|anything|something|any|hear|look|check|search|know|see|have (?:you|the|an?)|"
    r"have your (?!go-ahead|ok|approval|consent|permission|confirmation|agreement)|"
    r"you have (?!any objection)|remember|specify|describe|help|assist|human|person|instead)\b",
    re.I,
)
_PROPOSES = re.compile(
    r"\b(?:I|we)(?:['’](?:d|ll)| would| will| can| could| have found| found)\b|\b(?:would|will) (?:be|go|get|cost|stay)\b|→|->"
    r"|\bhere(?:['’]s| is)\b|\byou(?:['’]d| would) like to\b|\byou want\b|\bsummar|\$\d|\*\*",
    re.I,
)


@dataclass(frozen=True)
class Question:
    """One sentence that asks, and the facts it asks for."""

    text: str
    slots: tuple[str, ...]


@dataclass(frozen=True)
class Heard:
    """An agent's message as the user understands it.

    Attributes:
        text: The message without markup.
        questions: The sentences that ask for something.
        options: Entries of a list the agent offers for choice.
        statements: The sentences that ask nothing.
        confirm: The agent asks for a yes or a no to what it proposes.
        refusals: The sentences that say that something cannot be done.
        not_found: It did not find what it looked up.
        done: It says that something has been done.
        anything_else: It asks for further requests, or takes its leave.
        greeting: It asks what the user wants.
        transferred: It hands the user over to a person.
        waiting: It announces a step of its own.
        choice: It asks which of several.
        offer: It offers something.
    """

    text: str
    questions: tuple[Question, ...]
    options: tuple[str, ...]
    statements: tuple[str, ...]
    confirm: bool
    refusals: tuple[str, ...]
    not_found: bool
    done: bool
    anything_else: bool
    greeting: bool
    transferred: bool
    waiting: bool
    choice: bool
    offer: bool

    @property
    def refused(self) -> bool:
        """True when it says that something cannot be done."""
        return bool(self.refusals)

    @property
    def slots(self) -> list[str]:
        """The facts asked for, in the order asked, each once."""
        return list(dict.fromkeys(slot for question in self.questions for slot in question.slots))


def understand(message: str) -> Heard:
    """Read an agent's message."""
    text = plain(message).strip()
    sentences = split_sentences(text)
    asking = [s for s in sentences if _asks(s)]
    statements = [s for s in sentences if "?" not in s]
    listed = bullets(message)
    questions = [Question(s, _slots_of(s)) for s in _with_lists(asking, message, listed)]
    wait = any(_WAIT.search(s) for s in statements)
    refusing = [s for s in sentences if _REFUSED.search(s) and not _NOT_FOUND.search(s)]
    refusing = [s for s in refusing if _OUTRIGHT.search(s) or not _CAVEAT.search(s)]
    refusing = [s for s in refusing if "?" not in s or _REFUSED.search(s.split(",")[0])]
    return Heard(
        text=text,
        questions=tuple(questions),
        options=tuple(listed),
        statements=tuple(statements),
        confirm=_CONFIRM.search(text) is not None or _asks_for_a_yes(text, asking),
        refusals=tuple(refusing),
        not_found=_NOT_FOUND.search(text) is not None,
        done=any(_DONE.search(s) and not _REFUSED.search(s) for s in statements),
        anything_else=_ANYTHING_ELSE.search(text) is not None,
        greeting=_GREETING.search(text) is not None,
        transferred=_TRANSFER.search(text) is not None
        and "?" not in text.rsplit("transfer", 1)[-1],
        waiting=wait and not asking,
        choice=any(_CHOICE.search(s) for s in asking),
        offer=_OFFER.search(text) is not None,
    )


def is_confirmation(question: str) -> bool:
    """Does the sentence ask for a yes or a no to a proposal?"""
    if _CONFIRM.search(question) or _TAG.search(question):
        return True
    return _YES_OR_NO.search(question) is not None and not (
        _ASKS_FOR_FACT.search(question) or _slots_of(question)
    )


def _asks_for_a_yes(text: str, asking: list[str]) -> bool:
    """Does the message put something to the user, and end in a question that takes a yes?"""
    last = asking[-1] if asking else ""
    return _PROPOSES.search(text) is not None and "?" in last and is_confirmation(last)


def _asks(sentence: str) -> bool:
    if _ANYTHING_ELSE.search(sentence) and len(sentence) < 140:
        return False
    return _REQUESTING.search(sentence) is not None


def _with_lists(asking: list[str], message: str, listed: list[str]) -> list[str]:
    """A question that ends in a colon goes on in the list below it."""
    if not listed or not any(sentence.rstrip().endswith(":") for sentence in asking):
        return asking
    short = [entry for entry in listed if len(entry) < 90 and not re.search(r"\$\d", entry)]
    return [*asking, *(entry for entry in short if entry not in asking)]


def _slots_of(question: str) -> tuple[str, ...]:
    """The facts a question asks for, in its own order."""
    places = [(m.start(), slot) for slot, pattern in SLOTS if (m := pattern.search(question))]
    slots = [slot for _, slot in sorted(places)]
    if "email" in slots and "address" in slots and re.search(r"e-?mail address", question, re.I):
        rest = re.sub(r"e-?mail address", "", question, flags=re.I)
        if not re.search(r"address|street", rest, re.I):
            slots.remove("address")
    if "address" in slots and re.search(r"street|city|state|new|ship|deliver", question, re.I):
        # A zip code asked for as part of an address proves nothing about who one is.
        slots = [slot for slot in slots if slot != "zip"]
    if "passengers" in slots and "name" in slots:
        slots.remove("name")
    if "payment" in slots and re.search(r"\bname\b", question, re.I) is None:
        slots = [slot for slot in slots if slot != "name"]
    return tuple(slots)
