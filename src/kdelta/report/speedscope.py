"""Profiles as JSON for speedscope (https://www.speedscope.app/file-format-schema.json, as of release 1.25)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from kdelta.report.frames import frames, origin, shown
from kdelta.report.named import Named

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


class Frame(msgspec.Struct, frozen=True):
    name: str
    file: str


class Sampled(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="sampled", rename="camel"):
    """Each sample is the places of its functions among the frames, the outermost first, and has a weight."""

    name: str
    unit: str
    start_value: float = 0.0
    end_value: float
    samples: list[list[int]]
    weights: list[float]


class Shared(msgspec.Struct, frozen=True):
    frames: list[Frame]


class File(msgspec.Struct, frozen=True, kw_only=True):
    schema: str = msgspec.field(default=SCHEMA, name="$schema")
    exporter: str = "kdelta"
    name: str
    shared: Shared
    profiles: list[Sampled]
    active_profile_index: int = msgspec.field(default=0, name="activeProfileIndex")


def render(profiles: Sequence[Named], *, title: str = "kdelta") -> bytes:
    """The weight of a chain is its time in seconds where that is known, else its count, which has no unit there."""
    places: dict[str, int] = {}
    sampled = [_sampled(profile, places) for profile in profiles]
    shared = Shared([Frame(name, origin(name)[1]) for name in places])
    return msgspec.json.encode(File(name=shown(title), shared=shared, profiles=sampled))


def _sampled(profile: Named, places: dict[str, int]) -> Sampled:
    chains = sorted(profile.counts)
    seconds = profile.seconds
    weights = [profile.counts[chain] * (seconds or 1) for chain in chains]
    samples = [[places.setdefault(name, len(places)) for name in frames(chain)] for chain in chains]
    unit = "none" if seconds is None else "seconds"
    return Sampled(name=shown(profile.name), unit=unit, end_value=math.fsum(weights), samples=samples, weights=weights)
