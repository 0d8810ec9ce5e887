import { createHash, hash } from 'node:crypto'
import { decidedText, inputsText, type KeptDecision, rowText } from '@gantt/scheduler-core'
import type { Searched, StoredDecision } from './rows.ts'

/** The feature level from which on replicas can read decisions in packed (binary) form. */
export const PACKED_LEVEL = 4

/** The SHA-256 hash of the text. */
export const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** A SHA-256 hash to which texts are added in order. */
export interface Hashing {
  add(text: string): void
  /** The hash of all texts up to now. */
  soFar(): string
}

export function createHashing(): Hashing {
  const hashing = createHash('sha256')
  return { add: (text) => void hashing.update(text), soFar: () => hashing.copy().digest('hex') }
}

/** The hashes of a decision's receipt that are computed from the decision itself. */
export const receiptOf = (decision: StoredDecision): Taken => receiptWith(decision, decision.searched ?? searchedOf(decision))

function receiptWith(decision: StoredDecision, { hosts, instanceUuids }: Searched): Taken {
  const { id, outcome, at, account, requestSpecId, claimIds, reasons, cause } = decision
  return {
    inputs: sha256(inputsText(decision, decision.place)),
    decided: sha256(decidedText(decision)),
    row: sha256(
      rowText({ id, outcome, at, account, requestSpecId, claimIds, reasons, ...(cause !== undefined && { cause }), hosts, instanceUuids }),
    ),
  }
}

/** The hashes that are known when a decision is stored. */
interface Taken {
  readonly inputs: string
  readonly decided: string
  readonly row: string
}

/** The hashes of a decision as columns. */
export function hashesOf(decision: StoredDecision): {
  readonly inputs_hash: string
  readonly decided_hash: string
  readonly row_hash: string
} {
  const { inputs, decided, row } = receiptOf(decision)
  return { inputs_hash: inputs, decided_hash: decided, row_hash: row }
}

/** The search columns of a decision, computed from its record. */
export const searchedOf = ({ record, answer }: KeptDecision): Searched => ({
  hosts: [...new Set(answer.map(({ selected }) => selected.host))],
  instanceUuids: record.request.instanceUuids,
})
