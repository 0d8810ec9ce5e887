import { graphql } from '../../lib/service/graphql.ts'

/** Every host as packed columns. */
export const FLEET = graphql(`
  query FleetColumns($columns: [FleetColumn!]!, $at: Moment) {
    fleet(at: $at) {
      columns(names: $columns) {
        asOf ordinals names
        otherNodes { ordinal node }
        renamed { ordinal names }
        dictionaries { column values sets }
        columns { name elementType data }
      }
    }
  }
`)

/** The changes of hosts after a revision. The stream sends an event at most once a second. */
export const FLEET_DELTAS = graphql(`
  subscription FleetDeltas($columns: [FleetColumn!]!, $after: Revision!) {
    fleetDeltas(columns: $columns, after: $after) {
      from to ordinals names left
      otherNodes { ordinal node }
      renamed { ordinal names }
      dictionaries { column values sets }
      columns { name elementType data }
      gap { resumeAt }
    }
  }
`)

/** All data of one host. */
export const HOST = graphql(`
  query Host($host: String!, $node: String, $at: Moment) {
    viewer { scopes }
    host(name: $host, node: $node, at: $at) {
      id name node hasOtherNodes state status statusReason availabilityZone revision lastReportAt lastSequence runningVms traits
      formerNames gone { at revision reason readmitted }
      usedFrom usedFromReason warnings { code subject reported held text }
      told { field label value }
      capacity { resourceClass total reserved allocationRatio capacity used claimed free
        ratioFrom { source by at reason aggregate { name } release } reservedFrom { source by at reason aggregate { name } release } }
      numa { cells { id cpus dedicated pinned cpusUsed cpusFree memoryMb memoryUsedMb memoryFreeMb pages { sizeKib total reserved used free } } }
      gpus { index model freeMilli }
      pciPools {
        key vendorId productId deviceType numaNode total used free
        tags { key value }
        holders { count claim { id state instanceUuid decision { id } } }
      }
      aggregates(first: 100) { totalCount nodes { uuid name } }
      claims(first: 200, states: [RESERVED, CONFIRMED, MATERIALISED]) {
        totalCount
        nodes { id state instanceUuid expiresAt account resources { resourceClass amount } pools { pool gib } decision { id } }
      }
      recentDecisions(first: 20) { totalCount nodes { id at outcome account } }
      namespaces { namespace version document reportedAt ageSeconds lastSequence problem }
      collectors { name namespace state since intervalSeconds lastGoodAt reportedAt outdated error { code message } }
    }
  }
`)

/** The newest decisions that match a filter. */
export const ELSEWHERE = graphql(`
  query HostElsewhere($query: String!) {
    decisions(first: 10, query: $query) { nodes { id at outcome account } }
  }
`)

/** Changes of one host. */
export const HOST_CHANGED = graphql(`
  subscription HostChanged($host: String!, $after: Revision) {
    hostChanged(filter: { name: { eq: $host } }, after: $after) {
      revision
      gap { resumeAt }
    }
  }
`)

/** Enables or disables at most 1,000 hosts. A dry run only returns the effect. */
export const SET_STATUS = graphql(`
  mutation HostSetStatus($hosts: [ResourceNameInput!]!, $status: HostStatus!, $reason: String!, $dryRun: Boolean!) {
    hostSetStatus(hosts: $hosts, status: $status, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostSetStatusPayload { dryRun impact { hostsAffected claimsOnAffectedHosts azChanges warnings } }
      ... on NotFound { message code }
      ... on ValidationError { message code issues { message } }
    }
  }
`)

/** Sets whether the usage of hosts is read from their reports or computed from claims. A dry run only returns the effect. */
export const SET_USED_FROM = graphql(`
  mutation HostSetUsedFrom($hosts: [ResourceNameInput!]!, $usedFrom: UsedFrom!, $reason: String!, $dryRun: Boolean!) {
    hostSetUsedFrom(hosts: $hosts, usedFrom: $usedFrom, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostSetUsedFromPayload { dryRun impact { hostsAffected claimsOnAffectedHosts warnings } }
      ... on NotFound { message code }
      ... on ValidationError { message code issues { message } }
    }
  }
`)

/** Finds another host for every claim of a host. A dry run only returns the destinations. */
export const EVACUATE = graphql(`
  mutation HostEvacuate($input: HostEvacuateInput!, $dryRun: Boolean!) {
    hostEvacuate(input: $input, dryRun: $dryRun) {
      __typename
      ... on HostEvacuatePreview { instancesWithoutClaims moves { claim { id instanceUuid } destination { name node hasOtherNodes } message } }
      ... on HostEvacuatePayload {
        instancesWithoutClaims
        moves {
          claim { id instanceUuid }
          result {
            __typename
            ... on SelectDestinationsPayload { destinations { selected { host { name node hasOtherNodes } } } }
            ... on UserError { message }
          }
        }
      }
      ... on UserError { message }
    }
  }
`)

/** The aggregates to which hosts can be added, found by a part of their names. */
export const AGGREGATES_NAMED = graphql(`
  query AggregatesNamed($q: String!) {
    aggregates(first: 50, query: $q) { totalCount nodes { uuid name availabilityZone hostCount } }
  }
`)

/**
 * Sets the allocation ratio and the reserved amount of a class on hosts, instead of the reported values. A dry run only returns the effect.
 */
export const SET_ALLOCATION = graphql(`
  mutation HostSetAllocation($hosts: [ResourceNameInput!]!, $resourceClass: String!, $ratio: Float, $reserved: SafeInt, $reason: String!, $dryRun: Boolean!) {
    hostSetAllocation(hosts: $hosts, resourceClass: $resourceClass, ratio: $ratio, reserved: $reserved, reason: $reason, dryRun: $dryRun) {
      __typename
      ... on HostSetAllocationPayload { dryRun impact { hostsAffected claimsOnAffectedHosts warnings } }
      ... on NotFound { message code }
      ... on ValidationError { message code issues { message } }
    }
  }
`)
