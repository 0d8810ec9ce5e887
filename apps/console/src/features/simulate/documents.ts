import { graphql } from '../../lib/service/graphql.ts'

/** The simulated result of a request. Nothing is claimed or written. */
export const SIMULATE = graphql(`
  query Simulate($input: SimulateInput!) {
    simulate(input: $input) {
      asOf placed failed notDecided complete decisionCount
      drain { moved stuck withoutClaims instances(first: 20, stuck: true) { claimId instanceUuid fromHost message } }
      solved { taken why decisions }
      decisions(first: 100) { copy outcome ignoredFields destinations { hostName node hasOtherNodes weight } }
      firstFailure {
        copy found
        reasons { code filter hosts text }
        explanation { headline hostCount steps { name entered passed rejected skippedBecause isNet reasons { code hosts text } } }
      }
      curve(points: 100) { asked placed usage { resourceClass capacity used } }
      utilisationBefore { key hosts usage { resourceClass capacity used free } }
      utilisationAfter { key hosts usage { resourceClass capacity used free } }
    }
  }
`)

/** How many further instances fit, by zone. */
export const CAPACITY = graphql(`
  query Capacity($input: CapacityInput!) {
    capacity(input: $input) {
      asOf fits exact cut method hostsWithRoom
      drain { moved stuck withoutClaims instances(first: 20, stuck: true) { claimId instanceUuid fromHost message } }
      groups(first: 50) { key fits hosts hostsWithRoom bottleneck { filter code resource hosts } }
      bottleneck { filter code resource hosts hostsWithRoom admitted }
    }
  }
`)

/** The request of a decision, to be simulated with changes. */
export const ASKED = graphql(`
  query AskedRequest($id: ID!) {
    decision(id: $id) { id spec { document } }
  }
`)

/** The profiles that a scenario can use. */
export const PROFILES = graphql(`
  query ProfileNames {
    profiles { name active { number } }
  }
`)

/** Recent requests, the most frequent first. A scenario can start from one of them. */
export const FLAVORS = graphql(`
  query RecentFlavors($window: Duration!) {
    activity(window: $window, steps: 1) {
      flavors { name vcpus memoryMb rootGb ephemeralGb swapMb extraSpecs { key value } decisions }
    }
  }
`)
