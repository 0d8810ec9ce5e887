import { type Check, type Fact as CoreFact, type Source, shortfallOf, type Term } from '@gantt/scheduler-core'

/** A required value and an actual value that a refusal compares, each with its source. */
export interface Fact {
  readonly subject: string
  readonly required: string | null
  readonly actual: string | null
  readonly shortfall: string | null
  readonly unit: string | null
  readonly requiredSource: Source
  readonly actualSource: Source
  readonly terms: readonly Term[]
}

/** The facts behind the result of a check; empty if the host passed it. */
export const factsOf = ({ facts = [] }: Check): Fact[] => facts.map(toFact)

function toFact(fact: CoreFact): Fact {
  const { subject, required, actual, unit = null, requiredFrom, actualFrom, terms = [] } = fact
  return {
    subject,
    required: textOf(required),
    actual: textOf(actual),
    shortfall: textOf(shortfallOf(fact)),
    unit,
    requiredSource: requiredFrom,
    actualSource: actualFrom,
    terms,
  }
}

const textOf = (value: number | string | undefined): string | null => (value === undefined ? null : String(value))
