"""The cues that tell what a sentence of an instruction does for the conversation."""

from __future__ import annotations

import re

PERSON = re.compile(
    r"^(?:You are|You're|Your? (?:(?:full )?name|user id|e-?mail(?: address)?) is)\s", re.I
)
WANTING = (
    r"you(?:'d| would|'ve| have| are| also| just| then| now| really| only| first| finally)*"
    r" (?:want|like|need|wish|wonder|hope|plan|ask|try|request|prefer|received|bought|ordered|"
    r"realized|noticed|looking|calling|contacting|trying|decided|moved|got|placed|booked|found)"
)
AFTER_PERSON = re.compile(rf"(?:,? and|,? who|[,;.]| but)\s+({WANTING}\b.*)", re.I | re.S)
CONNECTIVE = re.compile(
    r"^(?:(?:also|then|finally|lastly|next|first|secondly?|besides|in addition|additionally|"
    r"afterwards?|after (?:that|this)|moreover|meanwhile|once (?:that is|that's) done|"
    r"in any case|at the end(?: of (?:the day|it all))?|and|but|so|however|second|third|later)\b,? )+",
    re.I,
)
ASKED = re.compile(
    r"^(?:but |and |only |also )*(?:if|when|once|whenever)(?: and only if)? (?:(?:and )?the agent |you(?:'re| are) |they |the )?"
    r"(?:ever |also |is )?(?:asks?|asked|wants?|requests?|needs?|gives?|provides?|offers?|lists?|mentions?|says?)\b"
    r"(?P<topic>[^,]*),\s*(?:then )?(?P<reply>.+)$",
    re.I | re.S,
)
CONFIRMS = re.compile(r"\bconfirm|\bproceed\b|\bapprov|\byes or no\b", re.I)
REFUSED_IF = re.compile(
    r"^(?:but |and |even |only )*(?:if|when|in case|should)\b(?P<case>[^,]*?(?:\bnot\b|n't\b|cannot|\bno\b|\bnone\b|refus|den(?:y|ies|ied)|declin|unable|impossible|unavailable|"
    r"out of stock|sold out|fails?\b|turned down|reject|only (?:do |help with |one)|issues?\b)[^,]*),\s*(?:then )?(?P<then>.+)$"
    r"|^(?:otherwise|failing that|if not|or else|as a fallback|in that case)\b,?\s*(?P<other>.+)$",
    re.I | re.S,
)
REPLY_FRAME = re.compile(
    r"^(?:you )?(?:can |will |would |should |'d |may |then |just |simply |also )*(?:say|tell (?:them|it|the agent|him|her)|answer|reply|respond|mention|explain|state|give|provide)"
    r"(?: exactly)?(?: with)?(?: that| it is| it's)?[:,]?\s+",
    re.I,
)
BEHAVIOUR = re.compile(
    r"\b(?:make sure (?:that )?(?:you |to )?(?:first )?(?:mention|say|ask|state)|at the same time|in one go|one (?:thing|request|item) at a time|in pieces|"
    r"(?:do not|don't|never|not want to|won't|refuse to) (?:\w+ )?(?:reveal|mention|share|disclose|tell|volunteer|give (?:out|away))|minimal information|make up|"
    r"typos|you (?:speak|talk|sound|write|like to (?:say|talk|speak|joke))|reveal (?:much|little)|first message|up ?front)\b",
    re.I,
)
INSIST = re.compile(
    r"\b(?:insist|push back|persist|keep (?:asking|pushing|insisting)|argue|press (?:the|for|them)|"
    r"do(?: not|n't) (?:give up|take no|back down)|stand your ground|try again|ask again)\b",
    re.I,
)
TIMES = {"once": 1, "one time": 1, "twice": 2, "two times": 2, "three times": 3, "four times": 4}
WISH = re.compile(
    r"\b(?:want(?:s|ed)?|would like|you'd like|need|wish|wonder|hope|ask|find out|looking (?:to|for)|trying to|"
    r"request|inquire|demand|plan to|intend|would love|goal is|aim)\b"
    r"|^(?:please |for #?w\d+, )?(?:return|cancel|exchange|modify|change|book|upgrade|downgrade|add|remove|update|get|find|check|"
    r"switch|replace|swap|move|correct|tell|request|ask|inquire)\b",
    re.I,
)
NOT_WISH = re.compile(
    r"\b(?:do not|don't|never) (?:want|need|wish|care|mind)\b|\bwant nothing\b|\bwant (?:the|any|your|all|a) (?:\w+ ){0,2}(?:refund|money|difference|payment)\b(?! (?:amount|of))",
    re.I,
)
MOODS = {
    "polite": r"polite|friendly|kind|courteous|gentle",
    "brief": r"brief|terse|concise|few words|busy|laconic|short answers|quiet|minimal",
    "impatient": r"impatient|in a hurry|hurry|rush|quickly|busy",
    "angry": r"angry|annoyed|upset|furious|frustrated|rude|irritated|unhappy",
    "sad": r"\bsad\b|depress|emotional|heartbroken|pessimistic",
    "anxious": r"anxious|nervous|worried|stress|cautious|insecure",
    "chatty": r"chatty|talkative|outgoing|funny|jokes|verbose|rambl|happy|optimistic|cheerful",
    "private": r"private|mysterious|reveal (?:much|little)|minimal information|secretive|reserved|shy",
}
KEEP = re.compile(
    r"\b(?:keep (?:it|them|the|everything)|regret|rethink|do(?:es)?n't want|do not want|leave (?:it|everything|things)|"
    r"no longer want|forget (?:it|about)|never mind|not (?:to )?(?:cancel|return|exchange|proceed|do))",
    re.I,
)
# "You are Ada Kern and want ..." says the subject once.
SHARED_SUBJECT = re.compile(
    r",? (?:and|but) ((?:(?:also|just|now|would) )*(?:want|need|wish|like|have|received|ordered|bought|moved)\b.*)",
    re.S,
)
SURE = re.compile(
    r"You(?: are|'re) (?:sure|certain|convinced|unhappy|not (?:sure|happy)|afraid|glad)\b"
)
RESIGNS = re.compile(
    r"^(?:you )?(?:just |simply |will |would |'d )*(?:accept (?:it|that|this)|let it be|let it go|leave it(?: at that)?|forget (?:it|about it)|"
    r"do nothing|give up|be (?:fine|okay)|are fine|that is fine)(?:,? and |[,;] |\.?$)",
    re.I,
)
IGNORANT = re.compile(
    r"\b(?:do not|don't|cannot|can't) (?:\w+ )?(?:have|know|remember|recall)\b", re.I
)
SPLIT = re.compile(
    r";\s+(?=[A-Z]|(?:you|if|for|ask|tell|return|cancel|exchange|then|otherwise|but)\b)"
    r"|(?:,? and|,? then|,)\s+(?=(?:then |also )?ask (?:the agent |them )?(?:how|what|if|whether|for|which|when|about)\b)"
)
ABOUT_GOODS = re.compile(
    r"^(?:I (?:have|had|just|recently|received|ordered|bought|moved)\b|(?:my|the|both|one|two|order)\b.* (?:is|are|was|were|has|have|do|does|don't|arrived|came|broke)\b)",
    re.I,
)
PREFERS = re.compile(
    r"\b(?:prefer|rather|should|must|refund|pay|paid|use|care|mind|fine|okay|accept|willing|leave|keep|stays?)\b",
    re.I,
)
TELL_ME = "Can you tell me "
HIDDEN = re.compile(r"\s*\([^)]*(?:reveal|mention|agent|tell|secret|don't say|do not say)[^)]*\)", re.I)  # fmt: skip
# "return the desk and keep the shirt"; what is kept must not be in a proposal.
KEPT = re.compile(
    r"\b(?:return|exchange|cancel)\b[^.;]*\bkeep (?:the|my) (?:\w+ ){0,2}?(\w+)(?=[.,;]|$| and )",
    re.I,
)
