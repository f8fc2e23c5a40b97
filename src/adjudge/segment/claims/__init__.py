"""Text into claims that stand on their own, offline."""

from adjudge.segment.claims.split import Claim, claims_of_sentences, main_topic, split_claims

__all__ = ["Claim", "claims_of_sentences", "main_topic", "split_claims"]
