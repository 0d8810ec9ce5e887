import { toTable } from './table.ts'

/** Hosts refused by one filter for one reason, as the API counts them. */
export interface Reason {
  readonly code: string
  readonly filter: string
  readonly hosts: number
  readonly text: string
}

/** Selects a Reason. */
export const REASON = 'code filter hosts text'

/** Why hosts were refused, most first. */
export function toReasonTable(reasons: readonly Reason[]): readonly string[] {
  return toTable(
    [
      { head: 'hosts', align: 'right' },
      { head: 'filter', cut: 'end', least: 20 },
      { head: 'reason, for one of them', wraps: true, least: 24 },
    ],
    reasons.map(({ hosts, filter, text }) => [String(hosts), filter, text]),
  )
}
