import { graphql } from '../../lib/graphql.ts'

/** Two decisions side by side, and what made the second go elsewhere. */
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
      flipped(first: 50) { hostName node a b because }
      trials { factors hosts isSecond }
    }
  }
`)

/** What a decision can be compared with: others of the same flavor, and the same instance's tries, newest first. */
export const OTHERS = graphql(`
  query OtherDecisions($q: String!) {
    decisions(first: 12, query: $q) {
      nodes { id at outcome attempt spec { flavorName numInstances vcpus memoryMb } destinations { selected { host { name node } } } }
    }
  }
`)
