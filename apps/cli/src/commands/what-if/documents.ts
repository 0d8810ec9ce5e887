import { graphql, type ResultOf, type VariablesOf } from '@gantt/client'
import { REASON } from '../decision/reasons.ts'

export const DRAIN = graphql(
  `fragment DrainParts on Drain { moved stuck withoutClaims instances(first: 10, stuck: true) { claimId instanceUuid fromHost fromNode fromHasOtherNodes message } }`,
)

/** The results for the instances on hosts that the hypothesis drains. */
export type Drain = ResultOf<typeof DRAIN>

const SHARE = graphql(`fragment Share on BottleneckShare { filter code resource hosts hostsWithRoom admitted }`)

export const CAPACITY = graphql(
  `query Capacity($input: CapacityInput!, $first: Int!) {
  capacity(input: $input) {
    asOf fits exact cut method hostsWithRoom
    drain { ...DrainParts }
    groups(first: $first) { key fits hosts hostsWithRoom bottleneck { ...Share } }
    bottleneck { ...Share }
  }
}`,
  [DRAIN, SHARE],
)

export type Capacity = ResultOf<typeof CAPACITY>['capacity']

const USE = graphql(`fragment Use on FleetGroup { key hosts usage { resourceClass capacity used } }`)

export const SIMULATE = graphql(
  `query Simulate($input: SimulateInput!) {
  simulate(input: $input) {
    asOf placed failed notDecided
    drain { ...DrainParts }
    solved { taken why decisions }
    decisions(first: 500, outcome: PLACED) { destinations { hostName node hasOtherNodes } }
    asked: decisions(first: 1) { ignoredFields unlocatedFields }
    firstFailure { copy reasons { ...Reason } explanation { headline } }
    utilisationBefore { ...Use } utilisationAfter { ...Use }
  }
}`,
  [DRAIN, REASON, USE],
)

/** Hypothetical changes of the fleet, as the API accepts them. */
export type Overlay = NonNullable<VariablesOf<typeof SIMULATE>['input']['overlay']>

export type Simulation = ResultOf<typeof SIMULATE>['simulate']

export const WOULD_FIT = graphql(
  `query WhatWouldFit($input: WhatWouldFitInput!) {
  whatWouldFit(input: $input) {
    asOf fits headline tried cut
    drain { ...DrainParts }
    counterfactuals { kind changes { kind subject from to } unlocks exampleHosts { hostName node hasOtherNodes } verified effort text overlay simulation }
    cause { code text admittedHosts hostName node }
  }
}`,
  [DRAIN],
)

export type WhatWouldFit = ResultOf<typeof WOULD_FIT>['whatWouldFit']
