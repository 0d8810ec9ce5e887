import type { Amounts, Call, Group, Operation, Place, PlacedClaim } from '../history.ts'

/** A claim in an answer to a client, and the period in which it was certainly live. */
export interface Lifetime {
  readonly claim: PlacedClaim
  readonly call: Place
  readonly amounts: Amounts
  readonly group: Group | null
  /** The time of the first answer with the claim. */
  readonly from: number
  /** The time of the first call that possibly ended the claim, or of its expiry if that is earlier. Infinity if there is neither. */
  readonly to: number
}

/** An operation whose call is of one type. */
export type Of<Type extends Call['type']> = Operation & { readonly call: Extract<Call, { type: Type }> }

export const isOf =
  <Type extends Call['type']>(...types: readonly Type[]) =>
  (operation: Operation): operation is Of<Type> =>
    types.some((type) => operation.call.type === type)

/**
 * The periods in which each acknowledged claim was certainly live. A period begins with the first answer that has the claim. It ends at the
 * beginning of the first call that can end the claim, or at its expiry. The times are by the clients' clock. The real lifetime is longer,
 * so if two of these periods overlap, the real lifetimes overlap too.
 */
export function lifetimesOf(history: readonly Operation[]): readonly Lifetime[] {
  const placings = history.filter(isOf('place'))
  const invokedFirst = new Map<string, number>()
  for (const { call, invokedAt } of placings) invokedFirst.set(call.key, Math.min(invokedFirst.get(call.key) ?? invokedAt, invokedAt))
  const enders = endersOf(history)
  const forced = history.filter(isOf('leave')).filter(({ call, outcome }) => call.how === 'force' && outcome.type !== 'fail')
  /** The times of calls that removed the claim's host and possibly ended the claim with it. */
  const endsWithHost = ({ claim, call }: Lifetime): number[] =>
    forced
      .filter((leave) => leave.call.host === claim.host)
      // An answered call can end only claims that were requested before its answer. An unanswered call can take effect at any time.
      .filter(({ outcome, endedAt }) => outcome.type !== 'ok' || (invokedFirst.get(call.key) as number) < endedAt)
      .map(({ invokedAt }) => invokedAt)
  const ends = history.filter(isOf('confirm', 'extend'))
  const found = new Map<string, Lifetime>()
  for (const { call, outcome, endedAt } of placings) {
    if (outcome.type !== 'ok' || outcome.answer.type !== 'placed') continue
    for (const claim of outcome.answer.claims) {
      const known = found.get(claim.id)
      if (known !== undefined && known.from <= endedAt) continue
      found.set(claim.id, { claim, call, amounts: call.amounts, group: call.group, from: endedAt, to: Number.POSITIVE_INFINITY })
    }
  }
  const lasting = new Map<string, number>()
  for (const { call, outcome, invokedAt } of ends) {
    if (outcome.type !== 'ok' || outcome.answer.type !== 'ends') continue
    for (const [i, { id }] of call.claims.entries()) {
      if (outcome.answer.results[i]?.end !== 'done') continue
      const until = call.type === 'confirm' ? Number.POSITIVE_INFINITY : invokedAt + call.ttlMs
      lasting.set(id, Math.max(lasting.get(id) ?? until, until))
    }
  }
  return [...found.values()].map((lifetime) => {
    const { claim, call } = lifetime
    const runsOut =
      call.mode === 'CONFIRM'
        ? Number.POSITIVE_INFINITY
        : Math.max((invokedFirst.get(call.key) as number) + call.ttlMs, lasting.get(claim.id) ?? 0)
    const forgotten = Math.min(Number.POSITIVE_INFINITY, ...endsWithHost(lifetime))
    const ended = Math.min(
      forgotten,
      enders.claims.get(claim.id) ?? Number.POSITIVE_INFINITY,
      enders.keys.get(call.key) ?? Number.POSITIVE_INFINITY,
    )
    return { ...lifetime, to: Math.min(runsOut, ended) }
  })
}

/** `claims`: when a call could first have ended the claim, by claim id. `keys`: when a call could first have ended all claims of a key. */
function endersOf(history: readonly Operation[]): { readonly claims: Map<string, number>; readonly keys: Map<string, number> } {
  const claims = new Map<string, number>()
  const keys = new Map<string, number>()
  const note = (map: Map<string, number>, name: string, at: number): void => {
    map.set(name, Math.min(map.get(name) ?? at, at))
  }
  const sources = new Map<string, string>()
  for (const { call, outcome } of history.filter(isOf('place')))
    if (call.moveOf !== null && outcome.type === 'ok' && outcome.answer.type === 'placed')
      for (const { id } of outcome.answer.claims) sources.set(id, call.moveOf.id)
  for (const { call, outcome, invokedAt } of history) {
    if (outcome.type === 'fail') continue
    if (call.type === 'abandon') note(keys, call.key, invokedAt)
    if (call.type === 'place' && call.moveOf !== null && call.mode === 'CONFIRM') note(claims, call.moveOf.id, invokedAt)
    // A further attempt that is not placed ends nothing.
    const mayBePlaced = outcome.type !== 'ok' || outcome.answer.type === 'placed'
    if (call.type === 'place' && call.attempt?.ends != null && mayBePlaced) note(claims, call.attempt.ends.id, invokedAt)
    if (call.type !== 'release' && call.type !== 'confirm') continue
    for (const [i, { id }] of call.claims.entries()) {
      // A refused call must not end a claim, so it is left out here. If a server ends the claim in spite of its answer, the rules therefore
      // detect a violation.
      if (outcome.type === 'ok' && outcome.answer.type === 'ends' && outcome.answer.results[i]?.end !== 'done') continue
      const ended = call.type === 'release' ? id : sources.get(id)
      if (ended !== undefined) note(claims, ended, invokedAt)
    }
  }
  return { claims, keys }
}
