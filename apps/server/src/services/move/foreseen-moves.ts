import { randomUUID } from 'node:crypto'
import {
  anywhere,
  type Claim,
  causeInSteps,
  currentSpec,
  type Decided,
  decideInSteps,
  type Fleet,
  type GroupBinding,
  groupOf,
  liftSource,
  type MoveIntent,
  type Overlay,
  openOverlay,
  type Profile,
  type RequestSpec,
  reasonText,
  type Solution,
  type Steps,
  wayOutInSteps,
} from '@gantt/scheduler-core'
import type { Outside } from '../../plugin/outside/outside.ts'
import { keptCause } from '../../replica/propose/kept-cause.ts'
import { findSource, requestNow } from '../../replica/propose/moves.ts'
import type { RefusalReason } from '../../replica/propose/placement.ts'
import { sentenceOf } from '../calls/outcome.ts'
import { type HostView, viewHost } from '../host/host-view.ts'
import { checkAskedCall } from '../placement/call-checks.ts'
import { noHostMessage } from '../placement/no-valid-host.ts'

/** The destination that a claim would get, or why it would stay. */
export interface ForeseenMove {
  readonly claim: Claim
  /** The destination; null if the claim would stay. */
  readonly destination: HostView | null
  /** Why the claim would stay; null if it would move. */
  readonly message: string | null
  /** Why hosts refuse the instance, if no destination was found. */
  readonly reasons: readonly RefusalReason[]
  /** The decision of the move; null if the claim would stay. */
  readonly decided: ForeseenDecision | null
}

export interface ForeseenDecision extends Pick<Decided, 'parts' | 'answer' | 'record'> {
  readonly group: GroupBinding | null
}

/** A claim to move, with the request of the decision that created it. The request is undefined if it is no longer stored. */
export interface AskedMove {
  readonly claim: Claim
  readonly request: RequestSpec | undefined
  /** The request whose digest is bound to the idempotency key of the move (`PlacementInput.keyed`). */
  readonly keyed?: RequestSpec | undefined
}

/**
 * Predicts the results of moving claims now. The moves are decided one after the other, and each decision takes the effects of the earlier
 * moves into account. The effects are stored in an overlay that is discarded at the end. No other code may use the fleet until this
 * generator ends.
 */
export function* foreseeMoves(
  fleet: Fleet,
  profile: Profile,
  intent: MoveIntent,
  asked: readonly AskedMove[],
  { shares, seedOf = () => randomUUID(), isOver = () => false }: ForeseeOptions = {},
): Steps<ForeseenMove[]> {
  const overlay = openOverlay(fleet)
  try {
    const foreseen: ForeseenMove[] = []
    for (const move of asked) {
      const foreseeing = { profile, intent, solution: shares?.get(move.claim.id), seed: seedOf(move.claim) }
      foreseen.push(
        isOver()
          ? staying(move.claim, 'The time limit was reached before a host was searched for the claim.')
          : yield* foresee(fleet, overlay, foreseeing, move),
      )
      yield
    }
    return foreseen
  } finally {
    overlay.discard()
  }
}

/**
 * The profile with the answers of external plug-ins about these moves. Each answer is about the present fleet, and does not take the
 * effects of earlier moves into account.
 */
export async function answeredFor(
  outside: Outside,
  fleet: Fleet,
  profile: Profile,
  intent: MoveIntent,
  asked: readonly AskedMove[],
): Promise<Profile> {
  let answered = profile
  for (const { claim, request } of asked) {
    const source = findSource(fleet, { claim: claim.id, fence: claim.fence })
    if (request === undefined || typeof source === 'string') continue
    // an equal request reuses the answers for the earlier request
    const gathering = outside.gather(fleet, answered, [anywhere(requestNow(fleet, { request, intent }, source))], { source })
    // all moves use the same profile, so if one move needs no answers of external plug-ins, no move needs them
    if (gathering === undefined) return answered
    answered = await gathering
  }
  return answered
}

export interface ForeseeOptions {
  /** By claim id: the destination in the solver's arrangement. */
  readonly shares?: ReadonlyMap<string, Solution> | undefined
  /** Returns the seed for a claim's decision. Absent: a new seed for each decision. */
  seedOf?(claim: Claim): string
  /** True if the deadline has passed. The remaining claims then stay where they are. */
  isOver?(): boolean
}

interface Foreseeing {
  readonly profile: Profile
  readonly intent: MoveIntent
  readonly solution: Solution | undefined
  readonly seed: string
}

const staying = (claim: Claim, message: string, reasons: readonly RefusalReason[] = []): ForeseenMove => ({
  ...{ claim, destination: null, message, reasons, decided: null },
})

function* foresee(
  fleet: Fleet,
  overlay: Overlay,
  { profile, intent, solution, seed }: Foreseeing,
  { claim, request: asked }: AskedMove,
): Steps<ForeseenMove> {
  const stays = (message: string, reasons?: readonly RefusalReason[]): ForeseenMove => staying(claim, message, reasons)
  if (asked === undefined) return stays('The request of the claim is no longer known, because its decision is not stored.')
  const source = findSource(fleet, { claim: claim.id, fence: claim.fence })
  if (typeof source === 'string') return stays(sentenceOf(source))
  const moveOf = { id: claim.id, fence: claim.fence }
  const asking = { fleet, profile, request: asked, path: ['input'], profilePath: ['input', 'profile'] }
  const [wrong] = checkAskedCall(asking, { intent, moveOf, allOrNothing: true, isNew: false, isRepeated: false })
  if (wrong !== undefined) return stays(wrong.message)
  const request = requestNow(fleet, { request: asked, intent }, source)
  const input = {
    id: randomUUID(),
    request,
    profile,
    seed,
    attempt: 1,
    alternatesPerInstance: 0,
    allOrNothing: true,
    claimIds: [randomUUID()],
    intent,
    source,
    solution,
  }
  const { parts, answer, record, judged } = yield* decideInSteps(fleet, overlay, input)
  const chosen = answer[0]?.selected
  const host = chosen === undefined ? undefined : fleet.hosts.find(chosen)
  if (host !== undefined)
    return {
      claim,
      destination: viewHost(fleet, host),
      message: null,
      reasons: [],
      decided: { parts, answer, record, group: groupOf(request) },
    }
  const held = overlay.size
  liftSource(overlay, request, source)
  const refused = currentSpec(record.request)
  const found = yield* causeInSteps(fleet, refused, judged)
  overlay.rollback(held)
  const cause = keptCause(found, yield* wayOutInSteps(fleet, overlay, input, found))
  const reasons = found.reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) }))
  return stays(noHostMessage(cause, 1), reasons)
}
