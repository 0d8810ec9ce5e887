import { AsyncLocalStorage } from 'node:async_hooks'
import type { EndOfCall } from './call-end.ts'
import { CallerGoneError } from './caller-gone.ts'
import { type Turns, turns } from './pauses.ts'
import { type Slots, slots } from './slots.ts'

export { CallerGoneError } from './caller-gone.ts'

/** A call that is being answered. */
interface Call {
  /** Aborted when the caller has disconnected. */
  readonly gone: EndOfCall
  /** The key of the caller. Undefined for work that is not limited by keys. */
  readonly keyId: string | undefined
  readonly slots: Slots
  /** Ends the use of the call's slot. Undefined until the call first needs a slot. */
  slot: Promise<() => void> | undefined
  /** How many tasks of this call hold fleets, or wait to do so. */
  holding: number
  /** How many fleets the call keeps until it is answered. */
  kept: number
  isAnswered: boolean
  /** The last work of this call that holds fleets. */
  last: Promise<unknown>
  /** Called when the call is answered. Undefined for a subscription, whose end can be days away. */
  atEnd: (() => void)[] | undefined
}

const calls = new AsyncLocalStorage<Call | undefined>()

/** Whose call it is. */
export interface CallOf {
  readonly keyId: string
  /** Absent: the slots of this process. */
  readonly slots?: Slots
}

/** Runs the work of a call. Its queries end when `gone` is aborted. */
export function duringCall<Result>(gone: EndOfCall, work: () => Result, of?: CallOf): Result {
  const held = { slot: undefined, holding: 0, kept: 0, isAnswered: false, last: Promise.resolve(), atEnd: [] }
  const call: Call = { gone, keyId: of?.keyId, slots: of?.slots ?? slots, ...held }
  const end = (): void => endCall(call)
  const result = calls.run(call, work)
  if (result instanceof Promise) void result.then(end, end)
  return result
}

/** Records that the values of the present call's answer are computed. The call then needs its fleets no longer. */
export const callAnswered = (): void => endCall(calls.getStore())

function endCall(call: Call | undefined): void {
  if (call === undefined) return
  call.isAnswered = true
  leave(call)
}

/** Gives up the slot and the fleets of a call that is answered and has no work left. */
function leave(call: Call): void {
  const { slot, holding, isAnswered } = call
  if (holding > 0 || !isAnswered) return
  for (const end of call.atEnd?.splice(0) ?? []) end()
  if (slot === undefined) return
  call.slot = undefined
  void slot.then(
    (end) => end(),
    // the call got no slot
    () => undefined,
  )
}

/**
 * Runs work that needs fleets of its own. Only a limited number of calls holds such fleets at the same time, so a call waits for a slot
 * before its first work of this kind, and keeps the slot until it is answered. The works of one call run one after another, so that a call
 * with many what-if queries needs no more memory than a call with one. Work must not contain further work of this kind. Throws
 * TooManyWhatIfQueriesError if too many calls of the key wait, and UnavailableError if there is no slot within `waitMs`.
 */
export async function holdingFleets<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  const call = calls.getStore()
  if (call?.keyId === undefined) return work()
  const { keyId, gone } = call
  call.holding++
  const done = call.last.then(async () => {
    // an error in another part of the answer can end the answer before this work has begun
    if (call.isAnswered) throw new CallerGoneError()
    const slot = call.slot ?? call.slots.take(keyId, waitMs, gone)
    call.slot = slot
    try {
      await slot
    } catch (error) {
      // later work of the call can wait for a longer time
      call.slot = undefined
      throw error
    }
    assertAsked()
    if (call.isAnswered) throw new CallerGoneError()
    return work()
  })
  call.last = done.catch(() => undefined)
  try {
    return await done
  } finally {
    call.holding--
    leave(call)
  }
}

/** Counts a fleet that the present call keeps until it is answered. Returns how many fleets the call keeps. */
export function keepFleet(): number {
  const call = calls.getStore()
  return call === undefined ? 1 : ++call.kept
}

/** Records that the present call is a subscription, which has many answers. */
export function callSubscribes(): void {
  const call = calls.getStore()
  if (call !== undefined) call.atEnd = undefined
}

/**
 * Calls `end` once when the values of the present call's answer are computed and no work that holds fleets is left, which can be later if
 * an error has ended the answer. It is never called for a subscription, for work that is not part of a call, or if the call is already
 * answered.
 */
export function atEndOfCall(end: () => void): void {
  const call = calls.getStore()
  if (call !== undefined && !call.isAnswered) call.atEnd?.push(end)
}

/**
 * Runs work that several callers wait for, or that continues after the call that started it. The work does not end when a caller
 * disconnects.
 */
export const outsideOfCalls = <Result>(work: () => Result): Result => calls.run(undefined, work)

/** True if the present work is part of a call. */
export const isInCall = (): boolean => calls.getStore() !== undefined

/** Throws CallerGoneError if the caller of the present call has disconnected. */
export function assertAsked(): void {
  if (calls.getStore()?.gone.aborted === true) throw new CallerGoneError()
}

/**
 * Called between two steps of a query. Returns a promise that the query must await if it is time to yield, otherwise undefined. Throws
 * CallerGoneError if the caller has disconnected; the promise can also reject with this error.
 */
export function pauseOfQuery({ pause }: Turns = turns): Promise<void> | undefined {
  assertAsked()
  return pause()?.then(assertAsked)
}

/**
 * Answers a query step by step. When the query yields, other calls are answered. If the caller disconnects, the query ends with
 * CallerGoneError when it yields next. Work that other callers also wait for uses `runYielding`.
 */
export async function answerYielding<Result>(work: Generator<void, Result>, shared: Turns = turns): Promise<Result> {
  try {
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      const pause = pauseOfQuery(shared)
      if (pause !== undefined) await pause
    }
  } catch (error) {
    // ends the generator, so that its finally blocks run
    work.return(undefined as never)
    throw error
  }
}
