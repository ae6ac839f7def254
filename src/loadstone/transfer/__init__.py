"""Load and store: exactly what each tile must bring from external memory and take back [RR-7697]."""

from loadstone.transfer.plan import ArrayPlan, Plan, make_plan

__all__ = ["ArrayPlan", "Plan", "make_plan"]
