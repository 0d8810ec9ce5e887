"""The further calls that ``nova.scheduler.client`` had in Kilo."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ganttclient import faults
from ganttclient._scheduler import documents
from ganttclient._scheduler.notices import Notices
from ganttclient.client import Client

#: The uuid of an aggregate that has only an id is made in this namespace.
_AGGREGATES = uuid.UUID("9f6d1a52-6f0f-4d0c-8f0a-2f5a7f0d3b14")
#: What the service reads of an aggregate.
_FIELDS = ("name", "hosts", "metadata")
#: How often an aggregate that others edit at the same time is deleted anew.
_ATTEMPTS = 10

_NO_INSTANCES = (
    "the service does not use what %s() says: it learns the use of a host"
    " from update_resource_stats(), and knows instances by their claims."
    " Filters that compare instances, such as SameHostFilter,"
    " DifferentHostFilter and TypeAffinityFilter, see only instances with a"
    " live claim"
)

_OUTCOME = """ {
    __typename
    ... on ValidationError {
      code message path issues { path rule message expected actual }
    }
    ... on VersionConflict { code message path actual }
    ... on UserError { code message path }
  }
}
"""
_IMPORT = (
    """
mutation AggregateImport($document: JSON!) {
  aggregateImport(document: $document)"""
    + _OUTCOME
)
_DELETE = (
    """
mutation AggregateDelete($uuid: UUID!, $version: Int!) {
  aggregateDelete(uuid: $uuid, ifVersion: $version)"""
    + _OUTCOME
)


class KiloCalls:
    """Aggregates and instances, as Nova of Kilo sent them."""

    _client: Client
    _notices: Notices

    def update_aggregates(self, context: Any, aggregates: Any) -> None:
        """Update the scheduler's aggregates, with hosts and metadata.

        The API key needs the scope OPERATE.  An aggregate keeps its uuid; for
        one without a uuid, as in Kilo, it is made of the id.

        :param context: security context; it is not sent
        :param aggregates: an Aggregate object of Nova or a dictionary with
            its fields, or a list of them.  Each is sent by itself, in order
        :raises Invalid: if an aggregate is refused, for example because a
            host of it has never reported
        """
        documents = [_document(one) for one in _listed(aggregates)]
        for document in documents:
            answer = self._ask_aggregate(
                "aggregateImport", _IMPORT, {"document": document}
            )
            if answer["__typename"] != "AggregatePayload":
                raise faults.of_answer(answer)

    def delete_aggregate(self, context: Any, aggregate: Any) -> None:
        """Delete an aggregate.  If there is none, nothing is done.

        The API key needs the scope OPERATE.

        :param context: security context; it is not sent
        :param aggregate: an Aggregate object of Nova or a dictionary with its
            fields; its uuid or id is enough
        """
        number = _uuid_of(_fields_of(aggregate))
        version = 0
        for _ in range(_ATTEMPTS):
            answer = self._ask_aggregate(
                "aggregateDelete",
                _DELETE,
                {"uuid": number, "version": version},
            )
            if answer["__typename"] in ("AggregatePayload", "NotFound"):
                return
            if answer["__typename"] != "VersionConflict":
                break
            version = answer["actual"]
        raise faults.of_answer(answer)

    def update_instance_info(
        self, context: Any, host_name: str, instance_info: Any
    ) -> None:
        """Report instances on a host.  This has no effect on placement.

        Nova's scheduler kept a list of the instances of each host.  The
        service computes what is free from the figures of
        :meth:`SchedulerClient.update_resource_stats` and from its claims, and
        filters that compare instances read claims.  A list in addition would
        count an instance twice while it starts, since Nova's figures count
        it earlier.  The first call logs this as a warning.

        :param context: security context
        :param host_name: name of the host
        :param instance_info: an InstanceList
        """
        self._notices.give(_NO_INSTANCES % "update_instance_info")

    def delete_instance_info(
        self, context: Any, host_name: str, instance_uuid: str
    ) -> None:
        """Report that an instance left a host.  This has no effect.

        The next figures of the host do not count the instance any more, which
        frees its resources.  See :meth:`update_instance_info`.

        :param context: security context
        :param host_name: name of the host
        :param instance_uuid: UUID of the instance
        """
        self._notices.give(_NO_INSTANCES % "delete_instance_info")

    def sync_instance_info(
        self, context: Any, host_name: str, instance_uuids: Sequence[str]
    ) -> None:
        """Report which instances a host has.  This has no effect.

        There is no list that could differ.  See :meth:`update_instance_info`.

        :param context: security context
        :param host_name: name of the host
        :param instance_uuids: UUIDs of the instances
        """
        self._notices.give(_NO_INSTANCES % "sync_instance_info")

    def _ask_aggregate(
        self, field: str, query: str, variables: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        # Both operations are repeated safely: the same aggregate is imported
        # again, and one that was deleted is not found.
        answer: Mapping[str, Any] = self._client.query(query, variables)[field]
        return answer


def _listed(aggregates: Any) -> Sequence[Any]:
    """Return aggregates as a list; an AggregateList has ``objects``."""
    found = getattr(aggregates, "objects", aggregates)
    return found if isinstance(found, (list, tuple)) else [found]


def _fields_of(aggregate: Any) -> Mapping[str, Any]:
    """Return the fields of an Aggregate object or a dictionary."""
    found = documents.primitive(aggregate, "aggregate")
    if isinstance(found, dict):
        found = found.get("nova_object.data", found)
    if not isinstance(found, dict):
        raise TypeError(
            "aggregate must be an Aggregate object of Nova or a dictionary"
            f" with its fields, and is a {type(aggregate).__name__}"
        )
    return found


def _document(aggregate: Any) -> Mapping[str, Any]:
    fields = _fields_of(aggregate)
    known = {name: fields[name] for name in _FIELDS if name in fields}
    return {"uuid": _uuid_of(fields), **known}


def _uuid_of(fields: Mapping[str, Any]) -> str:
    if fields.get("uuid"):
        return str(fields["uuid"])
    if fields.get("id") is None:
        raise ValueError("an aggregate must have a uuid or an id")
    return str(uuid.uuid5(_AGGREGATES, str(fields["id"])))
