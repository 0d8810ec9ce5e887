import { graphql } from '../../lib/graphql.ts'

/** How full the fleet is, who lives, who serves. */
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

/** What was asked lately, and what came of it. */
export const ACTIVITY = graphql(`
  query OverviewActivity($window: Duration!) {
    activity(window: $window, steps: 60) {
      since until decisions failed failuresCut
      steps { at decisions failed }
      failures { code decisions filter text }
      flavors { name vcpus memoryMb rootGb ephemeralGb swapMb extraSpecs { key value } decisions }
    }
  }
`)

/** How many more of one flavor fit, zone by zone. */
export const FITS = graphql(`
  query OverviewFits($spec: SpecInput!, $at: Moment) {
    capacity(input: { spec: $spec, at: $at, groupBy: AVAILABILITY_ZONE, deadline: "PT5S" }) {
      fits exact
      groups(first: 500) { key fits fitsIfPooled hostsWithRoom bottleneck { resource code hosts } }
    }
  }
`)

/** What operators changed last: the audit without the calls of services. */
export const CHANGES = graphql(`
  query OverviewChanges($query: String!) {
    auditLog(first: 8, query: $query) { nodes { id at account mutation target result } }
  }
`)
