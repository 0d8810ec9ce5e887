import { graphql, type ResultOf } from '@gantt/client'
import { toTable } from '../../output/table.ts'

export const REASON = graphql(`fragment Reason on ReasonCount { code filter hosts text }`)

/** Hosts refused by one filter for one reason, as the API counts them. */
export type Reason = ResultOf<typeof REASON>

/** The reasons why hosts were refused, the most frequent first. */
export function toReasonTable(reasons: readonly Reason[]): readonly string[] {
  return toTable(
    [
      { head: 'hosts', align: 'right' },
      { head: 'filter', cut: 'end', least: 20 },
      { head: 'reason, on one of the hosts', wraps: true, least: 24 },
    ],
    reasons.map(({ hosts, filter, text }) => [String(hosts), filter, text]),
  )
}
