"""Why somebody asks, by what is asked: nobody looks for an address because a sum went wrong.

An opening comes before anything is named, so none of them says "it", "this" or "them".
"""

from __future__ import annotations

from typing import Literal

Asked = Literal["contact", "reach", "who", "state", "count", "list", "sum", "most"]
OPENINGS: dict[Asked, tuple[str, ...]] = {
    "contact": (
        "I have a letter to send today.",
        "My address book is out of date.",
        "There is a gap in my address book.",
    ),
    "reach": (
        "I have a question and want to ask the right person.",
        "I have to write to somebody today.",
        "There is something to be cleared up, and I'd like to write to the right person.",
    ),
    "who": (
        "I'm no good with names.",
        "I'd like to thank the right person.",
        "I want to be sure that I get a name right.",
    ),
    "state": (
        "I was asked just now and didn't know.",
        "Somebody is waiting for an answer from me.",
        "I promised to have an answer ready.",
    ),
    "count": (
        "I need one more figure for a report.",
        "Somebody wants a figure from me.",
        "I was asked for a number and promised to find out.",
    ),
    "list": (
        "I'm writing a note and want it to be complete.",
        "Somebody asked me for a list.",
        "I have to pass on a list, and nothing should be missing from it.",
    ),
    "sum": (
        "I have to write down a total.",
        "Somebody wants a total from me.",
        "I was asked for a total and have only the single figures.",
    ),
    "most": (
        "I'd like to know what stands out.",
        "I was asked what stands out.",
        "I'm looking for what deserves a second look.",
    ),
}
LONG: dict[Asked, tuple[str, ...]] = {
    "contact": (
        "I was about to send a letter off and saw that the address I had is years old.",
        "I've been through my address book from end to end, and of course the one that I need isn't in it.",
    ),
    "reach": (
        "I've had a question on my mind all morning and would rather put it to the right person than to everybody.",
        "I was going to write to everybody, but that is a lot of people for one small question.",
    ),
    "who": (
        "I was sure that I knew everybody by heart, and then I had to say a name aloud.",
        "I'm about to walk into a meeting and would rather not call anybody by the wrong name.",
    ),
    "state": (
        "Somebody asked me on the phone just now and I had no answer, which was a little embarrassing.",
        "I looked through my own notes first, and they don't say.",
        "I should know without looking, but I've been away and lost track.",
    ),
    "count": (
        "I'm writing the monthly report, and one figure is still missing.",
        "A colleague and I have counted and came to different numbers, so another look can't hurt.",
    ),
    "list": (
        "I was asked for a list in a meeting, and I didn't want to say anything wrong from memory.",
        "I wrote a list from memory, and a colleague found the first gap within a minute.",
    ),
    "sum": (
        "I was asked for a total on the phone and had only the single figures, so I said I would ring back.",
        "A colleague and I came to different totals, so neither of us trusts the other any more.",
    ),
    "most": (
        "We got to talking about what stands out, and everybody was sure of something else.",
        "I have a guess, but my guesses have been wrong before, so I'd rather have somebody look.",
    ),
}
"""The same in the words of somebody who rambles."""
