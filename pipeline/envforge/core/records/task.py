"""Tasks: what stands in tasks/<environment>/tasks.jsonl."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.environment import GateResult
from envforge.core.records.intent import Intent, Match, Register

CheckKind = Literal["answer", "row", "absent", "unchanged", "count", "document"]


class FreeChange(Record):
    """Of an `unchanged` check: changes that it lets pass. Values are written out."""

    table: str
    changes: tuple[Literal["insert", "update", "delete"], ...]
    column: str = ""
    values: tuple[Any, ...] = ()
    columns: tuple[str, ...] = ()
    keys: tuple[tuple[Any, ...], ...] = Field(default=(), description="only rows with these primary keys")


class Check(Record):
    """One executable condition on the final state or the answer.

    answer: the field `path` of the answer equals `expect`, as `match` says. row: the row `where` (its key) is there and
    has the values `expect`; with `inserted`: exactly `count` new rows of `table` have the values `expect`. absent: the
    row `where` is gone. count: `table` has `expect` more rows than before. document: the document `path` has the text
    `expect` (None: it is gone). unchanged: nothing changed but what other checks name and `free` lets pass.

    What evaluators must agree on (rollout/checks.py on the host, and each generated verifier by code of its own):

    Values. Numbers are equal by value (12 and 12.0), reals within a billionth of the larger; true and false are no
    numbers, text is never a number, null equals null only, text is equal sign by sign.
    Columns in `normalised`, and match normalised_text: NFKC, casefold, runs of letters, digits and underscores with
    one space between them; where nothing is left of both, the stripped texts are compared. What is no text is compared
    as exact does. A document may have the match exact or normalised_text.
    Answers. The answer is an object with exactly the fields that the answer checks name; otherwise every answer check
    fails. exact: equal values, also inside lists and objects. number: two numbers at most `tolerance` apart (where one
    is real, a billionth of the larger more), or null for null. set and ordered: a list as long as `expect`; items are
    values, or objects with exactly the same fields; numbers in items may be `tolerance` apart. set: the items can be
    paired, each expected one with one that equals it (with a tolerance the first that fits may be the wrong one to
    take); ordered: item by item. No answer, however odd (null, huge numbers, deep lists), is an error: one that holds
    what JSON or the World cannot (NaN, integers over 64 bits, more than 64 levels) counts as null.
    Rows. The final row (or new row) has each value of `expect`, real numbers as above. What a new row has in a `fresh`
    column is not NULL, no row of the table had it at first, and no other new row of the table has it. What it has in a
    column of `of_new` is the key of a new row of the table named there.
    unchanged. An updated row: each column that changed (to another value, however near) is in `expect` or
    `free_columns` of a row check that names the row, or in a `free` entry for updates that fits (`columns` empty: all).
    An inserted row fits the `expect` of an `inserted` row check or a free entry; a deleted row is named by an absent
    check or fits a free entry; a changed document is named by a document check. A free entry fits a row whose `column`
    has one of `values` (before and after, for an update) or, without `column`, any row of its table; with `keys`, only
    rows that have one of these primary keys. A table with a count check may gain or lose rows.
    Zero weight marks a guard: it adds nothing to the fraction, but the score is 0 when it fails.
    """

    id: str
    kind: CheckKind
    weight: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    table: str = ""
    where: dict[str, Any] = Field(default_factory=dict)
    expect: Any = None
    path: str = ""
    match: Match = "exact"
    tolerance: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    normalised: tuple[str, ...] = Field(default=(), description="columns compared without case, spacing, punctuation")
    free: tuple[FreeChange, ...] = ()
    free_columns: tuple[str, ...] = Field(default=(), description="of a changed row: columns that may change too")
    inserted: bool = Field(default=False, description="`expect` describes new rows, not the row `where`")
    fresh: tuple[str, ...] = Field(
        default=(), description="inserted: columns whose value no row had before, and no other new row has"
    )
    of_new: dict[str, str] = Field(
        default_factory=dict, description="inserted: columns that hold the key of a new row -> the table of that row"
    )
    count: int = Field(default=1, ge=1)


class RubricItem(Record):
    """One thing a good solution does. Backed by checks, or judged (weight 0 until a calibrated judge is recorded)."""

    id: str
    text: str
    checks: tuple[str, ...] = ()
    weight: float = 1.0
    judge: str = ""


class GoldCall(Record):
    """A call of the gold solution. A string "$3.items[0].id" is a value of the third call's result (from 1)."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    writes: bool = False


