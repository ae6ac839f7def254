"""The report: a kernel with a tiling on one page, with pictures of what its tiles move and when."""

from loadstone.reporting.data import BufferSummary, Report, gather_report
from loadstone.reporting.page import emit_report

__all__ = ["BufferSummary", "Report", "emit_report", "gather_report"]
