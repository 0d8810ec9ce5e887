import { appendInSteps, type Claim, codes, type Fleet, type HostName, nodesMeant, type Profile } from '@gantt/scheduler-core'
import type { Outside } from '../plugin/outside/outside.ts'
import type { RefusalReason } from '../replica/placement.ts'
import { answerInPieces } from '../replica/question.ts'
import type { Decisions } from './decisions.ts'
import { answeredFor, type ForeseenDecision, foreseeMoves } from './foreseen-moves.ts'
import { askedBy, leaving } from './relocation.ts'
import { countAllWithoutClaims } from './without-claims.ts'

/** What came of draining hosts of a fleet that is not there. */
export interface Drain {
  /** The oldest claim first. */
  readonly instances: readonly DrainedInstance[]
  /** Instances that no claim covers, as far as the reports of their hosts tell: nobody knows what they asked for, so they stay. */
  readonly withoutClaims: number
}

/** One claim on a host that is drained. */
export interface DrainedInstance {
  readonly claim: Claim
  readonly from: HostName
  /** Null: it finds no place, and stays. */
  readonly to: HostName | null
  /** Why it stays; null: it moves. */
  readonly message: string | null
  readonly reasons: readonly RefusalReason[]
}

export interface DrainOptions {
  readonly profile: Profile
  readonly outside: Outside
  readonly decisions: Pick<Decisions, 'stored'>
  /** Whether time is over: what is left stays. */
  isOver(): boolean
}

/**
 * Moves what is on some hosts of the caller's own fleet to others, as an evacuation would; the hosts take nothing new already. Null where no host
 * is named. The same fleet and hosts have the same answer.
 */
export async function drainHosts(
  fleet: Fleet,
  names: readonly string[],
  { profile, outside, decisions, isOver }: DrainOptions,
): Promise<Drain | null> {
  if (names.length === 0) return null
  const records = new Map(names.flatMap((name) => nodesMeant(fleet.hosts, name)).map((record) => [record.index, record]))
  const drained = [...records.values()]
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

/** The move as it was decided, and confirmed at once; why it does not count, null where it does. */
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
