"""Text into claims that stand on their own, offline."""

from adjudge.segment.claims.split import Claim, claims_of_sentences, split_claims

__all__ = ["Claim", "claims_of_sentences", "split_claims"]
