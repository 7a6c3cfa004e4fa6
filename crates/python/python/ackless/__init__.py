"""What TCP acknowledgements cost on Wi-Fi, and what takes them off the air.

    >>> import ackless
    >>> run = ackless.run("wifi-80211n", seed=3, set={"stations.count": 10})
    >>> run.goodput_mbps
    >>> ackless.compare("wifi-80211n")

:func:`run`, :func:`compare` and :func:`sweep` are the commands of that name; :class:`Cell` is a run that goes step by step.
:func:`scenarios`, :func:`schemes`, :func:`keys` and :func:`model` say what there is.

Tables (:class:`Table`) speak the Arrow PyCapsule interface: ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and
``pandas.DataFrame.from_arrow(table)`` share their memory (pandas 3; before it, ``pyarrow.table(table).to_pandas()``).

A mistake is a :class:`ValueError` that names the key and the remedy. Ctrl-C stops what runs.
"""

from ._cell import Cell, Flow
from ._experiments import Comparison, Run, Sweep, compare, run, sweep
from ._native import VERSION as __version__
from ._plot import plot
from ._reference import Key, Theory, keys, model, scenarios, schemes
from ._scenario import Scenario
from ._table import Table

__all__ = [
    "Cell",
    "Comparison",
    "Flow",
    "Key",
    "Run",
    "Scenario",
    "Sweep",
    "Table",
    "Theory",
    "__version__",
    "compare",
    "keys",
    "model",
    "plot",
    "run",
    "scenarios",
    "schemes",
    "sweep",
]
