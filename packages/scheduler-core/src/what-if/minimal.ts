import { canonicalJson } from '../canonical-json.ts'
import type { Steps } from '../fleet/steps.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { ChangedNumber, ProposedChange } from './remedies/remedy.ts'
import { type Candidate, effortOf, type Kept, type SearchOptions } from './shared-room.ts'
import { type Applied, applyTo, type createFleets, tryOn } from './trial.ts'

/** Of so many parts of a change it is tried whether each is needed; of more claims it is reckoned. */
const MOST_TRIED = 16

/** Decides with other changes than those of a candidate. */
export interface MinimalOptions extends SearchOptions {
  readonly fleets: ReturnType<typeof createFleets>
  /** Instances that found a host without any change. */
  readonly failed: number
}

/**
 * The same without each change, and each part of one (a claim to be waited for, a wish), without which the request is placed all the same, and
 * with each number as near to what it is now as is enough: of what is left every part is needed. Undefined where that was not found out, for
 * want of runs or time.
 */
export function* minimal(
  options: MinimalOptions,
  kept: Kept,
  mostRuns: number,
): Steps<{ readonly kept: Kept | undefined; readonly runs: number }> {
  let best = kept
  let runs = 0
  const isOver = () => runs >= mostRuns || options.isOver()
  /** Whether other changes in the place of some of them will do; those are the best then. */
  function* isEnough(changes: readonly ProposedChange[]): Steps<boolean> {
    yield
    runs++
    const found = yield* tryWith(options, best.candidate, ofRequest(options.request, changes))
    if (found !== undefined) best = found
    return found !== undefined
  }
  for (let left = smallerThan(best.candidate); ; ) {
    const [fewer] = left.splice(0, 1)
    if (fewer === undefined) break
    if (isOver()) return { kept: undefined, runs }
    if (yield* isEnough(fewer)) left = smallerThan(best.candidate)
  }
  for (const { subject, number } of best.candidate.changes) {
    if (number === undefined) continue
    const { from, to, step = 1 } = number
    /** So many steps nearer to what it is now. */
    const nearer = (steps: number) => {
      const other = to + Math.sign(from - to) * step * steps
      return best.candidate.changes.map((one) => (one.subject === subject ? number.at(other) : one))
    }
    const all = Math.ceil(Math.abs(from - to) / step)
    if (all <= 1) continue
    if (isOver()) return { kept: undefined, runs }
    if (!(yield* isEnough(nearer(1)))) continue
    let [enough, tooLittle] = [1, all]
    while (tooLittle - enough > 1) {
      if (isOver()) return { kept: undefined, runs }
      const middle = Math.floor((enough + tooLittle) / 2)
      if (yield* isEnough(nearer(middle))) enough = middle
      else tooLittle = middle
    }
  }
  return { kept: best, runs }
}

/** Each way to leave one part out: first whole changes, then parts of them, the last first. */
function smallerThan({ changes }: Candidate): (readonly ProposedChange[])[] {
  const without = (change: ProposedChange) => changes.filter((one) => one !== change)
  return [
    ...(changes.length > 1 ? changes.map(without) : []),
    ...changes.flatMap((change) => {
      const { names = [], of } = change.parts ?? {}
      if (of === undefined || names.length < 2 || names.length > MOST_TRIED) return []
      return names.toReversed().map((name) => [of(names.filter((one) => one !== name)), ...without(change)])
    }),
  ]
}

/** The changes as they are of the request with those before them: one may have been made beside another that is left out. */
function ofRequest(request: RequestSpec, changes: readonly ProposedChange[]): readonly ProposedChange[] {
  let now = request
  return changes.flatMap((change) => {
    const { number } = change
    const own = number?.of === undefined ? change : number.of(now)
    now = own?.request?.(now) ?? now
    return own ?? []
  })
}

function* tryWith(
  { fleets, request, profile, seed, minHosts, failed }: MinimalOptions,
  { hosts, refined }: Candidate,
  changes: readonly ProposedChange[],
): Steps<Kept | undefined> {
  const applied = applyTo(request, profile, changes)
  const own = yield* fleets.with(applied.edits)
  if (own === undefined) return undefined
  const trial = yield* tryOn(own, seed, applied, [], failed)
  if (!trial.placed || trial.unlocks < minHosts) return undefined
  return { candidate: { changes, hosts, refined, effort: effortOf(changes) }, trial, applied }
}

/** Whether one proposal says no more than the other, which is known: it contains it, or comes to the same for as much effort or more. */
export const saysNoMore = (one: Proposal, known: Proposal): boolean =>
  containsAll(one.candidate.changes, known.candidate.changes) || (one.candidate.effort >= known.candidate.effort && isSame(one, known))

type Proposal = Pick<Kept, 'candidate' | 'applied'>

/** Whether the same is decided with both, however it was come to: a name that is spelt otherwise and then given up is the name given up. */
const isSame = ({ applied: one }: Proposal, { applied: other }: Proposal): boolean => saidOf(one) === saidOf(other)

const saidOf = ({ request, edits, filters }: Applied): string => canonicalJson({ request, edits, filters: filters ?? null })

/** Whether these changes ask for all that the others do, or for more of it: then the others alone will do. */
export const containsAll = (changes: readonly ProposedChange[], others: readonly ProposedChange[]): boolean =>
  others.every((other) => changes.some((change) => containsOne(change, other)))

function containsOne(change: ProposedChange, other: ProposedChange): boolean {
  if (change.kind !== other.kind) return false
  const { gives } = change
  const isOfOne = change.subject === other.subject
  if (isOfOne && change.number !== undefined && other.number !== undefined) return isAsFar(change.number, other.number)
  if (gives !== undefined && other.gives !== undefined) return other.gives.every((path) => gives.some((given) => isWithin(path, given)))
  if (!isOfOne) return false
  if (change.parts === undefined || other.parts === undefined) return change.to === other.to
  const names = new Set(change.parts.names)
  return other.parts.names.every((name) => names.has(name))
}

/** Of two numbers by which the same is changed, whether one goes at least as far in the same direction. */
function isAsFar(one: ChangedNumber, other: ChangedNumber): boolean {
  const direction = Math.sign(one.to - one.from)
  return direction === Math.sign(other.to - other.from) && one.to * direction >= other.to * direction
}

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`)
