"""Client library for Gantt, a placement service.

:class:`SchedulerClient` has the calls that the scheduler library of
OpenStack's Juno and Kilo releases defined.  :class:`Client` has today's
calls, and :class:`AsyncClient` has them for asyncio.
"""

from ganttclient._reports import Reporter
from ganttclient._retry import Clock, Stop
from ganttclient._stream import Stream
from ganttclient.aio import AsyncClient
from ganttclient.client import Client
from ganttclient.exceptions import (
    ClaimLost,
    GanttError,
    InstanceTaken,
    Invalid,
    NotConfirmed,
    NoValidHost,
    RoomLost,
    ServiceError,
    UnknownOutcome,
    UnreachableError,
)
from ganttclient.hold import Hold
from ganttclient.models import Claim, Destination, Host, HostState, Placement
from ganttclient.scheduler import SchedulerClient

__version__ = "0.2.0"

__all__ = [
    "AsyncClient",
    "Claim",
    "ClaimLost",
    "Client",
    "Clock",
    "Destination",
    "GanttError",
    "Hold",
    "Host",
    "HostState",
    "InstanceTaken",
    "Invalid",
    "NoValidHost",
    "NotConfirmed",
    "Placement",
    "Reporter",
    "RoomLost",
    "SchedulerClient",
    "ServiceError",
    "Stop",
    "Stream",
    "UnknownOutcome",
    "UnreachableError",
]
