import { hostsOfManyNames } from '@gantt/scheduler-core'
import { printTime, type Span, spanOf, withTerm } from '@gantt/scheduler-core/query'
import type { Counted, DecisionCountStore, DecisionGrouping, KeyCount, OutcomeCounts } from '../../db/tables/decision-counts.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { firstOf, listOf } from '../calls/paging.ts'
import { checkRange } from '../calls/text.ts'
import { parseDecisionQuery } from './decision-query.ts'

export type { DecisionGrouping } from '../../db/tables/decision-counts.ts'

/** The count of decisions in one step, from `at` (inclusive) to `until` (exclusive). */
export interface DecisionStep extends OutcomeCounts {
  readonly at: number
  readonly until: number
}

/** Decisions that have the same value in the field by which decisions are grouped. */
export interface DecisionGroup extends KeyCount {
  /** Query terms. If they are added to the query, it finds exactly the decisions of this group. */
  readonly terms: string
}

export interface DecisionGroups {
  /** The groups, sorted by their count of decisions, largest first. */
  readonly nodes: readonly DecisionGroup[]
  /** The count of all groups. */
  readonly totalCount: number
}

/**
 * How many decisions a query finds from `since` (inclusive) to `until` (exclusive). Both are store time (the database's clock) in
 * milliseconds since 1970.
 */
export interface DecisionCountsView {
  readonly since: number
  readonly until: number
  readonly decisions: number
  /** True if the query also finds decisions before `since`, which are not counted. */
  readonly isCut: boolean
  /** Divides the whole range into steps of one length, at most `most` of them. Throws InputFault for a number out of range. */
  steps(most: number): Promise<DecisionStep[]>
  /** Throws InputFault for a number out of range. */
  groups(by: DecisionGrouping, first: number | null | undefined): Promise<DecisionGroups>
}

export interface DecisionCounts {
  /** Throws InputFault for a query that cannot be read. */
  read(query: string | null | undefined): Promise<DecisionCountsView>
}

export const steps = { least: 10, most: 500 } as const

/** The counted range does not begin before this time, even if a query states an earlier start. */
const EPOCH = 0
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The allowed step lengths of less than a day, in milliseconds. Longer steps are whole days. */
const lengths = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
]

/** `caughtUp` waits until the tables contain everything that this replica has applied. */
export function createDecisionCounts(replica: Replica, store: DecisionCountStore, caughtUp: () => Promise<unknown>): DecisionCounts {
  return {
    async read(text) {
      const query = parseDecisionQuery(text)
      const names = hostsOfManyNames(replica.fleet.hosts)
      await caughtUp()
      // the later of the two clocks plus one millisecond; the range therefore includes the newest decision even if the clocks of store and
      // replica differ
      const now = Math.max(replica.fleet.now, Date.now()) + 1
      const asked = spanOf(query, now)
      const until = Math.min(asked.until ?? now, now)
      const { decisions, since: first, isCut } = await store.reach({ query, names, span: { ...asked, until } })
      const since = Math.min(until, isCut ? (first ?? until) : Math.max(EPOCH, asked.since ?? first ?? until))
      const span = { since, until }
      return {
        ...{ since, until, decisions, isCut },
        steps: (most) => stepsOf(store, { query, names, span }, most),
        groups: (by, wanted) => groupsOf(store, { query, names, span }, by, { first: wanted, since: isCut ? since : undefined }),
      }
    },
  }
}

async function stepsOf(
  store: DecisionCountStore,
  counted: Counted & { readonly span: Required<Span> },
  most: number,
): Promise<DecisionStep[]> {
  const issues = checkRange(['most'], most, steps.least, steps.most)
  if (issues.length > 0) throw new InputFault(issues)
  const { since, until } = counted.span
  if (since >= until) return []
  const stepMs = lengthOf(since, until, most)
  const base = Math.floor(since / stepMs) * stepMs
  const found = new Map((await store.steps(counted, base, stepMs)).map((one) => [one.step, one]))
  return Array.from({ length: Math.ceil((until - base) / stepMs) }, (_, step) => {
    const { decisions = 0, placed = 0, partial = 0, noValidHost = 0 } = found.get(step) ?? {}
    const at = base + step * stepMs
    return { at: Math.max(since, at), until: Math.min(until, at + stepMs), decisions, placed, partial, noValidHost }
  })
}

/** The shortest step length with which at most `most` steps cover the span. Each step begins at a multiple of its length. */
export function lengthOf(since: number, until: number, most: number): number {
  const fits = (length: number): boolean => Math.ceil(until / length) - Math.floor(since / length) <= most
  const known = lengths.find(fits)
  if (known !== undefined) return known
  let days = Math.max(1, Math.ceil((until - since) / most / DAY))
  while (!fits(days * DAY)) days++
  return days * DAY
}

/** The query field that finds the decisions of a group. */
const fieldOf: Readonly<Record<DecisionGrouping, string>> = {
  CAUSE: 'cause',
  FLAVOR: 'flavor',
  PROJECT: 'project',
  PROFILE: 'profile',
  CHAIN: 'chain',
}

async function groupsOf(
  store: DecisionCountStore,
  counted: Counted,
  by: DecisionGrouping,
  { first, since }: { readonly first: number | null | undefined; readonly since: number | undefined },
): Promise<DecisionGroups> {
  const { groups, total } = await store.groups(counted, by, firstOf(listOf('groups'), { first }))
  const field = fieldOf[by]
  const newest = since === undefined ? '' : ` at>=${printTime(since)}`
  return {
    nodes: groups.map((group) => ({ ...group, terms: `${group.key === null ? `-${field}:*` : withTerm('', field, group.key)}${newest}` })),
    totalCount: total,
  }
}
