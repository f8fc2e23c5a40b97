"""docs/metrics.md, made from the specs: `python -m adjudge.report.reference > docs/metrics.md`."""

from __future__ import annotations

from adjudge.metrics.ratios import describe
from adjudge.report.catalogue import built_in


def metrics_markdown() -> str:
    """Every metric with formula, source and empty case, a table a protocol."""
    lines = [
        "# Metrics",
        "",
        "Made from the code by `python -m adjudge.report.reference`; `adjudge list metrics` prints the same.",
        "Values are 0 to 1, higher is better unless marked ↓. Counts are per sample.",
    ]
    for protocol in built_in():
        lines += ["", f"## {protocol.name}", "", protocol.summary, ""]
        lines += ["| metric | what | formula | empty | fold | source |", "|---|---|---|---|---|---|"]
        for spec in protocol.all_specs():
            name = spec.name.partition(".")[2] + ("" if spec.higher_is_better else " ↓")
            cells = (name, spec.description, describe(spec.formula), spec.empty, spec.headline, spec.source)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(metrics_markdown(), end="")
