import { UnknownEntryError } from '@gantt/scheduler-core'
import { StoreSetupError, StoreWentBackError } from '../sync/synchronizer.ts'
import type { Replica } from './replica.ts'

/** Which operations a replica can perform at present. A claim is acknowledged only when the store has it. */
export type Mode = 'NORMAL' | 'STORE_AWAY' | 'READ_ONLY' | 'CLOSING'

/** The reasons why a replica no longer accepts writes. A code is never reused or renamed; docs/errors.md lists the codes. */
export const haltCodes = {
  'log.unreadable': 'The log contains an entry that this release cannot read.',
  'store.went_back': 'The store no longer contains entries that this replica has applied.',
  'store.setup': 'The settings of the store no longer guarantee that acknowledged entries are kept.',
  'replica.failed': 'The replica could not continue with the log.',
} as const

export type HaltCode = keyof typeof haltCodes

export interface ModeView {
  readonly mode: Mode
  /** The reason if the mode is READ_ONLY. */
  readonly code: HaltCode | null
  /** Text that explains the mode; null if it is NORMAL. */
  readonly reason: string | null
}

export function modeOf(replica: Pick<Replica, 'halted' | 'isClosing' | 'isStoreAway'>): ModeView {
  const { halted } = replica
  if (halted !== undefined) return { mode: 'READ_ONLY', code: codeOf(halted), reason: halted.message }
  if (replica.isClosing) return { mode: 'CLOSING', code: null, reason: 'The replica finishes running calls and accepts no new ones.' }
  if (replica.isStoreAway)
    return {
      mode: 'STORE_AWAY',
      code: null,
      reason: 'The store does not answer: stateAge is the age of reads, and nothing is claimed.',
    }
  return { mode: 'NORMAL', code: null, reason: null }
}

function codeOf(halted: Error): HaltCode {
  if (halted instanceof UnknownEntryError) return 'log.unreadable'
  if (halted instanceof StoreSetupError) return 'store.setup'
  return halted instanceof StoreWentBackError ? 'store.went_back' : 'replica.failed'
}
