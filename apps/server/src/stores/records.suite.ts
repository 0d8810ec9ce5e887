import { randomUUID } from 'node:crypto'
import { aClaim } from '@gantt/scheduler-core/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEntry } from '../db/tables/audit.ts'
import { requestSpecId } from '../db/tables/request-specs.ts'
import type { StoredDecision } from '../db/tables/rows.ts'
import type { StoresEngine, StoresPlace } from './stores.suite.ts'
import type { Stores } from './stores.ts'

/** A stored decision that refused its request. */
export function aRefusal(id = randomUUID()): StoredDecision {
  const record = { ...aClaim().decision, id }
  return {
    ...{ id, outcome: 'NO_VALID_HOST', at: 1_000, account: 'suite', requestSpecId: requestSpecId(record.request), record },
    ...{ place: { basis: 1, entryId: null, position: null }, answer: [], claimIds: [], reasons: [] },
  }
}

export const anAuditEntry = (id = randomUUID()): AuditEntry => ({
  ...{ id, at: 1_000, account: 'suite', keyId: 'k', mutation: 'suite', target: '-', summary: '{"text":"a \\" – ü"}' },
  ...{ result: 'done', requestId: 'r' },
})

/** Tests that an engine's store of records obeys the laws of records.ts. */
export function recordsSuite(engine: StoresEngine): void {
  describe(`the records of the ${engine.name} engine`, () => {
    let place: StoresPlace
    let a: Stores
    let b: Stores
    beforeAll(async () => {
      place = await engine.createPlace()
      ;[a, b] = [await place.open(), await place.open()]
    })
    afterAll(async () => {
      await Promise.all([a, b].map((each) => each.close()))
      await place.drop()
    })

    test('decisions of all replicas are in the tables once each, even if they were sent several times', async () => {
      const decisions = Array.from({ length: 4 }, () => aRefusal())
      const [first, second] = [decisions.slice(0, 3), decisions.slice(1)]
      await Promise.all([a.records.keepDecisions(first), b.records.keepDecisions(second), a.records.keepDecisions(first)])
      const { decisions: kept } = await place.tables()
      expect([...kept].sort()).toEqual(decisions.map(({ id }) => id).sort())
    })

    test('audit entries are chained once each, in the order of the calls and of the entries within a call', async () => {
      const entries = Array.from({ length: 9 }, () => anAuditEntry())
      const call = (from: number, to: number) => entries.slice(from, to)
      await a.records.keepAudit(call(0, 3))
      await b.records.keepAudit(call(3, 6))
      // the call is repeated, as after a lost answer
      await b.records.keepAudit(call(3, 6))
      await a.records.keepAudit(call(5, 9))
      const { audit, auditFaults } = await place.tables()
      expect([audit, auditFaults]).toEqual([entries.map(({ id }) => id), []])
    })

    test('entries of concurrent calls of two replicas are not mixed in the chain', async () => {
      const { audit: before } = await place.tables()
      const calls = Array.from({ length: 6 }, () => [anAuditEntry(), anAuditEntry()] as const)
      await Promise.all(calls.map((entries, i) => (i % 2 === 0 ? a : b).records.keepAudit(entries)))
      const { audit, auditFaults } = await place.tables()
      const added = audit.slice(before.length)
      for (const [first, second] of calls) expect(added.indexOf(second.id)).toBe(added.indexOf(first.id) + 1)
      expect([added.length, auditFaults]).toEqual([12, []])
    })

    test('calls without records store nothing', async () => {
      const before = await place.tables()
      await Promise.all([a.records.keepDecisions([]), a.records.keepAudit([])])
      expect(await place.tables()).toEqual(before)
    })
  })
}
