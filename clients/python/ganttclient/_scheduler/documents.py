"""Nova's dictionaries and objects as JSON."""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any


def document(value: Mapping[str, Any], name: str) -> Any:
    """Return a dictionary of Nova's scheduler calls as JSON.

    Its entry ``context`` is left out: the scheduler added it for its own use,
    and it has the user's token.

    :param name: the name of the dictionary, for messages
    """
    if not isinstance(value, Mapping):
        raise TypeError(
            f"{name} must be a dictionary, and is a {type(value).__name__}"
        )
    sent = {key: item for key, item in value.items() if key != "context"}
    return primitive(sent, name)


def primitive(value: Any, path: str) -> Any:
    """Return a value as JSON has it.

    Dictionaries, lists and texts go through as they are.  Nova's objects
    become their serialised form, as on Nova's message bus.

    :param path: the name of the value, for messages
    :raises TypeError: if a value has no form in JSON; the message names it
    """
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path} is {value!r}; it must be a number")
        return value
    if isinstance(value, Mapping):
        return {
            str(key): primitive(item, f"{path}.{key}")
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [
            primitive(item, f"{path}.{at}") for at, item in enumerate(value)
        ]
    if isinstance(value, AbstractSet):
        return [primitive(item, path) for item in sorted(value, key=str)]
    return _object(value, path)


def _object(value: Any, path: str) -> Any:
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if hasattr(value, "obj_to_primitive"):
        return primitive(value.obj_to_primitive(), path)
    # Rows of SQLAlchemy, and the models of Juno.
    for method in ("iteritems", "items"):
        if hasattr(value, method):
            return primitive(dict(getattr(value, method)()), path)
    raise TypeError(
        f"{path} is a {type(value).__name__}; it must be a value of JSON, or"
        " an object of Nova with obj_to_primitive()"
    )


def instances_of(request_spec: Mapping[str, Any]) -> list[str]:
    """Return the UUIDs of the instances that a request is about."""
    several = request_spec.get("instance_uuids")
    if several:
        return [str(one) for one in several]
    properties = request_spec.get("instance_properties")
    if isinstance(properties, Mapping) and properties.get("uuid"):
        return [str(properties["uuid"])]
    return []


def is_compute_node(value: Any) -> bool:
    """Return whether a value is Nova's ComputeNode object."""
    return hasattr(value, "obj_to_primitive") and hasattr(
        value, "hypervisor_hostname"
    )
