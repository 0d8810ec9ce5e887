import { graphql } from '@gantt/client'
import { readMoment } from '@gantt/scheduler-core/query'
import { type Command, InvalidArgumentError } from 'commander'
import type { ServiceClient } from '../call/connection.ts'

/** Flags of a command that can show a past state. */
export interface MomentFlags {
  readonly at?: string
}

/** A past state: its revision, and the time when its last entry was written, by the store's clock. */
export interface PastState {
  readonly revision: string
  readonly at: string
}

/** Adds the option --at, with the same help text for every command. */
export const withMoment = (command: Command): Command =>
  command.option(
    '--at <moment>',
    'use the state at a past moment: a revision (88123), a duration before now (-15m), or a time (09:14, "2026-11-20 09:14 UTC")',
    moment,
  )

/** Parses a point in time in the forms that the API accepts. Times without a zone are in this machine's time zone. */
export function moment(text: string): string {
  const read = readMoment(text, Date.now(), 'local')
  if ('at' in read) return read.at
  throw new InvalidArgumentError(read.problem)
}

const AT = graphql(`query At($at: Moment) { fleet(at: $at) { asOf at } }`)

/** The past state that --at means; null for the present. It is read once, so that all calls of a command read the same state. */
export async function stateAt(client: ServiceClient, { at }: MomentFlags): Promise<PastState | null> {
  if (at === undefined) return null
  const { fleet } = await client.request(AT, { at })
  return { revision: fleet.asOf, at: fleet.at }
}

/** The time from which ages are computed: the time of the past state, or now. */
export const nowOf = (past: PastState | null): number => (past === null ? Date.now() : Date.parse(past.at))

/** A line above the output of a past state. */
export const pastLines = (past: PastState | null): readonly string[] =>
  past === null ? [] : [`As it was at revision ${past.revision}, ${past.at}.`, '']
