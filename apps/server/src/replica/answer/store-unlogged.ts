import { UnavailableError } from '../../unavailable.ts'
import type { UnloggedAnswer } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'

export interface UnloggedStoreOptions {
  recordUnlogged(decisions: readonly UnloggedDecision[]): Promise<void>
  warn(message: string): void
}

/** At most this many writes run at the same time, so that one slow write does not delay all answers. */
const MAX_WRITES = 4
/** At most this many decisions are stored in one write. */
const MAX_STORED_TOGETHER = 100

/**
 * Returns a function that stores a complete decision and then answers its caller. It resolves when the caller got the answer or an error.
 * Decisions that wait for a write are stored together.
 */
export function createUnloggedStore({ recordUnlogged, warn }: UnloggedStoreOptions): (complete: UnloggedAnswer) => Promise<void> {
  const waiting: { readonly complete: UnloggedAnswer; stored(): void }[] = []
  let writes = 0
  const store = async (some: readonly UnloggedAnswer[]): Promise<void> => {
    try {
      await recordUnlogged(some.map(({ decision }) => decision))
      for (const { answer } of some) answer()
    } catch (error) {
      // one record that cannot be stored must not make the other calls fail, so each record is then stored alone
      if (some.length > 1) return void (await Promise.all(some.map((one) => store([one]))))
      warn(`a decision could not be recorded: ${error instanceof Error ? error.message : String(error)}`)
      for (const { fail } of some) fail(new UnavailableError('store', 'the decision could not be recorded'))
    }
  }
  const writeWaiting = async (): Promise<void> => {
    writes++
    while (waiting.length > 0) {
      const some = waiting.splice(0, MAX_STORED_TOGETHER)
      await store(some.map(({ complete }) => complete))
      for (const { stored } of some) stored()
    }
    writes--
  }
  return (complete) =>
    new Promise((stored) => {
      waiting.push({ complete, stored })
      if (writes < MAX_WRITES) void writeWaiting()
    })
}
