"""Verdicts as plain data for programs."""

from __future__ import annotations

import math

from kdelta.model.gate import Checked, Gate
from kdelta.model.verdict import Agreement, Judgement, Mean, Ratio, Side

Data = dict[str, object]


def as_json(judgement: Judgement, gate: Gate) -> Data:
    """All of a judgement, the unit in each key. null is what is not known, and an end that an interval does not have.

    Changes are those of the value, whichever direction is better; slowdowns of the gate and geometric means are of the cost.
    `gate` must be that of `judgement`: each contrast is given with what it is to it.
    """
    return {
        "axis": judgement.axis.value,
        "alpha": _number(judgement.alpha),
        "margin_percent": _percent(judgement.margin),
        "adjustment": judgement.adjustment,
        "first_look_rounds": judgement.looks[0] if judgement.looks else None,
        "last_look_rounds": judgement.looks[1] if judgement.looks else None,
        "contrasts": [_contrast(checked) for checked in gate.checked],
        "refused": list(judgement.refused),
        "geometric_means": [_mean(mean) for mean in judgement.means],
        "agreements": [_agreement(agreement) for agreement in judgement.agreements],
        "gate": {
            "breaches": len(gate.breaches),
            "unused_thresholds": list(gate.unused),
        },
    }


def _contrast(checked: Checked) -> Data:
    verdict = checked.verdict
    return {
        "base": _side(verdict.base),
        "new": _side(verdict.new),
        "answer": verdict.answer.value,
        **_change(verdict.ratio),
        "p": _number(verdict.p),
        "p_adjusted": _number(verdict.p_adjusted),
        "base_boots": verdict.boots[0],
        "new_boots": verdict.boots[1],
        "common_rounds": verdict.rounds,
        "needed_rounds": verdict.needed,
        "boot_sd_percent": _percent(verdict.sd),
        "visible_change_percent": _percent(verdict.visible),
        "beyond_margin": verdict.beyond,
        "real_though_equivalent": verdict.tiny,
        "why": verdict.why,
        "doubts": list(verdict.doubts),
        "standing": checked.standing.value,
        "threshold_percent": _percent(checked.threshold),
        "slowdown_percent": _percent(checked.slowdown),
    }


def _side(side: Side) -> Data:
    metric = side.benchmark.metric
    return {
        "box": side.box.name,
        "cpus": side.box.cpus,
        "column": side.variant,
        "benchmark": side.benchmark.name,
        "metric": metric.name,
        "unit": metric.unit,
        "better": metric.better.value,
    }


def _change(ratio: Ratio | None) -> Data:
    """An end at which the interval is open, at 0 or infinity, is null."""
    value, low, high = (ratio.value, ratio.low or math.inf, ratio.high) if ratio else (None, None, None)
    ratios = {"ratio": value, "ratio_low": low, "ratio_high": high}
    percents = {"change_percent": value, "change_low_percent": low, "change_high_percent": high}
    return {
        **{key: _number(one) for key, one in ratios.items()},
        **{key: _percent(None if one is None else one - 1.0) for key, one in percents.items()},
    }


def _mean(mean: Mean) -> Data:
    return {
        "box": mean.box.name,
        "base": mean.base,
        "new": mean.new,
        "answer": mean.answer.value,
        **{f"cost_{key}": value for key, value in _change(mean.ratio).items()},
        "benchmarks": list(mean.benchmarks),
        "left_out": list(mean.left_out),
        "common_rounds": mean.rounds,
    }


def _agreement(agreement: Agreement) -> Data:
    dissents = [{"box": one.box, "answer": one.answer.value, "facts": list(one.facts)} for one in agreement.dissents]
    return {
        "base": agreement.base,
        "new": agreement.new,
        "benchmark": agreement.benchmark,
        "answer": agreement.answer.value,
        "boxes": list(agreement.boxes),
        "dissents": dissents,
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _percent(share: float | None) -> float | None:
    percent = _number(None if share is None else 100.0 * share)
    return None if percent is None else round(percent, 10)
