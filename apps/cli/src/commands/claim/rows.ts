import { graphql, type ResultOf } from '@gantt/client'
import { age, mib } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { toTable, wrap } from '../../output/table.ts'
import { nameOf } from '../host/hosts.ts'

/** The GraphQL fields of a ClaimRow. Some of them are only for the JSON output. */
export const CLAIM =
  graphql(`fragment ClaimRow on Claim { id fence state account createdAt expiresAt instanceUuid serverGroup host { name node hasOtherNodes }
  reason releasedAt moveOf { id } movingTo { id host { name node hasOtherNodes } }
  resources { resourceClass amount } gpus { index milli } cells { guest cell cpus pinned memoryMb } }`)

/** A claim as lists show it. */
export type ClaimRow = ResultOf<typeof CLAIM>

const LIVE = new Set(['RESERVED', 'CONFIRMED', 'MATERIALISED'])
/** At most this many open moves are listed below a table; the JSON has all. */
const MAX_LISTED_MOVES = 5

/**
 * One line per claim: live claims with their resources, ended claims with the recorded reason, then the open moves. The time until a claim
 * expires is computed from `nowMs`. If a past state is shown, `nowMs` is the time of that state.
 */
export function toClaimTable(claims: readonly ClaimRow[], nowMs = Date.now()): readonly string[] {
  const live = claims.filter(({ state }) => LIVE.has(state))
  const ended = claims.filter(({ state }) => !LIVE.has(state))
  const moving = live.filter(({ movingTo }) => movingTo !== null)
  return [
    ...(live.length > 0 || ended.length === 0 ? toLiveTable(live, nowMs) : []),
    ...(live.length > 0 && ended.length > 0 ? [''] : []),
    ...(ended.length > 0 ? toEndedTable(ended) : []),
    ...moving.slice(0, MAX_LISTED_MOVES).flatMap(toMove),
    ...(moving.length > MAX_LISTED_MOVES ? [`${moving.length - MAX_LISTED_MOVES} more claims are moving: see --json`] : []),
  ]
}

/** The destination of a claim that is being moved, and the id with which the move is confirmed or reverted. */
const toMove = ({ host, movingTo }: ClaimRow): readonly string[] =>
  movingTo === null ? [] : wrap(`Moving from ${nameOf(host)} to ${nameOf(movingTo.host)}: confirm or revert ${shortId(movingTo.id)}`)

const toEndedTable = (claims: readonly ClaimRow[]): readonly string[] =>
  toTable(
    [
      { head: 'claim' },
      { head: 'host', cut: 'middle', least: 7, key: true },
      { head: 'state', cut: 'end', least: 8 },
      { head: 'reason', wraps: true, least: 12 },
    ],
    claims.map(({ id, host, state, reason }) => [shortId(id), nameOf(host), state, reason ?? '-']),
  )

function toLiveTable(claims: readonly ClaimRow[], nowMs: number): readonly string[] {
  return toTable(
    [
      { head: 'claim' },
      { head: 'host', cut: 'middle', least: 7, key: true },
      { head: 'state', cut: 'end', least: 9 },
      { head: 'takes', cut: 'end', least: 8 },
      { head: 'left', align: 'right' },
    ],
    claims.map(({ id, host, state, resources, expiresAt }) => [
      shortId(id),
      nameOf(host),
      state,
      amountOf(resources),
      expiresAt === null ? '-' : age(expiresAt, nowMs),
    ]),
  )
}

/** The CPUs and memory of a claim as text: "4/8GiB". The JSON output also has all other resources. */
function amountOf(resources: ClaimRow['resources']): string {
  const amount = (name: string): number => resources.find(({ resourceClass }) => resourceClass === name)?.amount ?? 0
  return `${amount('VCPU')}/${mib(amount('MEMORY_MB')).replace(' ', '')}`
}
