import { UnavailableError } from '../../unavailable.ts'
import type { Batch } from '../propose/batch.ts'
import type { UnloggedDecision } from '../propose/placement.ts'

/** Stores decisions that are not in the log: refusals and advice. Their callers are answered afterwards. Claims do not wait for this. */
export interface Unlogged {
  record(decisions: Batch['unlogged']): void
  /** Resolves when all pending records are stored, or their callers got an error. */
  close(): Promise<void>
}

export interface UnloggedOptions {
  recordUnlogged(decisions: readonly UnloggedDecision[]): Promise<void>
  warn(message: string): void
}

export function createUnlogged({ recordUnlogged, warn }: UnloggedOptions): Unlogged {
  const recording = new Set<Promise<void>>()
  const keep = async (some: Batch['unlogged']): Promise<void> => {
    try {
      await recordUnlogged(some.map(({ decision }) => decision))
      for (const { answer } of some) answer()
    } catch (error) {
      // one record that cannot be stored must not fail the others, so each is stored alone
      if (some.length > 1) return void (await Promise.all(some.map((one) => keep([one]))))
      warn(`a decision could not be recorded: ${error instanceof Error ? error.message : String(error)}`)
      for (const { fail } of some) fail(new UnavailableError('store', 'the decision could not be recorded'))
    }
  }
  return {
    record(decisions) {
      const kept: Promise<void> = keep(decisions).finally(() => recording.delete(kept))
      recording.add(kept)
    },
    async close() {
      await Promise.all(recording)
    },
  }
}
