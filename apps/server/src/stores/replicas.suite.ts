import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sign, Vitals } from './replicas.ts'
import type { StoresEngine, StoresPlace } from './stores.suite.ts'
import type { Stores } from './stores.ts'

const vitals: Vitals = {
  ...{ decisionsPerSecond: 1.25, proposals: 90, conflicts: 3, memoryBytes: 2e8, hosts: { UP: 7, SUSPECT: 1, DOWN: 0 } },
  plugins: [{ name: 'power', version: '1.0.0' }],
}

const aSign = (id: string, more: Partial<Sign> = {}): Sign => ({
  ...{ id, url: null, version: '1', featureLevel: 3, mode: 'NORMAL', reason: null, revision: 0, violations: 0, checkedAt: null },
  digests: { format: 1, taken: [{ revision: 1, entry: 'e', part: 2, digest: 'd' }], whole: { revision: 1, digest: 'w' } },
  vitals,
  ...more,
})

/** Tests that an engine's store of signs of life obeys the law of replicas.ts. */
export function replicasSuite(engine: StoresEngine): void {
  describe(`the replicas of the ${engine.name} engine`, () => {
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

    test('a sign of life is visible to all replicas at once, unchanged, with the store’s times', async () => {
      const sign = aSign('first', { url: 'http://a:1', checkedAt: 5, reason: 'why' })
      await a.replicas.keep(sign)
      for (const { replicas } of [b, a]) {
        const { now, rows } = await replicas.list()
        expect(rows).toEqual([expect.objectContaining({ ...sign, lagChanges: 0, lagMs: 0, stoppedAt: null })])
        const { startedAt = 0, seenAt = 0 } = rows[0] ?? {}
        expect(startedAt).toBe(seenAt)
        expect(seenAt).toBeLessThanOrEqual(now)
        expect(now - seenAt).toBeLessThan(60_000)
      }
    })

    test('a later sign of life replaces an earlier one and has its start time; replicas are sorted by start time', async () => {
      const startOf = async () => (await b.replicas.list()).rows[0]?.startedAt
      const started = await startOf()
      await b.replicas.keep(aSign('second'))
      await a.replicas.keep(aSign('first', { revision: 0, mode: 'READ_ONLY', violations: 2 }))
      const { rows } = await b.replicas.list()
      expect(rows.map(({ id, mode, violations }) => [id, mode, violations])).toEqual([
        ['first', 'READ_ONLY', 2],
        ['second', 'NORMAL', 0],
      ])
      expect(await startOf()).toBe(started)
    })

    test('vitals are null if a release does not report them, or reports another form', async () => {
      const { proposals: _, ...partly } = vitals
      for (const other of [null, undefined, { ...vitals, hosts: {} }, partly, 'none']) {
        await a.replicas.keep(aSign('first', { vitals: other as Vitals }))
        expect((await b.replicas.list()).rows.map(({ id, vitals: known }) => [id, known])).toEqual([
          ['first', null],
          ['second', vitals],
        ])
      }
    })

    test('a replica that was shut down in an orderly way is listed as stopped', async () => {
      await b.replicas.stop('second')
      const { now, rows } = await a.replicas.list()
      expect(rows.map(({ id, stoppedAt }) => [id, stoppedAt !== null && stoppedAt <= now])).toEqual([
        ['first', false],
        ['second', true],
      ])
      await a.replicas.forget()
      expect((await a.replicas.list()).rows).toHaveLength(2)
    })

    test('a replica that starts later has all signs of life', async () => {
      const late = await place.open()
      expect((await late.replicas.list()).rows.map(({ id }) => id)).toEqual(['first', 'second'])
      await late.close()
    })
  })
}
