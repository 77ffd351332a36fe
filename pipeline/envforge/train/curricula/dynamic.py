"""Dynamic sampling of DAPO (arXiv 2503.14476): tasks as they come, and groups that say nothing are played over.

    a group is kept only if  0 < |{o_i : o_i passes}| < G

A group in which all episodes are worth the same has no advantage to learn from. Others are drawn and played until the
batch is full (`filling.fill`); what was played for nothing counts as played. Kept is what differs, so that rewards
with more values than two are told apart too.
"""

from __future__ import annotations

from envforge.core.records.curriculum import GroupResult
from envforge.train.curricula.uniform import Uniform


class Dynamic(Uniform):
    """Uniform, without groups that are all right or all wrong."""

    name = "dapo"

    def keeps(self, result: GroupResult) -> bool:
        """Only what differs."""
        return result.varied
