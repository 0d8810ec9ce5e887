import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LastOf, LeaseStore, Look } from './leases.ts'
import type { StoresEngine, StoresPlace } from './stores.suite.ts'
import type { Stores } from './stores.ts'

const LONG_MS = 60_000
/** A value of `breakMs` that is shorter than the time between any two reads. */
const NONE_MS = -1

const host = (name: string) => ({ host: name, node: name })

/** The leases that a replica reads now. */
async function lookOf(store: LeaseStore, breakMs = LONG_MS): Promise<Omit<Look, 'leases'> & { readonly lastOf: LastOf }> {
  let seen: (Omit<Look, 'leases'> & { readonly lastOf: LastOf }) | undefined
  await store.look(breakMs, async ({ leases, ...look }) => {
    seen = { ...look, lastOf: await leases() }
  })
  if (seen === undefined) throw new Error('the leases were not read')
  return seen
}

/** Tests that an engine's store of leases obeys the laws of leases.ts. */
export function leasesSuite(engine: StoresEngine): void {
  describe(`the leases of the ${engine.name} engine`, () => {
    let place: StoresPlace
    let replicas: [Stores, Stores]
    let a: LeaseStore
    let b: LeaseStore
    beforeAll(async () => {
      place = await engine.createPlace()
      replicas = [await place.open(), await place.open()]
      ;[a, b] = [replicas[0].leases, replicas[1].leases]
    })
    afterAll(async () => {
      await Promise.all(replicas.map((each) => each.close()))
      await place.drop()
    })

    test('a sign of life that one replica received is visible to all replicas, with the store’s time', async () => {
      await a.renew([host('a'), { host: 'a', node: 'n1' }])
      const { now, lastOf } = await lookOf(b)
      for (const name of [host('a'), { host: 'a', node: 'n1' }]) {
        expect(now - (lastOf(name) ?? 0)).toBeLessThan(30_000)
        expect(lastOf(name)).toBeLessThanOrEqual(now)
      }
      expect(lastOf(host('never'))).toBeUndefined()
    })

    test('the last sign of life of a host is used, whichever replica received it', async () => {
      await a.renew([host('both')])
      const first = (await lookOf(a)).lastOf(host('both')) ?? 0
      await b.renew([host('both'), host('other')])
      const second = (await lookOf(a)).lastOf(host('both')) ?? 0
      expect(second).toBeGreaterThanOrEqual(first)
      expect((await lookOf(b)).lastOf(host('both'))).toBe(second)
    })

    test('hosts with an old sign of life still have a lease after many batches of other hosts', async () => {
      await a.renew([host('old')])
      const last = (await lookOf(b)).lastOf(host('old'))
      for (let i = 0; i < 150; i++) await a.renew([host(`new-${i}`)])
      const late = await place.open()
      const { lastOf } = await lookOf(late.leases)
      // the age of a lease is computed at each read, and a busy machine may pause between the two readings
      expect(Math.abs((lastOf(host('old')) ?? 0) - (last ?? 0))).toBeLessThanOrEqual(1_000)
      expect(lastOf(host('new-0'))).toBeGreaterThan(0)
      expect(lastOf(host('new-149'))).toBeGreaterThan(0)
      await late.close()
    })

    test('the signs of life of many hosts are stored in one call', async () => {
      const many = Array.from({ length: 30_000 }, (_, i) => host(`compute-${i}.rack.example.org`))
      await b.renew(many)
      const { lastOf } = await lookOf(a)
      expect(many.filter((one) => lastOf(one) === undefined)).toEqual([])
    })

    test('only one replica at a time may evaluate the leases', async () => {
      await a.look(LONG_MS, async ({ isMine }) => {
        expect(isMine).toBe(true)
        expect((await lookOf(b)).isMine).toBe(false)
      })
      expect((await lookOf(b)).isMine).toBe(true)
      expect((await lookOf(a)).isMine).toBe(true)
    })

    test('the time since which leases are read without a gap is the same on every replica, and starts again after a gap', async () => {
      const { listeningSince: since } = await lookOf(a)
      expect((await lookOf(b)).listeningSince).toBe(since)
      const { listeningSince, now } = await lookOf(b, NONE_MS)
      expect(listeningSince).toBe(now)
      expect((await lookOf(a)).listeningSince).toBe(listeningSince)
    })

    test('an error in a read is thrown to its caller, and another replica can evaluate the leases afterwards', async () => {
      await expect(a.look(LONG_MS, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
      expect((await lookOf(b)).isMine).toBe(true)
    })
  })
}
