import { graphql } from '../../../lib/service/graphql.ts'

/** Two decisions side by side, and the cause of their different results. */
export const COMPARE = graphql(`
  query CompareDecisions($a: ID!, $b: ID!) {
    compareDecisions(a: $a, b: $b) {
      a { id at outcome hostCount fleetRevision profile { profileName number } }
      b { id at outcome hostCount fleetRevision profile { profileName number } }
      fidelity approximateBecause cause text
      specChanges { field before after }
      profileChanges { field before after }
      fleetChangedHosts
      fleetChanges { field hosts }
      aInstanceIndex bInstanceIndex
      steps { filter aEntered aPassed bEntered bPassed }
      flippedCount
      flipped(first: 50) { hostName node hasOtherNodes a b because }
      trials { factors hosts isSecond }
    }
  }
`)

/**
 * The decisions that can be compared with the decision `id`: the earlier decision that it retries, decisions that placed the same request,
 * and decisions that match the filter `q`. Both lists begin with the newest.
 */
export const OTHERS = graphql(`
  query OtherDecisions($id: ID!, $spec: ID!, $q: String!) {
    decision(id: $id) {
      previous { id at outcome spec { flavorName vcpus } destinations { selected { host { name node hasOtherNodes } } } }
    }
    placed: decisions(first: 6, filter: { requestSpecId: $spec, outcome: [PLACED] }) {
      nodes { id at outcome spec { flavorName vcpus } destinations { selected { host { name node hasOtherNodes } } } }
    }
    decisions(first: 12, query: $q) {
      nodes { id at outcome spec { flavorName vcpus } destinations { selected { host { name node hasOtherNodes } } } }
    }
  }
`)
