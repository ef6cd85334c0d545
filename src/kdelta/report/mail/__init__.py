"""A run as a mail to a kernel list: plain ASCII, at most 78 columns, the answer first."""

from __future__ import annotations

from kdelta.report.mail.letter import render

__all__ = ["render"]
