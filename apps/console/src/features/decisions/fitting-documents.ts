import { graphql } from '../../lib/graphql.ts'

/** What would have to be other, at most two things at a time. */
export const FITTING = graphql(`
  query WhatWouldFit($id: ID!) {
    whatWouldFit(input: { decisionId: $id, first: 10 }) {
      fits headline tried cut
      counterfactuals { kind unlocks verified effort text changes { places { kind name } } exampleHosts { hostName node } simulation }
      cause { code text hostName node }
    }
  }
`)
