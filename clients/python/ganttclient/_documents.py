"""The GraphQL operations that the client sends."""

from __future__ import annotations

_CLAIM = """
fragment ClaimParts on Claim {
  id fence state instanceUuid createdAt expiresAt confirmedAt
}
"""

_PLACED = (
    _CLAIM
    + """
fragment PlacedParts on SelectDestinationsPayload {
  replayed fleetRevision ignoredFields
  decision { id }
  destinations {
    instanceUuid
    selected {
      weight
      host { name node availabilityZone }
      limits { resource limit }
      claim { ...ClaimParts }
    }
    alternates { weight host { name node availabilityZone } }
  }
}
"""
)

_REFUSED = """
    ... on ReplicaBehind { code message path retryAfter }
    ... on ClaimLost { code message path claim { ...ClaimParts } }
    ... on InstanceTaken { code message path rule claim { ...ClaimParts } }
    ... on IdempotencyConflict { code message path firstSeenAt }
    ... on ValidationError {
      code message path issues { path rule message expected actual }
    }
    ... on UserError { code message path }
"""

_NO_VALID_HOST = """
    ... on NoValidHost {
      code message path placedCount ignoredFields
      decision { id }
      cause { code text hostName node admittedHosts }
      reasons { code filter hosts text }
    }
"""

SELECT = (
    """
mutation SelectDestinations($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload { ...PlacedParts }
"""
    + _NO_VALID_HOST
    + _REFUSED
    + "  }\n}\n"
    + _PLACED
)

#: Selects only what a key that is bound to a project may read.
SELECT_FOR_PROJECT = (
    """
mutation SelectDestinationsForProject($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload {
      replayed fleetRevision ignoredFields
      decision { id }
      destinations {
        instanceUuid
        selected { host { name node } claim { ...ClaimParts } }
      }
    }
    ... on NoValidHost { code message path placedCount decision { id } }
"""
    + _REFUSED
    + "  }\n}\n"
    + _CLAIM
)

CLAIM = (
    """
mutation ClaimCreate($input: ClaimCreateInput!) {
  claimCreate(input: $input) {
    __typename
    ... on SelectDestinationsPayload { ...PlacedParts }
"""
    + _NO_VALID_HOST
    + _REFUSED
    + "  }\n}\n"
    + _PLACED
)

_ENDED = (
    _CLAIM
    + """
fragment EndedParts on ClaimResult {
  __typename
  ... on ClaimPayload { replayed fleetRevision claim { ...ClaimParts } }
  ... on ClaimLost { code message path claim { ...ClaimParts } }
  ... on UserError { code message path }
}
"""
)

CONFIRM = (
    """
mutation ClaimConfirm($claims: [ClaimRef!]!) {
  claimConfirm(claims: $claims) { ...EndedParts }
}
"""
    + _ENDED
)

EXTEND = (
    """
mutation ClaimExtend($claims: [ClaimRef!]!, $ttl: Duration!) {
  claimExtend(claims: $claims, ttl: $ttl) { ...EndedParts }
}
"""
    + _ENDED
)

RELEASE = (
    """
mutation ClaimRelease($claims: [ClaimRef!]!, $reason: String) {
  claimRelease(claims: $claims, reason: $reason) { ...EndedParts }
}
"""
    + _ENDED
)

ABANDON = (
    """
mutation ClaimAbandon($key: String!) {
  claimAbandon(idempotencyKey: $key) {
    __typename
    ... on ClaimPayload { replayed fleetRevision claims { ...ClaimParts } }
    ... on UserError { code message path }
  }
}
"""
    + _CLAIM
)

REPORT = """
mutation UpdateResourceStats(
  $input: UpdateResourceStatsInput!
  $required: Boolean! = false
) {
  updateResourceStats(input: $input) {
    appliedCount fleetRevision
    results {
      __typename
      ... on ResourceStatsApplied {
        revision lastSequence unchanged ignoredFields
        claimsMaterialised { id instanceUuid }
        required @include(if: $required) {
          namespaces { namespace omittable }
        }
      }
      ... on ResourceStatsNeedFull { code message path lastSequence }
      ... on ResourceStatsStale { code message path lastSequence }
      ... on ValidationError {
        code message path issues { path rule message expected actual }
      }
      ... on UserError { code message path }
    }
  }
}
"""

HEARTBEAT = """
mutation HostHeartbeat($hosts: [ResourceNameInput!]!) {
  hostHeartbeat(hosts: $hosts) { heard unknown }
}
"""

_HOST = """
fragment HostParts on Host {
  name node availabilityZone state stateReason status statusReason
  revision lastReportAt lastSequence runningVms traits
  capacity {
    resourceClass total reserved allocationRatio capacity used claimed free
  }
}
"""

HOST = (
    """
query Host($name: String!, $node: String) {
  host(name: $name, node: $node) { ...HostParts }
}
"""
    + _HOST
)

HOSTS = (
    """
query Hosts($first: Int!, $after: String, $query: String) {
  hosts(first: $first, after: $after, query: $query) {
    asOf totalCount
    nodes { ...HostParts }
    pageInfo { hasNextPage endCursor }
  }
}
"""
    + _HOST
)

EXPLAIN = """
query ExplainDecision($id: ID!, $instance: Int) {
  explainPlacement(
    input: { subject: { decisionId: $id }, instanceIndex: $instance }
  ) {
    headline instanceIndex hostCount fidelity fleetRevision
    profile { profileName number }
    steps {
      name entered passed rejected soleRejections
      reasons { code filter hosts text }
    }
    reasons { code filter hosts text }
    nearMisses(first: 5) {
      hostName node distance checks { filter status text }
    }
    weighing(top: 10) {
      candidateCount
      weighers { name multiplier unit decisive }
      hosts {
        hostName node rank totalWeight
        weights { weigher raw unit multiplier weighted }
      }
    }
  }
}
"""

WHY_NOT = """
query WhyNotHost($input: WhyNotInput!) {
  whyNot(input: $input) {
    headline outcome wouldPassNow
    verdict {
      checks {
        filter status text
        facts { subject required actual shortfall unit }
      }
    }
  }
}
"""

HOST_CHANGED = """
subscription HostChanged($after: Revision, $query: String) {
  hostChanged(after: $after, query: $query) {
    revision
    gap { missedFrom resumeAt }
    host { name node status availabilityZone }
  }
}
"""

STREAM_START = "query StreamStart { health { revision } }"

DECISIONS = """
subscription Decisions(
  $after: Revision
  $query: String
  $samplePerSecond: Int
) {
  decisions(after: $after, query: $query, samplePerSecond: $samplePerSecond) {
    revision suppressed
    gap { missedFrom resumeAt }
    decision {
      id outcome at account spec { flavorName numInstances }
    }
  }
}
"""
