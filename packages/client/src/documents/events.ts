import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

export const decisions = graphql(`
  subscription Decisions($after: Revision, $query: String, $samplePerSecond: Int) {
    decisions(after: $after, query: $query, samplePerSecond: $samplePerSecond) {
      revision
      suppressed
      gap { missedFrom resumeAt }
      decision { id outcome at account spec { flavorName numInstances } }
    }
  }
`)

export const hostChanged = graphql(`
  subscription HostChanged($after: Revision, $query: String) {
    hostChanged(after: $after, query: $query) {
      revision
      gap { missedFrom resumeAt }
      host { name node status availabilityZone }
    }
  }
`)

/** The revision that the replica has applied. A stream that breaks before its first event continues from there. */
export const streamStart = graphql('query StreamStart { health { revision } }')

export type DecisionEvent = ResultOf<typeof decisions>['decisions']
export type HostChange = ResultOf<typeof hostChanged>['hostChanged']
export type DecisionsFilter = Omit<VariablesOf<typeof decisions>, 'after'>
export type HostChangesFilter = Omit<VariablesOf<typeof hostChanged>, 'after'>
