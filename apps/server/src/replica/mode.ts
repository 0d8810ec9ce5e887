import { UnknownEntryError } from '@gantt/scheduler-core'
import { StoreSetupError, StoreWentBackError } from '../sync/synchronizer.ts'
import type { Replica } from './replica.ts'

/** What a replica can do now. Nothing of it is ever guessed: a claim is promised only when the store has it. */
export type Mode = 'NORMAL' | 'STORE_AWAY' | 'READ_ONLY' | 'CLOSING'

/** Why a replica takes no writes any more. Written once, never reused or renamed; docs/errors.md lists them. */
export const haltCodes = {
  'log.unreadable': 'The log holds what this release does not read.',
  'store.went_back': 'The store no longer holds what this replica has applied.',
  'store.setup': 'The store is not set up any more as it must be to keep what it acknowledged.',
  'replica.failed': 'The replica could not go on with the log.',
} as const

export type HaltCode = keyof typeof haltCodes

export interface ModeView {
  readonly mode: Mode
  /** Of what it is that it is READ_ONLY. */
  readonly code: HaltCode | null
  /** Why it is not NORMAL, for people. */
  readonly reason: string | null
}

export function modeOf(replica: Pick<Replica, 'halted' | 'isClosing' | 'isStoreAway'>): ModeView {
  const { halted } = replica
  if (halted !== undefined) return { mode: 'READ_ONLY', code: codeOf(halted), reason: halted.message }
  if (replica.isClosing) return { mode: 'CLOSING', code: null, reason: 'The replica answers what is under way, and takes nothing new.' }
  if (replica.isStoreAway)
    return {
      mode: 'STORE_AWAY',
      code: null,
      reason: 'The store does not answer: reads are as old as stateAge says, and nothing is claimed.',
    }
  return { mode: 'NORMAL', code: null, reason: null }
}

function codeOf(halted: Error): HaltCode {
  if (halted instanceof UnknownEntryError) return 'log.unreadable'
  if (halted instanceof StoreSetupError) return 'store.setup'
  return halted instanceof StoreWentBackError ? 'store.went_back' : 'replica.failed'
}
