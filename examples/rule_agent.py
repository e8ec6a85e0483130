"""A real agent without a model: keyword rules and look-ups for the retail domain.

It knows what any agent knows: the policy's rules (written into its code by hand), the tools, and
what the user says. Run it over the bundled retail tasks, with no key and no network:

    pytest --tau-suite=retail --tau-agent=examples/rule_agent.py:RuleAgent --tau-trials=4

The agent has the ``respond(text) -> text`` shape: it makes as many tool calls as it likes in one
turn. Beside it stand ``retail_shop.py`` (look-ups), ``retail_planner.py`` (from a request to write
calls) and ``retail_language.py`` (what it understands of English).
"""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_taubench import AgentContext

sys.path.insert(0, str(Path(__file__).parent))

import retail_language as language
from retail_planner import Missing, Planner, Refusal, Step
from retail_shop import Shop, answers

ELSE = "Is there anything else I can help you with?"
CONFIRM = "Do you confirm (yes/no)?"


class RuleAgent:
    """Identifies the customer, understands one request at a time, proposes, and acts on a yes."""

    def __init__(self, context: AgentContext) -> None:
        self.shop = Shop({tool.__name__: tool for tool in context.tools})
        self.wish: list[str] = []  # what the customer said of the request under way
        self.before = ""  # the request before it, for "then return it instead"
        self.plan: list[Step] = []
        self.asked: list[str] = []
        self.money = ""  # what the last write calls come to, for "how much is it in total?"
        self.failures = 0

    def respond(self, text: str) -> str:
        text = language.plain_wish(text)
        if not self.shop.user_id:
            return self._identify(text)
        if self.plan:
            if language.says_yes(text):
                return self._carry_out()
            self.plan = []
            if language.takes_back(text):
                return self._finish("All right, I leave everything as it is.")
        return self._handle(text)

    def _identify(self, text: str) -> str:
        self.wish.append(text)
        if self.shop.identify("\n".join(self.wish)):
            name = self.shop.user["name"]["first_name"]
            said, self.wish = " ".join(self.wish), []
            return f"Thank you, {name}. {self._handle(said)}"
        self.failures += 1
        if self.failures == 1:
            return (
                "Hello! Could you please tell me your email address, or your first name, last "
                "name and zip code?"
            )
        return (
            "I could not find an account with that. What is your email address, and what are "
            "your first and last name and zip code?"
        )

    def _handle(self, text: str) -> str:
        """Understand the request as far as it was told, and propose, ask, answer or refuse."""
        self.wish.append(text)
        said = " ".join(self.wish)
        if language.wants_person(said):
            self.shop.call("transfer_to_human_agents", summary=said[:500])
            return "You are being transferred to a human agent. Please hold on."
        try:
            self.plan = Planner(self.shop, said, self.before).plan()
        except Missing as question:
            if self.asked.count(str(question)) < 2:
                self.asked.append(str(question))
                return str(question)
            return self._finish("I am sorry, I could not find out what is to be done.")
        except Refusal as refusal:
            return self._finish(f"I am sorry, but {refusal}")
        told = answers(self.shop, text)
        if not told and not self.plan and self.money and language.asks_amount(text):
            told = self.money
        if self.plan:
            steps = "\n".join(f"- {step.words}" for step in self.plan)
            return f"{told}\nThis is what I would do:\n{steps}\n{CONFIRM}".strip()
        if told:
            return self._finish(told)
        if len(self.wish) > 2:
            return self._finish("I am sorry, I cannot help with that.")
        return "How can I help you? Please tell me what to do, and with which order and items."

    def _carry_out(self) -> str:
        results = [self.shop.write(step.tool, **step.arguments) for step in self.plan]
        self.shop.refresh_user()  # gift cards have other balances now
        failed = [result for result in results if result.startswith("Error")]
        done = [
            s.words for s, result in zip(self.plan, results, strict=True) if result not in failed
        ]
        amounts = [s.refund for s, r in zip(self.plan, results, strict=True) if r not in failed]
        self.money = language.settlement(amounts)
        self.plan = []
        parts = [f"It has been done: {' '.join(done)} {self.money}"] if done else []
        if failed:
            parts.append(f"Unfortunately, this was not possible: {' '.join(failed)}")
        return self._finish("\n".join(parts))

    def _finish(self, text: str) -> str:
        self.before = " ".join(self.wish) or self.before
        self.wish, self.plan, self.asked = [], [], []
        return f"{text}\n{ELSE}"
