import type { ResultOf } from '../../../lib/service/graphql.ts'
import type { OTHERS } from './compare-documents.ts'

type Answer = ResultOf<typeof OTHERS>
type Other = Answer['decisions']['nodes'][number]

/**
 * The decisions with which a decision can be compared, without repetitions. Each is described by the first of these that applies: the
 * previous attempt, the last decision that placed the same request, the last decision that placed a similar request, any similar decision.
 */
export function othersOf(id: string, answer: Answer | undefined): { readonly others: readonly Other[]; readonly best: Other | undefined } {
  const before = answer?.decision?.previous
  const tried = before == null ? [] : [before]
  const placed = answer?.placed.nodes ?? []
  const like = answer?.decisions.nodes ?? []
  const isOther = (one: Other): boolean => one.id !== id
  const isFirst = ({ id: key }: Other, i: number, all: readonly Other[]): boolean => all.findIndex((one) => one.id === key) === i
  const [best] = [...tried, ...placed, ...like.filter(({ outcome }) => outcome === 'PLACED'), ...like].filter(isOther)
  return { others: [...tried, ...placed, ...like].filter(isOther).filter(isFirst), best }
}
