"""What the encoder for documents makes of a claim that the other leaves open.

The two err differently: the one for documents is the better judge of errors that arose in writing, the other
of who did what. Where the first is in doubt, the second reads the same windows, and the log odds of both are
averaged; but what the first takes for contradicted is not raised again.
"""

from __future__ import annotations

from adjudge.judges.local.calibration import Signals, log_odds
from adjudge.judges.local.labelling import moved
from adjudge.judges.local.verifier import Opinion

_DOUBT = 1.0
"""Log odds up to which, either way, a claim is read again: about half of what is read in ragchecker."""
_WEIGHT, _NEITHER = 0.5, 0.4
"""How much the second reading counts, and the log odds at which it says neither yes nor no. Chosen, with the
others here, on sets that no encoder was trained on: training/check_reread.py.
"""
_CONTRADICTED = -1.0
"""Mean stance of the weakest sentence below which the first reading takes a claim for contradicted."""


def in_doubt(opinion: Opinion) -> bool:
    """Whether a second reading may change anything."""
    return not opinion.settled and abs(log_odds(opinion.entailed)) < _DOUBT


def weighed(opinion: Opinion, first: Signals, second: float) -> Opinion:
    """An opinion that rests on `first`, with the log odds of a second reading."""
    by = _WEIGHT * (second - _NEITHER - log_odds(opinion.entailed))
    if first.weakest < _CONTRADICTED:
        by = min(by, 0.0)
    return moved(opinion, by)._replace(why=f"{opinion.why}; read again {second:+.1f}")
