"""F1@K: precision of the facts that were rated, recall up to the K-th supported one. Pure, unrounded."""

from __future__ import annotations

from adjudge.metrics.ratios import harmonic, ratio

DEFAULT_K = 100


def precision(supported: int, not_supported: int) -> float:
    """Supported over supported and not supported; 0 without supported facts. Irrelevant ones never count."""
    _check_counts(supported, not_supported)
    return ratio(supported, supported + not_supported) or 0.0


def recall_at_k(supported: int, k: int = DEFAULT_K) -> float:
    """Share of the K facts a reader cares for; more than K count no further."""
    _check_k(k)
    _check_counts(supported)
    return min(1.0, ratio(supported, k) or 0.0)


def f1_at_k(supported: int, not_supported: int, k: int = DEFAULT_K) -> float:
    """Harmonic mean of both; 0 without supported facts."""
    _check_k(k)
    return harmonic(precision(supported, not_supported), recall_at_k(supported, k))


def _check_k(k: int) -> None:
    if k <= 0:
        raise ValueError(f"K must be positive, not {k}")


def _check_counts(*counts: int) -> None:
    if min(counts) < 0:
        raise ValueError(f"counts of facts cannot be negative: {', '.join(map(str, counts))}")
