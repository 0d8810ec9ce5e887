import type { RequestSpec } from '../../../request/request-spec.ts'
import { canonicalJson } from '../../../values/canonical-json.ts'
import type { Steps } from '../../../values/steps.ts'
import type { ChangedNumber, ProposedChange } from '../remedies/remedy.ts'
import { type Applied, applyTo, type createFleets, tryOn } from '../trial.ts'
import { between, rangesOf } from './numbers.ts'
import { type Candidate, effortOf, type Kept, type SearchOptions } from './shared-room.ts'

/**
 * A change can have parts, such as several claims to wait for. Only for a change with at most this many parts, it is tried whether the
 * change suffices without one of the parts.
 */
const MAX_TRIED_CHANGES = 16

/** The inputs of `minimal`. */
export interface MinimalOptions extends SearchOptions {
  readonly fleets: ReturnType<typeof createFleets>
  /** How many instances find a host without any change. The instance with this index is the first that finds none. */
  readonly failed: number
}

/**
 * Reduces a set of changes with which the request is placed. First, leaves out all changes and parts of changes that are not needed to
 * place the request. Then moves each changed number as near to its present value as possible. `isCut` means that the limit of runs or time
 * was reached, so a number is possibly farther from its present value than necessary. If the limit was reached before all changes that are
 * not needed were left out, `kept` is undefined.
 */
export function* minimal(
  options: MinimalOptions,
  kept: Kept,
  maxRuns: number,
): Steps<{ readonly kept: Kept | undefined; readonly runs: number; readonly isCut: boolean }> {
  let best = kept
  let runs = 0
  const isOver = () => runs >= maxRuns || options.isOver()
  /** Decides the request with these changes. If the request is placed, returns true and keeps the changes as the best set. */
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
    if (isOver()) return { kept: undefined, runs, isCut: true }
    if (yield* isEnough(fewer)) left = smallerThan(best.candidate)
  }
  for (const { subject, number } of best.candidate.changes) {
    if (number === undefined) continue
    for (const range of rangesOf(number)) {
      const now = best.candidate.changes.find((one) => one.subject === subject)?.number
      if (now === undefined) break
      const { first, count } = between(range, now.from, now.to)
      /** The best set with another number for this subject: `steps` steps nearer to the present value than the farthest number. */
      const nearer = (steps: number) => {
        const other = first + range.step * (now.to < now.from ? steps : count - 1 - steps)
        return best.candidate.changes.map((one) => (one.subject === subject ? number.at(other, range.step) : one))
      }
      if (count === 0) continue
      if (isOver()) return { kept: best, runs, isCut: true }
      let [enough, tooLittle] = [-1, count]
      // a smaller number is easier to place, so for an increased number only the smallest number of the range is tried
      if (now.to > now.from && number.among !== undefined) {
        yield* isEnough(nearer(count - 1))
        continue
      }
      for (let next = 0; tooLittle - enough > 1; next = Math.floor((enough + tooLittle) / 2)) {
        if (isOver()) return { kept: best, runs, isCut: true }
        if (yield* isEnough(nearer(next))) enough = next
        else if (next === 0) break
        else tooLittle = next
      }
    }
  }
  return { kept: best, runs, isCut: false }
}

/**
 * The sets that result from leaving out one change, followed by the sets that result from leaving out one part of a change, beginning with
 * the last part.
 */
function smallerThan({ changes }: Candidate): (readonly ProposedChange[])[] {
  const without = (change: ProposedChange) => changes.filter((one) => one !== change)
  return [
    ...(changes.length > 1 ? changes.map(without) : []),
    ...changes.flatMap((change) => {
      const { names = [], of } = change.parts ?? {}
      if (of === undefined || names.length < 2 || names.length > MAX_TRIED_CHANGES) return []
      return names.toReversed().map((name) => [of(names.filter((one) => one !== name)), ...without(change)])
    }),
  ]
}

/**
 * Adapts each change to the request that results from the preceding changes. This is necessary because a change was possibly proposed for a
 * request with a preceding change that is now left out.
 */
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

/**
 * True if a known proposal makes a proposal redundant: the proposal contains all changes of the known one, or has the same effect and not
 * less effort.
 */
export const isRedundant = (one: Proposal, known: Proposal): boolean =>
  containsAll(one.candidate.changes, known.candidate.changes) || (one.candidate.effort >= known.candidate.effort && isSame(one, known))

type Proposal = Pick<Kept, 'candidate' | 'applied'>

/**
 * True if two proposals lead to the same decision. For example, correcting a misspelt trait and then dropping the trait has the same effect
 * as only dropping the trait.
 */
const isSame = ({ applied: one }: Proposal, { applied: other }: Proposal): boolean => saidOf(one) === saidOf(other)

const saidOf = ({ request, edits, filters }: Applied): string => canonicalJson({ request, edits, filters: filters ?? null })

/**
 * True if for each change in `others`, `changes` contain the same change, a larger change of the same subject, or changes that reduce the
 * same amounts at least as much.
 */
export const containsAll = (changes: readonly ProposedChange[], others: readonly ProposedChange[]): boolean =>
  others.every(
    (other) => changes.some((change) => containsOne(change, other)) || (others.length <= changes.length && isLower(changes, other)),
  )

/** True if, for each amount in `lowers`, one of `changes` reduces the same amount by at least as much. */
function isLower(changes: readonly ProposedChange[], { lowers }: ProposedChange): boolean {
  return (
    lowers !== undefined &&
    Object.entries(lowers).every(([path, amount]) =>
      changes.some(({ lowers: own = {} }) => (own[path] ?? Number.POSITIVE_INFINITY) <= amount),
    )
  )
}

function containsOne(change: ProposedChange, other: ProposedChange): boolean {
  if (change.kind !== other.kind) return false
  const { gives } = change
  const isOfOne = change.subject === other.subject || (change.alike !== undefined && change.alike === other.alike)
  if (isOfOne && change.number !== undefined && other.number !== undefined) return isAsFar(change.number, other.number)
  if (gives !== undefined && other.gives !== undefined) return other.gives.every((path) => gives.some((given) => isWithin(path, given)))
  if (!isOfOne) return false
  if (change.parts === undefined || other.parts === undefined) return change.to === other.to
  const names = new Set(change.parts.names)
  return other.parts.names.every((name) => names.has(name))
}

/** True if `one` changes the number of a subject in the same direction as `other`, and by at least as much. */
function isAsFar(one: ChangedNumber, other: ChangedNumber): boolean {
  const direction = Math.sign(one.to - one.from)
  return direction === Math.sign(other.to - other.from) && one.to * direction >= other.to * direction
}

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`)
