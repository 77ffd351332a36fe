"""Settings, plan, launch files and machine: what a run is told, and what is refused before it begins."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import TrainConfig
from envforge.train import installed, machine
from envforge.train.launch import accelerate_settings, commands, launch_files
from envforge.train.plan import plan_of, size_of
from envforge.train.settings import preset_names, read_preset, read_settings

OWN: dict[str, Any] = {"name": "mine", "model": {"own": {}}, "grpo": {"steps": 1, "tasks": 1, "trajectory_tokens": 64,
       "turn_tokens": 16}}  # fmt: skip


def written(folder: Path, **changed: Any) -> Path:
    path = folder / "settings.yaml"
    path.write_text(yaml.safe_dump({**OWN, **changed}))
    return path


def test_every_preset_can_be_read_and_is_named_like_its_file() -> None:
    assert preset_names() == ["8xh100-14b", "cpu-learn", "cpu-smoke", "h200-8b"]
    assert [read_preset(name).name for name in preset_names()] == preset_names()


def test_the_published_values_stand_in_the_presets_for_gpus() -> None:
    for name in ("h200-8b", "8xh100-14b"):
        stage = read_preset(name).grpo
        assert stage is not None
        assert (stage.tasks, stage.rollouts, stage.clip_low, stage.clip_high) == (32, 8, 0.2, 0.28)
        assert (stage.temperature, stage.beta) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"grpo": {**OWN["grpo"], "clip_hihg": 0.3}}, "grpo.clip_hihg"),
        ({"grpo": {**OWN["grpo"], "rollouts": 1}}, "grpo.rollouts"),
        ({"grpo": {**OWN["grpo"], "batch": 5}}, "do not divide by 5"),
        ({"grpo": {**OWN["grpo"], "clip_high": 0.1}}, "clip_high"),
        ({"grpo": {**OWN["grpo"], "rewarding": {"malformed": 0.1}}}, "rewarding.malformed: takes nothing away"),
        ({"hardware": {"device": "gpu", "gpus": 3, "sharding": "ddp"}}, "8 rollouts do not divide by 8 on each of 3"),
        ({"grpo": None}, "neither `sft` nor `grpo`"),
        ({"model": {"own": {}, "base": "some/model"}}, "either `base` or `own`"),
        ({"model": {"own": {"heads": 3}}}, "no multiple of key_value_heads"),
        ({"serving": {"engine": "vllm-colocate"}}, "vLLM needs a GPU"),
        ({"hardware": {"device": "gpu"}}, "needs at least one"),
        ({"hardware": {"device": "gpu", "gpus": 1, "sharding": "zero3"}}, "needs several GPUs"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_file_and_field(
    changed: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, **changed)
    with pytest.raises(ConfigError, match=words) as error:
        read_settings(path)
    assert error.value.where == str(path)


def test_what_is_no_yaml_and_what_is_no_mapping_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    for text, words in (("a: [", "is no YAML"), ("- 1\n", "holds no settings")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            read_settings(path)


def test_an_unknown_preset_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError) as error:
        read_preset("h100")
    assert "cpu-smoke" in error.value.remedy


def test_a_preset_for_gpus_is_refused_where_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "gpus", list)
    with pytest.raises(ConfigError, match="1 GPUs are needed, torch sees 0") as error:
        machine.refuse_machine(read_preset("h200-8b"))
    assert "--dry-run" in error.value.remedy
    machine.refuse_machine(read_preset("cpu-smoke"))


def test_gpus_that_are_too_small_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "gpus", lambda: [("small", 24.0)])
    with pytest.raises(ConfigError, match="GPUs of 141 GB are needed, one has 24"):
        machine.refuse_machine(read_preset("h200-8b"))


@pytest.mark.parametrize(("preset", "seen", "started"), [("8xh100-14b", 8, 1), ("h200-8b", 1, 8), ("cpu-smoke", 0, 2)])
def test_another_number_of_processes_than_the_settings_count_with_is_refused(
    preset: str, seen: int, started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "gpus", lambda: [("large", 141.0)] * seen)
    monkeypatch.setenv("WORLD_SIZE", str(max(1, seen)))
    machine.refuse_machine(read_preset(preset))
    monkeypatch.setenv("WORLD_SIZE", str(started))
    with pytest.raises(ConfigError, match=f"there are {started}") as error:
        machine.refuse_machine(read_preset(preset))
    assert "--dry-run" in error.value.remedy


def test_one_process_that_sees_several_gpus_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "gpus", lambda: [("large", 141.0)] * 2)
    with pytest.raises(ConfigError, match="one GPU is wanted, torch sees 2") as error:
        machine.refuse_machine(read_preset("h200-8b"))
    assert "CUDA_VISIBLE_DEVICES" in error.value.remedy


def test_a_server_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_preset("h200-8b")
    serving = config.serving.model_copy(update={"engine": "vllm-server", "url": "http://127.0.0.1:1"})
    monkeypatch.setattr(machine, "gpus", lambda: [("large", 141.0)])
    with pytest.raises(ConfigError, match="no vLLM server answers"):
        machine.refuse_machine(config.model_copy(update={"serving": serving}))


@pytest.mark.parametrize(("here", "words"), [("", "trl is not installed"), ("1.15.0", "trl 1.15.0 is installed")])
def test_packages_of_other_versions_are_refused(here: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"torch": "2.13.0+cpu", "transformers": "5.17.0", "trl": here, "accelerate": "1.15.0"}
    versions |= {"datasets": "5.2.0", "peft": "0.21.2"}
    monkeypatch.setattr(installed, "found", lambda package: versions[package])  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(ConfigError, match=words) as error:
        installed.require()
    assert "envforge[train]" in error.value.remedy
    versions["trl"] = "1.16.0"
    installed.require()


def test_the_plan_of_eight_gpus_fits_and_counts_what_a_step_takes() -> None:
    config = read_preset("8xh100-14b")
    plan = plan_of(config, ("a command",))
    assert plan.rollouts_per_step == 256 and plan.passes_per_step == 32
    assert plan.tokens_per_step == 256 * 16_384
    assert plan.weights_gb == pytest.approx(14.8e9 * 16 / 8 / 2**30)
    assert plan.total_gb < config.hardware.gigabytes
    alone = config.hardware.model_copy(update={"gpus": 1, "sharding": "none"})
    assert plan_of(config.model_copy(update={"hardware": alone}), ()).total_gb > config.hardware.gigabytes


@pytest.mark.parametrize(
    ("base", "parameters"),
    [("Qwen/Qwen3-8B", 8e9), ("Qwen2.5-Coder-0.5B-Instruct", 0.5e9), ("SmolLM2-135M", 135e6), ("some/model", 0.0)],
)
def test_the_size_of_a_model_is_read_from_its_name(base: str, parameters: float) -> None:
    config = TrainConfig.model_validate({**OWN, "model": {"base": base}})
    assert size_of(config) == parameters
    assert any("model.billions" in note for note in plan_of(config, ()).notes) == (not parameters)


def test_launch_files_say_how_weights_are_shared(tmp_path: Path) -> None:
    files = launch_files(tmp_path)
    kinds = {path.name: yaml.safe_load(path.read_text())["distributed_type"] for path in files}
    assert kinds == {
        "accelerate-1gpu.yaml": "NO",
        "accelerate-8gpu-ddp.yaml": "MULTI_GPU",
        "accelerate-8gpu-zero2.yaml": "DEEPSPEED",
        "accelerate-8gpu-zero3.yaml": "DEEPSPEED",
        "accelerate-8gpu-fsdp2.yaml": "FSDP",
    }
    assert accelerate_settings(8, "zero3")["deepspeed_config"]["zero_stage"] == 3


def test_commands_name_the_launch_file_and_the_server(tmp_path: Path) -> None:
    config = read_preset("h200-8b")
    (start,) = commands(config, ["--preset", "h200-8b"], tmp_path)
    assert start.startswith("accelerate launch") and "accelerate-1gpu.yaml" in start
    served = config.model_copy(update={"serving": config.serving.model_copy(update={"engine": "vllm-server"})})
    server, _ = commands(served, [], tmp_path)
    assert "vllm serve Qwen/Qwen3-8B" in server and "--port 8000" in server


def test_commands_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    given = ["--config", "my settings.yaml", "--model", "$(date)"]
    (start,) = commands(read_preset("h200-8b"), given, tmp_path / "a run")
    assert shlex.split(start)[-5:] == ["train", *given]
    assert str(tmp_path / "a run" / "accelerate-1gpu.yaml") in shlex.split(start)
