"""Runs in an environment of its own, where bfcl-eval is installed: its pins and ours exclude each other.

Reads one JSON object a line from standard input and writes one a line: {"ok": ...} or {"error": text}. Nothing of
envforge is imported here, and nothing of bfcl-eval is written again: items, tools and checker are its own.
"""

import argparse
import contextlib
import importlib
import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Json = dict[str, Any]
OURS, OWN = "envforge-FC", "own-FC"
"""Names in bfcl-eval's registry; it takes an underscore for a slash."""


def _module(name: str) -> Any:
    return importlib.import_module(f"bfcl_eval.{name}")


def _register(name: str, model: str) -> Any:
    """A model that calls functions natively, as bfcl-eval knows them: its handler for OpenAI's protocol."""
    config = _module("constants.model_config")
    handler = _module("model_handler.api_inference.openai_completion").OpenAICompletionsHandler
    config.MODEL_CONFIG_MAPPING[name] = config.ModelConfig(
        model_name=model,
        display_name=model,
        url="",
        org="",
        license="",
        model_handler=handler,
        is_fc_model=True,
        underscore_to_dot=True,
    )
    return handler(model_name=model, temperature=0, registry_name=name, is_fc_model=True)


class Bench:
    """Holds the items of one category."""

    def __init__(self) -> None:
        self.entries: dict[str, Json] = {}

    def items(self, asked: Json) -> Json:
        """Items as a loop needs them: turns, tools, and which tools come later."""
        utils, prompts = _module("utils"), _module("constants.default_prompts")
        found = utils.load_dataset_entry(asked["category"])[: asked["limit"]]
        self.entries = {entry["id"]: entry for entry in found}
        multi = utils.is_multi_turn(asked["category"])
        return {
            "version": version("bfcl-eval"),
            "multi_turn": multi,
            "most_steps": prompts.MAXIMUM_STEP_LIMIT,
            "items": [self._item(entry, prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC) for entry in found],
        }

    def _item(self, entry: Json, more: str) -> Json:
        late = entry.get("missed_function", {})
        turns: list[Json] = []
        for place, messages in enumerate(entry["question"]):
            tools = _tools(late.get(str(place), []))
            turns.append({"messages": messages or [{"role": "user", "content": more}], "more_tools": tools})
        return {"id": entry["id"], "turns": turns, "tools": _tools(entry["function"])}

    def call(self, asked: Json) -> Json:
        """Make one call in the item's own instance. Its name is one of its tools, its arguments are JSON."""
        entry = self.entries[asked["item"]]
        calls = _module("model_handler.utils").convert_to_function_call([{asked["tool"]: asked["arguments"]}])
        results, _ = _module("eval_checker.multi_turn_eval.multi_turn_utils").execute_multi_turn_func_call(
            calls,
            entry.get("initial_config", {}),
            entry["involved_classes"],
            "envforge",
            entry["id"],
            long_context="long_context" in entry["id"],
        )
        return {"result": results[0]}

    def score(self, asked: Json) -> Json:
        """Write results in bfcl-eval's own form, and have it score them."""
        handler = _register(OURS, OURS)
        results = _module("constants.eval_config").RESULT_PATH
        handler.write(asked["results"], result_dir=results, update_mode=True)
        return _scored(OURS, asked["category"], {one["id"] for one in asked["results"]})

    def own(self, asked: Json) -> Json:
        """The same items through bfcl-eval's own loop; what it has answered before is kept."""
        _register(OWN, asked["model"])
        paths, generation = _module("constants.eval_config"), _module("_llm_response_generation")
        wanted = {asked["category"]: list(self.entries)}
        paths.TEST_IDS_TO_GENERATE_PATH.write_text(json.dumps(wanted), encoding="utf-8")
        generation.main(
            argparse.Namespace(
                model=[OWN], test_category=[asked["category"]], temperature=asked["temperature"], run_ids=True,
                include_input_log=False, exclude_state_log=True, num_threads=asked["threads"], num_gpus=0,
                backend="vllm", gpu_memory_utilization=0.0, result_dir=None, allow_overwrite=False,
                skip_server_setup=True, local_model_path=None, lora_modules=None, enable_lora=False,
                max_lora_rank=None,
            )
        )  # fmt: skip
        return _scored(OWN, asked["category"], set(self.entries))


def _tools(functions: list[Json]) -> list[Json]:
    """Functions as bfcl-eval hands them to an endpoint that speaks OpenAI's protocol."""
    utils, mappings = _module("model_handler.utils"), _module("constants.type_mappings")
    style = _module("constants.enums").ModelStyle.OPENAI_COMPLETIONS
    return [one["function"] for one in utils.convert_to_tool(functions, mappings.GORILLA_TO_OPENAPI, style)]


def _scored(name: str, category: str, wanted: set[str]) -> Json:
    paths, utils = _module("constants.eval_config"), _module("utils")
    place = Path(utils.get_directory_structure_by_category(category))
    made = paths.RESULT_PATH / name / place / utils.get_file_name_by_category(category, is_result_file=True)
    answered = [entry for entry in utils.load_file(made) if entry["id"] in wanted]
    broken = [one["id"] for one in answered if str(one["result"]).startswith("Error during inference")]
    _module("eval_checker.eval_runner").main([name], [category], None, None, partial_eval=True)
    scores = paths.SCORE_PATH / name / place / utils.get_file_name_by_category(category, is_score_file=True)
    _, *failed = utils.load_file(scores)
    failures = {one["id"]: _why(one) for one in failed if one["id"] in wanted}
    right = [one["id"] for one in answered if one["id"] not in failures]
    return {"right": right, "failures": failures, "broken": broken}


def _why(failed: Json) -> str:
    """The kind of error, in bfcl-eval's words."""
    kinds = [failed.get("error_type"), _kind(failed.get("error"))]
    return str(next((kind for kind in kinds if kind), "unknown"))


def _kind(error: Any) -> Any:
    return error.get("error_type") if hasattr(error, "get") else None


def main() -> None:
    """Answer until standard input ends. What bfcl-eval prints goes to standard error."""
    bench = Bench()
    commands: dict[str, Callable[[Json], Json]] = {
        "items": bench.items, "call": bench.call, "score": bench.score, "own": bench.own,
    }  # fmt: skip
    os.environ.setdefault("OPENAI_API_KEY", "none")  # its client is made for scoring, too, and wants one
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                told = {"ok": commands[asked["do"]](asked)}
            except Exception as error:  # told to whoever asked, who raises it
                told = {"error": f"{type(error).__name__}: {error}"}
            answers.write(json.dumps(told) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
