"""What `envforge train` is told: a preset or a file of the user's (docs/training.md, "Settings")."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from envforge.core.records.base import Record
from envforge.core.records.rewarding import Rewarding

LossType = Literal["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo"]
Engine = Literal["transformers", "vllm-colocate", "vllm-server"]
Sharding = Literal["none", "ddp", "zero2", "zero3", "fsdp2"]


class OwnModel(Record):
    """A model that is made here: weights drawn by the seed, and a vocabulary learnt from the tools and examples."""

    vocabulary: int = Field(default=1024, ge=300, le=200_000, description="tokens, those of whole texts apart")
    hidden: int = Field(default=64, ge=8)
    layers: int = Field(default=2, ge=1)
    heads: int = Field(default=4, ge=1)
    key_value_heads: int = Field(default=2, ge=1)
    head_size: int = Field(default=16, ge=2)
    between: int = Field(default=128, ge=8, description="width of the feed-forward layers")
    context: int = Field(default=8192, ge=256, description="longest conversation in tokens")

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.heads % self.key_value_heads:
            raise ValueError(f"heads: {self.heads} is no multiple of key_value_heads, {self.key_value_heads}")
        return self


class Adapter(Record):
    """LoRA: small matrices beside frozen weights."""

    rank: int = Field(default=32, ge=1)
    alpha: int = Field(default=64, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: str = Field(default="all-linear", description="names of layers, separated by commas; or all-linear")


class TrainedModel(Record):
    """Which weights are trained, and how many of them."""

    base: str = Field(default="", description="folder or id on the Hub; nothing: `own`")
    revision: str = ""
    own: OwnModel | None = None
    adapter: Adapter | None = Field(default=None, description="nothing: all weights are trained")
    thinking: bool = Field(default=False, description="the template lets the model think aloud before it acts")
    billions: float | None = Field(default=None, gt=0, description="parameters, for the plan; nothing: by the name")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.base) == (self.own is not None):
            raise ValueError("give either `base` or `own`")
        return self


class SftStage(Record):
    """Imitation of examples: only what the assistant says is trained on."""

    steps: int = Field(ge=1)
    batch: int = Field(default=8, ge=1, description="examples of one pass, on each device")
    accumulation: int = Field(default=1, ge=1)
    learning_rate: float = Field(default=1e-5, gt=0)
    warmup: float = Field(default=0.03, ge=0, le=1, description="share of the steps")
    longest: int = Field(default=8192, ge=64, description="tokens; a longer example is left out, never cut")
    levels: tuple[int, ...] = Field(default=(), description="of tasks; nothing: all")
    save_every: int = Field(default=100, ge=1)


class GrpoStage(Record):
    """Learning from rewards: several rollouts of each task, compared with each other."""

    steps: int = Field(ge=1)
    tasks: int = Field(ge=1, description="of one step")
    rollouts: int = Field(default=8, ge=2, description="of each task")
    batch: int = Field(default=8, ge=1, description="rollouts of one pass, on each device")
    learning_rate: float = Field(default=1e-6, gt=0)
    warmup: float = Field(default=0.0, ge=0, le=1)
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    loss: LossType = "dapo"
    clip_low: float = Field(default=0.2, gt=0)
    clip_high: float = Field(default=0.28, gt=0)
    scale: Literal["group", "batch", "none"] = "group"
    beta: float = Field(default=0.0, ge=0, description="weight of the distance to the first model")
    entropy: float = Field(default=0.0, ge=0, description="weight of an entropy bonus")
    passes: int = Field(default=1, ge=1, description="optimiser passes over the same rollouts")
    temperature: float = Field(default=1.0, gt=0)
    trajectory_tokens: int = Field(ge=16, description="of all answers and results together; what is longer ends")
    turn_tokens: int = Field(ge=8, description="of one answer")
    turns: int = Field(default=60, ge=1, description="rounds of calls")
    shown_bytes: int = Field(default=32_768, ge=512, description="of one result")
    levels: tuple[int, ...] = ()
    curriculum: str = Field(default="uniform", description="which tasks come next: a name in train/curricula")
    curriculum_settings: dict[str, Any] = Field(default_factory=dict)
    zero_variance: Literal["keep", "drop"] = Field(
        default="drop", description="drop: groups of one reward count in no average; keep: as zeros"
    )
    truncated: Literal["train", "mask"] = Field(
        default="mask", description="mask: what was cut off at a limit is not trained on"
    )
    rewarding: Rewarding = Rewarding()
    loop: Literal["environments", "rollouts"] = Field(
        default="environments", description="environments: TRL's own loop; rollouts: ours, calls of a batch at once"
    )
    patience: int = Field(
        default=20, ge=0, description="steps in which all rewards of a task were equal, after which the run is given up"
    )
    save_every: int = Field(default=50, ge=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.clip_high < self.clip_low:
            raise ValueError("clip_high: is below clip_low")
        if (self.tasks * self.rollouts) % self.batch:
            raise ValueError(f"batch: {self.tasks} × {self.rollouts} rollouts do not divide by {self.batch}")
        if self.rewarding.malformed:
            raise ValueError(
                "rewarding.malformed: takes nothing away here, an answer that cannot be read ends the episode"
            )
        return self


class EvaluationPlan(Record):
    """How often the model is tried on what it is not trained on, by the trainer's own rules."""

    every: int = Field(default=50, ge=0, description="GRPO steps; 0: only before and after")
    tasks: int = Field(default=32, ge=1, description="of each split, evenly over levels")
    samples: int = Field(default=1, ge=0, description="sampled attempts beside the greedy one")
    batch: int = Field(default=16, ge=1)


