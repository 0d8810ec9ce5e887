import { realTimers, type Timers } from '../timers.ts'
import { UnavailableError } from '../unavailable.ts'
import type { EndOfCall } from './call-end.ts'
import { CallerGoneError } from './caller-gone.ts'

/** How many calls may hold fleets of their own at the same time, and how many may wait. docs/limits.md explains each. */
export const slotLimits = {
  /** All calls that hold fleets. */
  all: 8,
  /** The calls of one key that hold fleets. Half of `all`, so that no key uses all slots. */
  ofKey: 4,
  /** The calls of one key that wait for a slot. */
  waiting: 64,
} as const

/** The what-if queries: those that need a fleet of their own. */
const NAMES = 'simulate, capacity, whatWouldFit, compareDecisions, a dry run of hostEvacuate'

/** Too many calls of a key wait for a slot. */
export class TooManyWhatIfQueriesError extends Error {
  override readonly name = 'TooManyWhatIfQueriesError'
  readonly found: number
  readonly most: number

  constructor(found: number, most: number) {
    super(
      `${found} calls of this key with what-if queries (${NAMES}) wait on this replica, and at most ${most} may wait; ` +
        'send the call again when some of them are answered, or send fewer such calls at the same time',
    )
    this.found = found
    this.most = most
  }
}

/**
 * The slots of calls that hold fleets of their own, because each such fleet can need tens of megabytes. A call without a slot waits. The
 * calls of one key get slots in the order of their arrival, and the keys take turns.
 */
export interface Slots {
  /** How many slots are taken. */
  readonly taken: number
  /** How many calls wait. */
  readonly waiting: number
  /**
   * Resolves with a function that gives the slot up. Rejects with TooManyWhatIfQueriesError at once, with UnavailableError after `waitMs`,
   * or with CallerGoneError when the caller disconnects.
   */
  take(keyId: string, waitMs: number, gone: EndOfCall): Promise<() => void>
}

export function createSlots(limits: { readonly [Of in keyof typeof slotLimits]: number } = slotLimits, timers: Timers = realTimers): Slots {
  const takenBy = new Map<string, number>()
  /** For each key, the calls that wait. The key whose turn is next is the first. */
  const queues = new Map<string, (() => void)[]>()
  let taken = 0
  const isFree = (keyId: string): boolean => taken < limits.all && (takenBy.get(keyId) ?? 0) < limits.ofKey

  const begin = (keyId: string): (() => void) => {
    taken++
    takenBy.set(keyId, (takenBy.get(keyId) ?? 0) + 1)
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      taken--
      const left = (takenBy.get(keyId) ?? 0) - 1
      if (left > 0) takenBy.set(keyId, left)
      else takenBy.delete(keyId)
      callNext()
    }
  }
  const callNext = (): void => {
    for (const [keyId, queue] of queues) {
      if (taken >= limits.all) return
      if (!isFree(keyId)) continue
      // the key is moved to the end, so that the other keys have their turns first
      queues.delete(keyId)
      const next = queue.shift()
      if (queue.length > 0) queues.set(keyId, queue)
      next?.()
    }
  }
  return {
    get taken() {
      return taken
    },
    get waiting() {
      return Array.from(queues.values()).reduce((sum, { length }) => sum + length, 0)
    },
    async take(keyId, waitMs, gone) {
      if (gone.aborted) throw new CallerGoneError()
      if (isFree(keyId)) return begin(keyId)
      const queue = queues.get(keyId) ?? []
      if (queue.length >= limits.waiting) throw new TooManyWhatIfQueriesError(queue.length, limits.waiting)
      queues.set(keyId, queue)
      try {
        return await waitIn(queue, () => begin(keyId), { waitMs, gone, timers })
      } finally {
        if (queue.length === 0 && queues.get(keyId) === queue) queues.delete(keyId)
      }
    },
  }
}

interface WaitOptions {
  readonly waitMs: number
  readonly gone: EndOfCall
  readonly timers: Timers
}

/** Waits until a queue calls its next item. Leaves the queue after `waitMs`, or when the caller disconnects. */
function waitIn<Slot>(queue: (() => void)[], begin: () => Slot, { waitMs, gone, timers }: WaitOptions): Promise<Slot> {
  return new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      stopTimer()
      gone.removeEventListener('abort', onGone)
    }
    const go = (): void => {
      stopWaiting()
      resolve(begin())
    }
    const giveUp = (why: Error): void => {
      stopWaiting()
      queue.splice(queue.indexOf(go), 1)
      reject(why)
    }
    const onGone = (): void => giveUp(new CallerGoneError())
    const stopTimer = timers.after(waitMs, () => giveUp(new UnavailableError('deadline', LATE)))
    gone.addEventListener('abort', onGone, { once: true })
    queue.push(go)
  })
}

const LATE =
  `the deadline passed while the call waited for other calls with what-if queries (${NAMES}); ` +
  'send fewer of them at the same time, or set a later deadline'

/** The slots of this process. */
export const slots: Slots = createSlots()
