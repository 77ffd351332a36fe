"""Words that say nothing about a goal: small words of grammar and courtesy, and the frames of the registers."""

from __future__ import annotations

from collections.abc import Mapping

from envforge.core.records.intent import Register

_SMALL = (
    "a an the this that these those such same other another each every all any some none no not both either neither "
    "i i'm i've i'd i'll me my mine we we're we've we'd we'll us our ours you you're you've you'd you'll your yours "
    "he he's she she's it it's its they they're they've them their theirs his her hers him who who's whose whom which "
    "what what's when where why how there there's here here's everyone everybody anyone anybody someone somebody "
    "nobody everything anything something nothing one ones "
    "is isn't are aren't was wasn't were weren't be been being am do don't does doesn't did didn't done have haven't "
    "has hasn't had having can can't could couldn't will won't would wouldn't shall should shouldn't may might must "
    "need needs want wants like let let's get go going got make sure "
    "and or but so nor yet if then than as because since while until till unless though although whether "
    "of in on at by for from to with without into onto about after before between during over under through across "
    "up down out off near per via within against among upon around along back "
    "just also too very really quite only even still already again once now right well much many more most less "
    "least few little lot bit rather else instead please thanks thank kindly ask asking favour favor help mind hi "
    "hello hey ok okay oh yes sorry anyway maybe perhaps actually basically finally first last "
    "know tell let say see look looking take give thing things way able possible"
)
FUNCTION_WORDS = frozenset(_SMALL.split())
ABBREVIATIONS = frozenset({"e.g.", "i.e.", "vs.", "approx.", "inc.", "no.", "etc.", "dr.", "mr.", "mrs.", "ms."})
PROPER = frozenset({"I", "I'm", "I've", "I'd", "I'll", "OK", "UTC", "PS", "P.S", "FYI", "ASAP"})
"""Words that have a capital wherever they stand."""

OPENINGS: Mapping[Register, tuple[str, ...]] = {
    "terse": (),
    "polite": ("Hi,", "Hello,", "Hi there,", "Hello there,"),
    "rambling": ("OK,", "So,", "Right,", "Bear with me on this one.", "Sorry, this is a bit of a long one."),
    "implicit": (),
}
"""What may stand before the text of a register; words that end in a comma or colon run on into its first sentence."""
CLOSINGS: Mapping[Register, tuple[str, ...]] = {
    "terse": (),
    "polite": ("Thanks!", "Thank you!", "Many thanks.", "Thanks a lot."),
    "rambling": (
        *("Thanks!", "I think that's everything.", "Hope that makes sense.", "That's all, I think."),
        *("Sorry for the ramble, and thanks.", "Anyway, thank you.", "OK, that's it from me."),
    ),
    "implicit": (),
}
LENGTHY = frozenset(
    {"Bear with me on this one.", "Sorry, this is a bit of a long one.", "Sorry for the ramble, and thanks."}
    | {"I think that's everything.", "Hope that makes sense.", "That's all, I think.", "OK, that's it from me."}
    | {"Anyway, thank you."}
)
"""Frames that want a text of LONG words or more: nobody asks whether one step made sense."""
LONG = 70
FRAMED = 0.3
"""Share of texts that get an opening, and of those that get a closing instead, where the register has any."""