class Serving(Record):
    """Who generates."""

    engine: Engine = "transformers"
    memory: float = Field(default=0.35, gt=0, lt=1, description="share of a GPU for vLLM, colocated")
    longest: int = Field(default=8192, ge=256, description="tokens of prompt and trajectory together")
    sleep: bool = Field(default=True, description="vLLM frees its memory while weights are updated")
    url: str = Field(default="http://127.0.0.1:8000", description="of a vLLM server")
    correction: Literal["token_truncate", "sequence_mask", "none"] = "token_truncate"
    correction_cap: float = Field(default=2.0, gt=1)


class Hardware(Record):
    """What the run needs."""

    device: Literal["cpu", "gpu"] = "cpu"
    gpus: int = Field(default=0, ge=0)
    gigabytes: float = Field(default=0, ge=0, description="memory of one GPU")
    sharding: Sharding = "none"

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if (self.device == "gpu") != (self.gpus > 0):
            raise ValueError("gpus: a run on GPUs needs at least one, a run on the CPU has none")
        if self.gpus <= 1 and self.sharding != "none":
            raise ValueError(f"sharding: {self.sharding} needs several GPUs")
        return self


class DataChoice(Record):
    """Which tasks, when no training set is given."""

    environments: tuple[str, ...] = Field(default=(), description="nothing: all that have tasks")
    levels: tuple[int, ...] = (1, 2, 3, 4, 5)
    holdout_families: tuple[str, ...] = ()
    holdout_seeds: tuple[int, ...] = ()


class TrainConfig(Record):
    """A run: stages in their order, each on what the one before left."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    note: str = Field(default="", description="what is known of these values, and what is not")
    model: TrainedModel
    data: DataChoice = DataChoice()
    sft: SftStage | None = None
    grpo: GrpoStage | None = None
    evaluation: EvaluationPlan = EvaluationPlan()
    serving: Serving = Serving()
    hardware: Hardware = Hardware()
    workers: int = Field(default=1, ge=1, le=256, description="processes of an environment")
    seed: int = 0

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if self.sft is None and self.grpo is None:
            raise ValueError("there is neither `sft` nor `grpo`: nothing would be trained")
        if self.serving.engine != "transformers" and self.hardware.device == "cpu":
            raise ValueError("serving.engine: vLLM needs a GPU")
        stage, gpus = self.grpo, max(1, self.hardware.gpus)
        if stage is not None and (stage.tasks * stage.rollouts) % (stage.batch * gpus):
            rollouts = f"{stage.tasks} × {stage.rollouts} rollouts"
            raise ValueError(f"grpo.batch: {rollouts} do not divide by {stage.batch} on each of {gpus} GPUs")
        return self
