import type { Client } from '@gantt/client'
import { readMoment } from '@gantt/scheduler-core/query'
import { type Command, InvalidArgumentError } from 'commander'

/** Of a command that shows what is, or what was. */
export interface MomentFlags {
  readonly at?: string
}

/** The state that is shown of the past: its revision, and the store time of the last entry in it. */
export interface PastState {
  readonly revision: string
  readonly at: string
}

/** Of many commands one text, for one grammar. */
export const withMoment = (command: Command): Command =>
  command.option(
    '--at <moment>',
    'as it was then: a revision (88123), how long ago (-15m), or a time (09:14, "2026-11-20 09:14 UTC")',
    moment,
  )

/** An option that is a moment, as the API takes it; times are in this machine's zone unless they say UTC. */
export function moment(text: string): string {
  const read = readMoment(text, Date.now(), 'local')
  if ('at' in read) return read.at
  throw new InvalidArgumentError(read.problem)
}

/** Which state that was, so that all that is asked is of the same one; null where the present is asked for. */
export async function stateAt(client: Client, { at }: MomentFlags): Promise<PastState | null> {
  if (at === undefined) return null
  const { fleet } = await client.request<{ fleet: { asOf: string; at: string } }>('query At($at: Moment) { fleet(at: $at) { asOf at } }', {
    at,
  })
  return { revision: fleet.asOf, at: fleet.at }
}

/** Ages and what is left are as they were then. */
export const nowOf = (past: PastState | null): number => (past === null ? Date.now() : Date.parse(past.at))

/** A line above what is shown, where that is of the past. */
export const pastLines = (past: PastState | null): readonly string[] =>
  past === null ? [] : [`As it was at revision ${past.revision}, ${past.at}.`, '']