class Difficulty(Record):
    """What a task asks of an agent; measured, see synth/difficulty.py."""

    level: int = Field(ge=1, le=5)
    minimal_calls: int
    tools: int
    depth: int = Field(description="longest chain of calls in which each needs the one before")
    branches: int = 0
    writes: int = 0
    entities: int = Field(default=0, description="candidates that must be told apart")
    pages: int = 0
    distractors: int = 0
    shortcuts: tuple[str, ...] = Field(
        default=(),
        description="how reads of the written solution were replaced by fewer calls, if the search found such a gold",
    )
    saved_calls: int = Field(default=0, description="calls of the written solution that the gold does without")


class TaskCertificate(Record):
    """Verdicts of the task gates, and what baseline agents reached (pass@k by agent and k)."""

    gates: tuple[GateResult, ...]
    baselines: dict[str, dict[str, float]] = Field(default_factory=dict)


class Task(Record):
    """A line of tasks.jsonl."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="also the name of its program and verifier")
    environment_id: str
    environment_hash: str
    kind: Literal["graph", "program"]
    intent: Intent
    register_of_speech: Register = "polite"
    instruction: str
    words_by: str = Field(default="", description="who worded the instruction; nothing: the author of the goal")
    now: str = Field(
        pattern=r"^(1[6-9]|20)\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
        description="the World's time when the episode begins; who gets the instruction is told it, or "
        '"today" and "Thursday the 6th" mean nothing',
    )
    answer_schema: dict[str, Any]
    checks: tuple[Check, ...]
    rubric: tuple[RubricItem, ...] = ()
    gold: tuple[GoldCall, ...] = Field(default=(), description="graph: data-flow with references; program: its trace")
    gold_answer: dict[str, Any] = Field(default_factory=dict, description="graph: references; program: the values")
    difficulty: Difficulty
    certificate: TaskCertificate


class Wording(Record):
    """What a model made of the texts of a set: how many it was asked for, how many passed, why the others did not."""

    author: str = Field(description="agent:<model> and the prompts, with the hash of their texts")
    asked: int = Field(ge=0)
    kept: int = Field(ge=0, description="passed the check, the reviewer and every gate")
    tries: int = Field(ge=0, description="texts that were written, repairs included")
    refused: dict[str, int] = Field(default_factory=dict, description="what stopped the others: writer, or a gate")
    before: dict[str, float] = Field(
        default_factory=dict, description="variety of the set in the words of the compiled author"
    )
    after: dict[str, float] = Field(default_factory=dict, description="variety of the set as it is")


class TaskSetCertificate(Record):
    """certificate.json of tasks/<environment>/: what was asked for, what came of it, verdicts on the set as a whole.

    Like an environment's it holds no times and no host facts. `files` binds it to the bytes beside it.
    """

    environment_id: str
    environment_hash: str
    author: str = "compiled"
    seed: int
    wanted: int
    levels: tuple[int, ...] = (1, 2, 3, 4, 5)
    mix: dict[str, float] = Field(default_factory=dict, description="kind -> share that was asked for; nothing: any")
    tried: int = Field(description="candidates, rejected ones included")
    rejected: dict[str, int] = Field(default_factory=dict, description="gate or part of a family -> candidates")
    gates: tuple[GateResult, ...] = Field(description="verdicts on the set: balance, variety")
    figures: dict[str, Any] = Field(default_factory=dict, description="levels, calls, families, tools of the set")
    wording: Wording | None = Field(default=None, description="what a model made of the texts; null: it was not asked")
    files: dict[str, str] = Field(default_factory=dict, description="path -> SHA-256")


class RejectedTask(Record):
    """A line of rejected.jsonl: a candidate that a gate stopped. A few of each family and gate stand there."""

    family: str
    kind: str
    parameters: dict[str, Any]
    gate: str
    reasons: tuple[str, ...]
    instruction: str = ""
