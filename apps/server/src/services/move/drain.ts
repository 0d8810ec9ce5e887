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
import { answerYielding } from '../../event-loop/query.ts'
import type { Outside } from '../../plugin/outside/outside.ts'
import type { RefusalReason } from '../../replica/propose/placement.ts'
import type { Decisions } from '../decision/decisions.ts'
import { answeredFor, type ForeseenDecision, foreseeMoves } from './foreseen-moves.ts'
import { askedBy, leaving } from './relocation.ts'
import { countAllWithoutClaims } from './without-claims.ts'

/** This many names are processed between two yields. */
const PAUSED_AFTER = 500

/** The result of draining hosts in a hypothetical fleet. */
export interface Drain {
  /** The claims on the drained hosts, oldest first. */
  readonly instances: readonly DrainedInstance[]
  /** How many reported instances have no claim. They stay on the host, because their requests are unknown. */
  readonly withoutClaims: number
}

/** One claim on a drained host. */
export interface DrainedInstance {
  readonly claim: Claim
  readonly from: HostName
  /** The destination; null if the instance stays because no host was found. */
  readonly to: HostName | null
  /** Why the instance stays; null if it moves. */
  readonly message: string | null
  readonly reasons: readonly RefusalReason[]
}

export interface DrainOptions {
  readonly profile: Profile
  readonly outside: Outside
  readonly decisions: Pick<Decisions, 'stored'>
  /** True if the deadline has passed. The remaining claims then stay on their hosts. */
  isOver(): boolean
}

/**
 * Moves the instances away from the named hosts of a private fleet, as an evacuation would. The caller must already have changed the fleet
 * so that the named hosts refuse new instances. Returns null if no host is named. The seeds are fixed, so that an equal query has an equal
 * result, unless the deadline passes.
 */
export async function drainHosts(
  fleet: Fleet,
  names: readonly string[],
  { profile, outside, decisions, isOver }: DrainOptions,
): Promise<Drain | null> {
  if (names.length === 0) return null
  const drained = await answerYielding(nodesNamed(fleet, names))
  const asked = await askedBy(fleet, decisions, leaving({ fleet }, drained))
  const nameOf = ({ host: index }: Claim): HostName => {
    const { host, node } = fleet.hosts.get(index)
    return { host, node }
  }
  const from = new Map(asked.map(({ claim }) => [claim.id, nameOf(claim)]))
  const withoutClaims = countAllWithoutClaims(drained)
  const answered = await answeredFor(outside, fleet, profile, 'EVACUATE', asked)
  const moves = await answerYielding(foreseeMoves(fleet, answered, 'EVACUATE', asked, { seedOf: ({ id }) => `drain ${id}`, isOver }))
  const instances: DrainedInstance[] = []
  for (const { claim, message, reasons, decided } of moves) {
    const refused = decided === null ? message : await answerYielding(moveNow(fleet, claim, decided))
    const [part] = decided?.parts ?? []
    const to = refused !== null || part === undefined ? null : { host: part.host, node: part.node }
    instances.push({ claim, from: from.get(claim.id) ?? nameOf(claim), to, message: refused, reasons })
  }
  return { instances, withoutClaims }
}

/**
 * The nodes of the named hosts, without duplicates. The function yields, because a caller can name very many hosts, and a host can have
 * many nodes.
 */
function* nodesNamed({ hosts }: Fleet, names: readonly string[]) {
  const records = new Map<number, HostRecord>()
  for (const [i, name] of [...new Set(names)].entries()) {
    if (i % PAUSED_AFTER === PAUSED_AFTER - 1) yield
    for (const record of nodesMeant(hosts, name)) records.set(record.index, record)
  }
  return [...records.values()]
}

/** Applies a decided move to the private fleet and confirms it. Returns the reason if the move is void, otherwise null. */
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
