import type { ResultOf } from '../../../lib/service/graphql.ts'
import type { OTHERS } from './compare-documents.ts'

type Answer = ResultOf<typeof OTHERS>
type Other = Answer['decisions']['nodes'][number]

/**
 * The decisions with which the decision `id` can be compared, without repetitions, in this order: the earlier decision that it retries,
 * decisions that placed the same request, similar decisions. `best` is the decision that is proposed first.
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
