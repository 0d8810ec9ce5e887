import { graphql } from '../../lib/service/graphql.ts'

/** The usage of the fleet, the hosts' liveness, and the replicas. */
export const FLEET = graphql(`
  query OverviewFleet($at: Moment) {
    fleet(at: $at) {
      asOf hostCount
      totals { key hosts usage { resourceClass capacity used claimed free } }
    }
    up: hosts(first: 1, query: "state:UP", at: $at) { totalCount }
    suspect: hosts(first: 1, query: "state:SUSPECT", at: $at) { totalCount }
    down: hosts(first: 1, query: "state:DOWN", at: $at) { totalCount }
    liveness { warning }
    replicas { id live lag violations proposals conflicts }
  }
`)

/** The requests of a period, and their results. */
export const ACTIVITY = graphql(`
  query OverviewActivity($window: Duration, $since: DateTime, $until: DateTime) {
    activity(window: $window, since: $since, until: $until, steps: 60) {
      since until decisions failed failuresCut tookCut
      took { p50Ms p99Ms }
      steps { at decisions failed took { p50Ms p99Ms } }
      failures { code decisions text }
      before { decisions failed took { p99Ms } }
    }
  }
`)

/** The most frequent requests of the last day, regardless of the period of the page. */
export const FLAVORS = graphql(`
  query OverviewFlavors {
    activity(window: "P1D", steps: 1) {
      flavors { name vcpus memoryMb rootGb ephemeralGb swapMb extraSpecs { key value } decisions }
    }
  }
`)

/** How many further instances of one flavor fit, by zone. */
export const FITS = graphql(`
  query OverviewFits($spec: SpecInput!, $at: Moment) {
    capacity(input: { spec: $spec, at: $at, groupBy: AVAILABILITY_ZONE, deadline: "PT14S" }) {
      fits exact
      groups(first: 500) { key fits fitsIfPooled hostsWithRoom bottleneck { resource code hosts } }
    }
  }
`)

/** The last changes by operators. They are rows of the audit, without the calls of services and hosts. */
export const CHANGES = graphql(`
  query OverviewChanges($query: String!) {
    auditLog(first: 8, query: $query) { nodes { id at account mutation target result } }
  }
`)

/** The filter of the audit for operators' changes, without calls of services and hosts, dry runs and refusals. */
export const CHANGES_QUERY =
  '-mutation:selectDestinations,updateResourceStats,hostHeartbeat,claimConfirm,claimExtend,claimRelease,claimCreate,claimAbandon result:*Payload -"\\"dryRun\\":true"'

/** Changes that are marked on a chart. */
export const MARKS = graphql(`
  query OverviewMarks($query: String!) {
    auditLog(first: 100, query: $query) { totalCount nodes { id at account mutation target } }
  }
`)
