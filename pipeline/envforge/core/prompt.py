"""A prompt: text with places to be filled in, known by its name and its hash."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.core.ids import sha256_text


@dataclass(frozen=True)
class Prompt:
    """A prompt before anything of a task is filled in. Its name holds its version: "researcher-1"."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """What stands in records: another text is another prompt."""
        return sha256_text(self.text)

    def filled(self, **values: str) -> str:
        """The text with values for its {{places}}."""
        text = self.text
        for name, value in values.items():
            text = text.replace("{{" + name + "}}", value)
        return text.strip()
