import { type Given, graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const reason = graphql('fragment ReasonParts on ReasonCount @_unmask { code filter hosts text }')

/** Queries the parts of an explanation that are usually needed in a log line or a ticket. */
export const explainDecision = graphql(
  `
  query ExplainDecision($id: ID!, $instance: Int) {
    explainPlacement(input: { subject: { decisionId: $id }, instanceIndex: $instance }) {
      headline
      instanceIndex
      hostCount
      fidelity
      fleetRevision
      profile { profileName number }
      steps { name entered passed rejected soleRejections reasons { ...ReasonParts } }
      reasons { ...ReasonParts }
      nearMisses(first: 5) { hostName node distance checks { filter status text } }
      weighing(top: 10) {
        candidateCount
        weighers { name multiplier unit decisive }
        hosts { hostName node rank totalWeight weights { weigher raw unit multiplier weighted } }
      }
    }
  }
`,
  [reason],
)

export const whyNot = graphql(`
  query WhyNotHost($input: WhyNotInput!) {
    whyNot(input: $input) {
      headline
      outcome
      wouldPassNow
      verdict { checks { filter status text facts { subject required actual shortfall unit } } }
    }
  }
`)

export type Explanation = ResultOf<typeof explainDecision>['explainPlacement']
export type WhyNotInput = Given<VariablesOf<typeof whyNot>['input']>
export type WhyNot = ResultOf<typeof whyNot>['whyNot']
