"""The elementary steps, by the word that they begin with in a script."""

from loadstone.transform.step_syntax import Step
from loadstone.transform.steps.constrain import Constrain
from loadstone.transform.steps.distribute import Distribute
from loadstone.transform.steps.duplicate import Duplicate
from loadstone.transform.steps.expand import Expand
from loadstone.transform.steps.fuse import Fuse
from loadstone.transform.steps.interchange import Interchange
from loadstone.transform.steps.peel import Peel
from loadstone.transform.steps.reverse import Reverse
from loadstone.transform.steps.schedule import Schedule
from loadstone.transform.steps.shift import Shift
from loadstone.transform.steps.skew import Skew
from loadstone.transform.steps.split import Split
from loadstone.transform.steps.stretch import Stretch
from loadstone.transform.steps.strip_mine import StripMine
from loadstone.transform.steps.tile import Tile
from loadstone.transform.steps.unroll import Unroll

STEPS: tuple[type[Step], ...] = (
    Interchange,
    Skew,
    Reverse,
    Shift,
    Stretch,
    Fuse,
    Distribute,
    StripMine,
    Tile,
    Peel,
    Split,
    Duplicate,
    Constrain,
    Unroll,
    Expand,
    Schedule,
)
BY_WORD = {kind.usage.split()[0]: kind for kind in STEPS}
