import { graphql } from '../../../lib/service/graphql.ts'

/** The changes with which the request would fit: single changes, and pairs of changes. */
export const FITTING = graphql(`
  query WhatWouldFit($id: ID!) {
    whatWouldFit(input: { decisionId: $id, first: 10 }) {
      fits headline tried cut
      counterfactuals { kind unlocks verified effort text changes { places { kind name } } exampleHosts { hostName node hasOtherNodes } simulation }
      cause { code text hostName node }
    }
  }
`)
