import {
  appendInSteps,
  type Claim,
  codes,
  type Fleet,
  type HostName,
  type HostRecord,
  nodesMeant,
  type Profile,
} from '@gantt/scheduler-core'
import { answerInPieces } from '../../event-loop/question.ts'
import type { Outside } from '../../plugin/outside/outside.ts'
import type { RefusalReason } from '../../replica/propose/placement.ts'
import type { Decisions } from '../decision/decisions.ts'
import { answeredFor, type ForeseenDecision, foreseeMoves } from './foreseen-moves.ts'
import { askedBy, leaving } from './relocation.ts'
import { countAllWithoutClaims } from './without-claims.ts'

/** The number of names that are processed between two pauses. */
const PAUSED_AFTER = 500

/** The result of draining hosts of a hypothetical fleet. */
export interface Drain {
  /** The oldest claim first. */
  readonly instances: readonly DrainedInstance[]
  /** Reported instances without a claim: their requests are not known, so they stay. */
  readonly withoutClaims: number
}

/** One claim on a drained host. */
export interface DrainedInstance {
  readonly claim: Claim
  readonly from: HostName
  /** The destination; null if none was found, so that the claim stays. */
  readonly to: HostName | null
  /** The reason for which it stays; null if it moves. */
  readonly message: string | null
  readonly reasons: readonly RefusalReason[]
}

export interface DrainOptions {
  readonly profile: Profile
  readonly outside: Outside
  readonly decisions: Pick<Decisions, 'stored'>
  /** Whether the time is used up: the remaining claims stay. */
  isOver(): boolean
}

/**
 * Moves the instances on some hosts of the caller's own fleet to others, as an evacuation would; the hosts already
 * accept no new instances. Null if no host is named. The same fleet and hosts give the same answer.
 */
export async function drainHosts(
  fleet: Fleet,
  names: readonly string[],
  { profile, outside, decisions, isOver }: DrainOptions,
): Promise<Drain | null> {
  if (names.length === 0) return null
  const drained = await answerInPieces(nodesNamed(fleet, names))
  const asked = await askedBy(decisions, leaving({ fleet }, drained))
  const nameOf = ({ host: index }: Claim): HostName => {
    const { host, node } = fleet.hosts.get(index)
    return { host, node }
  }
  const from = new Map(asked.map(({ claim }) => [claim.id, nameOf(claim)]))
  const withoutClaims = countAllWithoutClaims(drained)
  const answered = await answeredFor(outside, fleet, profile, 'EVACUATE', asked)
  const moves = await answerInPieces(foreseeMoves(fleet, answered, 'EVACUATE', asked, { seedOf: ({ id }) => `drain ${id}`, isOver }))
  const instances: DrainedInstance[] = []
  for (const { claim, message, reasons, decided } of moves) {
    const refused = decided === null ? message : await answerInPieces(moveNow(fleet, claim, decided))
    const [part] = decided?.parts ?? []
    const to = refused !== null || part === undefined ? null : { host: part.host, node: part.node }
    instances.push({ claim, from: from.get(claim.id) ?? nameOf(claim), to, message: refused, reasons })
  }
  return { instances, withoutClaims }
}

/** The named nodes, each once. A name may be one of a thousand nodes, and be given a hundred thousand times. */
function* nodesNamed({ hosts }: Fleet, names: readonly string[]) {
  const records = new Map<number, HostRecord>()
  for (const [i, name] of [...new Set(names)].entries()) {
    if (i % PAUSED_AFTER === PAUSED_AFTER - 1) yield
    for (const record of nodesMeant(hosts, name)) records.set(record.index, record)
  }
  return [...records.values()]
}

/** Applies the decided move and confirms it; returns the reason if it does not count, otherwise null. */
function* moveNow(fleet: Fleet, { id, fence, account }: Claim, { parts, answer, record, group }: ForeseenDecision) {
  const [refused] = yield* appendInSteps(fleet, [
    {
      ...{ type: 'move', intent: 'EVACUATE', mode: 'CONFIRM', ttlMs: 0, notAfter: null, digest: '' },
      ...{ source: { claim: id, fence }, account, key: `drain ${id}`, group, parts, answer, decision: record },
    },
  ])
  if (refused !== undefined) return codes[refused]
  const ends = parts.flatMap(({ claim }) => fleet.ledger.claims.get(claim) ?? [])
  const [late] = yield* appendInSteps(
    fleet,
    ends.map((claim) => ({ type: 'confirm', claim: claim.id, fence: claim.fence })),
  )
  return late === undefined ? null : codes[late]
}
