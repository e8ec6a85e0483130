"""Turn an instruction's second person into the first person of the one who speaks."""

from __future__ import annotations

import re

from pytest_taubench.users.scripted.sentences import word_list

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")
_CONTRACTIONS = {
    "you're": "I'm",
    "you've": "I've",
    "you'd": "I'd",
    "you'll": "I'll",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
}
_TO_BE = {"are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't"}
_ADVERBS = word_list(
    """
    also just only really still never always already now then currently actually both
    usually often simply certainly initially recently first
    """
)
# After these words "you" is an object, whatever follows.
_TAKES_OBJECT = word_list(
    """
    to for with from of by about at on upon toward towards behind between against near like
    without around give gives gave given tell tells told let lets letting help helps helped
    send sends sent refund refunds refunded charge charges charged allow allows allowed ask
    asks asked show shows showed offer offers offered want wants cost costs owe owes bother
    bothers bothered pay pays paid make makes made save saves transfer transfers transferred
    connect connects put puts reach call calls reimburse compensate inform informs advise
    advises convince convinces suit suits fit fits get gets need needs joined joins assist
    assists please pleases notify notifies remind reminds persuade refuses deny denies
    denied
    """
)
_THIRD_PERSON = {
    "is": "are",
    "isn't": "aren't",
    "was": "were",
    "wasn't": "weren't",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
}
_NOT_VERBS = frozenset(
    ["is", "was", "has", "does", "this", "its", "as", "always", "process", "address", "access"]
)


def first_person(text: str) -> str:
    """Return the text as the person it is about would say it to the agent.

    >>> first_person("You want to return your keyboard because you are moving.")
    'I want to return my keyboard because I am moving.'
    >>> first_person("Ask the agent if it can send you a receipt.")
    'Ask you if you can send me a receipt.'
    """
    text = re.sub(r"\b([Yy])ou and (your \w+)", _joint_subject, text)
    tokens = _TOKEN.findall(text)
    words = [index for index, token in enumerate(tokens) if token[0].isalpha()]
    result = list(tokens)
    for place, index in enumerate(words):
        _replace_second_person(tokens, result, words, place)
        if tokens[index].lower() in ("am", "are", "were") and _follows_i(result, words, place):
            result[index] = _TO_BE.get(tokens[index].lower(), tokens[index])
    return _address_agent(_capitalized("".join(result)))


def _joint_subject(match: re.Match[str]) -> str:
    other = match[2].replace("your ", "my ", 1)
    return f"{other} and I" if match[1] == "y" else f"{other[0].upper()}{other[1:]} and I"


def _replace_second_person(
    tokens: list[str], result: list[str], words: list[int], place: int
) -> None:
    index = words[place]
    word = tokens[index].lower().replace("’", "'")
    if word in _CONTRACTIONS:
        result[index] = _CONTRACTIONS[word]
    elif word == "you":
        result[index] = "I" if _is_subject(tokens, words, place) else "me"
        if result[index] == "I":
            _agree(tokens, result, words, place)


def _is_subject(tokens: list[str], words: list[int], place: int) -> bool:
    index = words[place]
    before = tokens[words[place - 1]].lower() if place else ""
    touches_before = place > 0 and tokens[index - 1].isspace()
    touches_after = place + 1 < len(words) and tokens[index + 1].isspace()
    if not touches_after:
        return not touches_before and place + 1 < len(words)
    # "the items sent to you are broken" has an object before a verb.
    return not (touches_before and before in _TAKES_OBJECT)


def _agree(tokens: list[str], result: list[str], words: list[int], place: int) -> None:
    """Make a form of "to be" beside a subject agree with "I"."""
    following = place + 1
    while following < len(words) and tokens[words[following]].lower() in _ADVERBS:
        following += 1
    for neighbour in (following, place - 1):
        if 0 <= neighbour < len(words):
            index = words[neighbour]
            verb = tokens[index].lower()
            before_is_verb = neighbour < place and verb in _TO_BE
            between = "".join(tokens[min(index, words[place]) + 1 : max(index, words[place])])
            if verb in _TO_BE and not re.search(r"[,.;:!?]", between):
                result[index] = _match_case(_TO_BE[verb], tokens[index])
                if before_is_verb or neighbour == following:
                    return


def _follows_i(result: list[str], words: list[int], place: int) -> bool:
    """Is this the second verb of "I am tired and are in a hurry"?"""
    if place < 2 or result[words[place - 1]].lower() not in ("and", "but", "or"):
        return False
    earlier = [result[i] for i in words[max(0, place - 8) : place - 1]]
    plural = any(word.lower() in ("they", "we", "these", "those") for word in earlier)
    return "I" in earlier and ("am" in earlier or "was" in earlier) and not plural


def _match_case(word: str, like: str) -> str:
    return word[0].upper() + word[1:] if like[0].isupper() else word


def _address_agent(text: str) -> str:
    """The agent of the instruction is the one spoken to: "the agent can" becomes "you can"."""
    text = re.sub(r"\b[Tt]he (?:\w+ service )?(?:agent|representative)['’]s\b", "your", text)

    def spoken_to(match: re.Match[str]) -> str:
        verb = match["verb"]
        return f"you {_second_person_verb(verb)}" if verb else "you"

    agent = r"\b(?:[Tt]he|[Aa]n) (?:customer service |service |human customer )?agent\b"
    spoken = re.sub(agent + r"(?: (?P<verb>[a-z]+(?:n't)?)(?=\W|$))?", spoken_to, text)
    if spoken != text:
        spoken = re.sub(
            r"\b(if|whether|that|unless|and|but) (?:it|he|she|they) "
            r"(can|cannot|can't|could|will|would|refuses|is able|allows|does|offers|agrees)\b",
            lambda m: f"{m[1]} you {_second_person_verb(m[2])}",
            spoken,
        )
    return _capitalized(spoken)


def _second_person_verb(verb: str) -> str:
    head, _, rest = verb.partition(" ")
    if head in _THIRD_PERSON:
        head = _THIRD_PERSON[head]
    elif head not in _NOT_VERBS and re.fullmatch(r"\w{2,}[^s]s", head):
        if head.endswith("ies"):
            head = head[:-3] + "y"
        elif re.search(r"(?:sh|ch|ss|x|o)es$", head):
            head = head[:-2]
        else:
            head = head[:-1]
    return f"{head} {rest}".strip()


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
