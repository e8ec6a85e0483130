"""The words that the model-played users and their judges are given."""

from __future__ import annotations

from pytest_taubench.users.protocol import STOP_TOKEN

GREETING = "Hello! What can I do for you today?"
"""What the user answers with its opening message; no part of the trajectory."""

_RULES = f"""\
- Write only what this customer types, one message at a time, in the customer's own words.
- Do not tell everything at once. Bring up what the next step needs, and answer what you are asked.
- State no fact that is not written above. Asked for something you were not given, say that you do
  not know it or do not have it at hand.
- Want what is written above and nothing more; agree to nothing that goes against it.
- Keep to the manner of the person described.
- Once all you came for is done or finally refused, end your message with {STOP_TOKEN}. Write that
  nowhere else."""

_ROLE = """\
You play a customer who writes to a company's support agent. This is who you are and what you want:

{instruction}

Rules:
{rules}"""

_REACT_FORM = f"""\
Write each message in this form:

Thought: <a line or two about where things stand and what to say; nobody else reads it>
Reply: <the message to the agent>

{STOP_TOKEN} counts only in the Reply."""

_JUDGE = """\
A customer writes to a company's support agent. The customer is played after this description:

{instruction}

Below is their conversation: what the agent wrote stands as the user's messages, what the customer
wrote as yours. You judge whether a message of the customer keeps to the description. It does not if
it states a fact that the description does not hold, asks for what the description does not want,
agrees to what the description rules out, speaks as the agent, or ends the conversation ("{stop}")
before the customer's business is done or refused."""

JUDGE_QUESTION = """\
Step out of the conversation. Does the customer's last message keep to the description?
Answer with one JSON object: {"ok": true or false, "reason": "<one sentence>"}"""
"""Asked behind the message that is judged."""

_REWRITE = """\
Your last message does not keep to who you are: {reason}
Write that message again, and only the message."""


def user_prompt(instruction: str) -> str:
    """Return the system prompt of a user that just speaks."""
    return _ROLE.format(instruction=instruction, rules=_RULES)


def react_user_prompt(instruction: str) -> str:
    """Return the system prompt of a user that thinks before it speaks."""
    return f"{user_prompt(instruction)}\n\n{_REACT_FORM}"


def judge_prompt(instruction: str) -> str:
    """Return the system prompt of the judge of a user's messages, the same in all its calls."""
    return _JUDGE.format(instruction=instruction, stop=STOP_TOKEN)


def rewrite_prompt(reason: str) -> str:
    """Return what a user is told whose message the judge refused."""
    return _REWRITE.format(reason=reason)
