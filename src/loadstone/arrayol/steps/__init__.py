"""The transformations of specifications, by the word that they begin with in a script."""

from loadstone.arrayol.steps.collapse_task import CollapseTask
from loadstone.arrayol.steps.fuse_tasks import FuseTasks
from loadstone.arrayol.steps.pave_task import PaveTask
from loadstone.arrayol.steps.tile_task import TileTask

TaskStep = FuseTasks | PaveTask | TileTask | CollapseTask
TASK_STEPS = (FuseTasks, PaveTask, TileTask, CollapseTask)
TASK_STEP_BY_WORD = {kind.usage.split()[0]: kind for kind in TASK_STEPS}

__all__ = ["TASK_STEPS", "TASK_STEP_BY_WORD", "CollapseTask", "FuseTasks", "PaveTask", "TaskStep", "TileTask"]
