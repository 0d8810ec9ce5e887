import { createHash } from 'node:crypto'
import { canonicalJson, decide, openOverlay } from '@gantt/scheduler-core'
import { aFleet, aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { receiptOf, searchedOf, sha256 } from './receipts.ts'
import type { StoredDecision } from './rows.ts'

const slowHash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The hashes of a receipt as they were first computed, with a copy of the whole decision for each text. */
function slowReceipt(decision: StoredDecision) {
  const { record, place, answer } = decision
  const { instances, ...inputs } = record
  const { id, outcome, at, account, requestSpecId, claimIds, reasons, cause } = decision
  const row = { id, outcome, at, account, requestSpecId, claimIds, reasons, ...(cause !== undefined && { cause }) }
  return {
    inputs: slowHash(canonicalJson({ receipt: 1, part: 'inputs', place, ...inputs })),
    decided: slowHash(canonicalJson({ receipt: 1, part: 'decided', id: record.id, instances, answer })),
    row: slowHash(canonicalJson({ receipt: 1, part: 'row', ...row, ...(decision.searched ?? searchedOf(decision)) })),
  }
}

function aDecision(numInstances: number): StoredDecision {
  const fleet = aFleet({ one: {}, two: {}, three: {} })
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: numInstances }, (_, i) => aUuid(100 + i))
  const profile = fleet.profiles.find('default')
  if (profile === undefined) throw new Error('expected the profile default')
  const rest = { id: aUuid(1), seed: 'seed', attempt: 1, alternatesPerInstance: 2, allOrNothing: false, claimIds }
  const { record, answer } = decide(fleet, overlay, { ...rest, request: aRequest({ numInstances }), profile })
  overlay.discard()
  const place = { basis: 7, entryId: aUuid(2), position: 0 }
  return { id: record.id, outcome: 'PLACED', at: 5, account: 'me', requestSpecId: 'x', record, place, answer, claimIds, reasons: [] }
}

test('the hash of any text is the hash of its UTF-8 bytes', () => {
  for (const text of ['', 'abc', 'ü中\u{1f600}', '\ud800', 'a\udfffb', '\u0000', 'x'.repeat(70_000)])
    expect(sha256(text)).toBe(slowHash(text))
})

test('a receipt has the hashes that were computed from copies of the decision', () => {
  for (const numInstances of [1, 3]) {
    const decision = aDecision(numInstances)
    const cause = { code: 'host.ram', text: 'too little memory', admitted: null, nearest: null } as unknown as NonNullable<
      StoredDecision['cause']
    >
    const searched = { hosts: ['other'], instanceUuids: [] }
    for (const one of [decision, { ...decision, cause }, { ...decision, searched }, { ...decision, receipt: undefined as never }])
      expect(receiptOf(one)).toEqual(slowReceipt(one))
  }
})
