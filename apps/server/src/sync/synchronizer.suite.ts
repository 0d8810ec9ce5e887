import {
  type Change,
  canonicalJson,
  checkpointOf,
  ENTRY_FORMAT,
  type Entry,
  Fleet,
  type LogEntry,
  ORIGIN,
  type Place,
  type Void,
} from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogTrimmedError, StoreWentBackError, type Synchronizer } from './synchronizer.ts'

/** What an engine must provide so that the laws of synchronizer.ts can be tested. */
export interface SynchronizerEngine {
  readonly name: string
  /** A new, empty store. */
  createStore(): Promise<{
    /** Opens the synchronizer of another replica on the store. */
    open(): Promise<Synchronizer>
    /** Makes a backup. The returned function restores it. Later entries are then lost. */
    backUp(): Promise<() => Promise<void>>
    /** Sets the revision that the other followers of the log have reached. */
    followedTo(revision: number): Promise<void>
    drop(): Promise<void>
  }>
}

let made = 0
const entryOn = (basis: Place, changes: readonly Change[] = [{ type: 'feature', level: 1 }], id = `entry-${++made}`): Entry => ({
  format: ENTRY_FORMAT,
  id,
  writer: 'suite',
  basis,
  changes,
})

export function synchronizerSuite(engine: SynchronizerEngine): void {
  describe(`the ${engine.name} synchronizer`, () => {
    let store: Awaited<ReturnType<SynchronizerEngine['createStore']>>
    let a: Synchronizer
    let b: Synchronizer

    beforeEach(async () => {
      store = await engine.createStore()
      a = await store.open()
      b = await store.open()
    })

    afterEach(async () => {
      await Promise.all([a.close(), b.close()])
      await store.drop()
    })

    const appendTo = async (sync: Synchronizer, basis: Place, changes?: readonly Change[]): Promise<Place> => {
      const place = await sync.append(entryOn(basis, changes))
      if (place === undefined) throw new Error('the append was refused')
      return place
    }

    test('revisions are 1, 2, 3 and every replica reads the same entries', async () => {
      const first = await appendTo(a, ORIGIN)
      const second = await appendTo(b, first)
      await a.durable(second)
      expect([first.revision, second.revision]).toEqual([1, 2])
      expect(await a.read(ORIGIN, 10)).toEqual(await b.read(ORIGIN, 10))
      expect((await b.read(first, 10)).map(({ revision }) => revision)).toEqual([2])
    })

    test('the position at a revision is found, or is undefined if the log has no such entry', async () => {
      const first = await appendTo(a, ORIGIN)
      const second = await appendTo(a, first)
      await a.durable(second)
      expect(await Promise.all([0, 1, 2, 3].map((revision) => b.past.placeAt(revision)))).toEqual([undefined, first, second, undefined])
    })

    test('an entry is read as it was written', async () => {
      const entry = entryOn(ORIGIN, [
        aReport('h1', { memoryMb: 1_234 }),
        { type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: 'disk "sda" – ü \\ \n' },
      ])
      const place = await a.append(entry)
      const [read] = await b.read(ORIGIN, 10)
      expect(read).toEqual({ ...entry, revision: 1, at: place?.at })
    })

    /** Follows the log like a replica, and returns all verdicts and the final state. */
    const follow = async (sync: Synchronizer): Promise<{ verdicts: (readonly Void[])[]; state: string }> => {
      const fleet = new Fleet()
      const verdicts = (await sync.read(ORIGIN, 100)).map((entry) => fleet.apply(entry))
      return { verdicts, state: canonicalJson(checkpointOf(fleet)) }
    }
    /** The verdicts of both replicas. Their states must be the same. */
    const followed = async (): Promise<readonly (readonly Void[])[]> => {
      const [ours, theirs] = await Promise.all([follow(a), follow(b)])
      expect(ours).toEqual(theirs)
      return ours.verdicts
    }
    /** A change that takes effect only the first time. */
    const once: Change = {
      type: 'aggregate',
      uuid: '00000000-0000-4000-8000-0000000000a1',
      expectedVersion: 0,
      next: { name: 'once', metadata: {}, hosts: [] },
    }

    test('an append on an old basis is refused without an effect, or appended at the end of the log and judged there', async () => {
      const first = await appendTo(a, ORIGIN, [once])
      if (!a.refusesEarly) {
        const late = await b.append(entryOn(ORIGIN, [once]))
        expect(late?.revision).toBe(2)
        expect(await b.read(first, 10)).toMatchObject([{ revision: 2, id: late?.id, at: late?.at, basis: ORIGIN }])
        expect((await followed()).map(([verdict]) => verdict === undefined)).toEqual([true, false])
        return
      }
      expect(await b.append(entryOn(ORIGIN))).toBeUndefined()
      expect(await b.read(first, 10)).toEqual([])
    })

    test('an entry whose basis has the revision of the last entry but another id or stamp is refused, or completely void', async () => {
      const first = await appendTo(a, ORIGIN)
      if (!a.refusesEarly) {
        await appendTo(b, { ...first, id: 'another' })
        await appendTo(b, { ...first, at: first.at + 1 })
        expect(await followed()).toEqual([[undefined], ['entry.basis'], ['entry.basis']])
        return
      }
      expect(await b.append(entryOn({ ...first, id: 'another' }))).toBeUndefined()
      expect(await b.append(entryOn({ ...first, at: first.at + 1 }))).toBeUndefined()
    })

    test('if many replicas append on one basis, exactly one entry takes effect', async () => {
      const more = await Promise.all(Array.from({ length: 6 }, () => store.open()))
      const answers = await Promise.all([a, b, ...more].map((sync) => sync.append(entryOn(ORIGIN, [once]))))
      await Promise.all(more.map((sync) => sync.close()))
      const places = answers.filter((place) => place !== undefined)
      const revisions = places.map(({ revision }) => revision).sort((one, other) => one - other)
      expect(revisions).toEqual(a.refusesEarly ? [1] : [1, 2, 3, 4, 5, 6, 7, 8])
      const verdicts = await followed()
      expect(verdicts).toHaveLength(revisions.length)
      expect(verdicts.filter(([verdict]) => verdict === undefined)).toHaveLength(1)
    })

    test('an entry that is sent twice takes effect once', async () => {
      const entry = entryOn(ORIGIN)
      const answers = await Promise.all([a.append(entry), b.append(entry)])
      const places = answers.filter((place) => place !== undefined)
      const read = await a.read(ORIGIN, 10)
      expect(read.map(({ id }) => id)).toEqual(places.map(() => entry.id))
      const [first, ...others] = await followed()
      expect(first).toEqual([undefined])
      expect(others).toEqual(a.refusesEarly ? [] : [['entry.repeated']])
    })

    test('an entry that is sent again after it was applied takes effect once, at its first position', async () => {
      const entry = entryOn(ORIGIN)
      const first = await a.append(entry)
      await a.read(ORIGIN, 10)
      const again = await b.append(entry)
      const read = await b.read(ORIGIN, 10)
      expect(read[0]).toMatchObject({ revision: 1, id: entry.id, at: first?.at })
      expect(read).toHaveLength(again === undefined ? 1 : 2)
      expect((await followed()).flat().filter((verdict) => verdict === undefined)).toHaveLength(1)
    })

    test('the stamp of an entry is the store’s time', async () => {
      const before = await a.time()
      const { at } = await appendTo(b, ORIGIN)
      expect(at).toBeGreaterThanOrEqual(before)
      expect(at).toBeLessThanOrEqual(await a.time())
    })

    test('a read stops at its limit, and the next one continues from there', async () => {
      let place = ORIGIN
      for (let i = 0; i < 7; i++) place = await appendTo(a, place)
      const first = await b.read(ORIGIN, 3)
      expect(first).toHaveLength(3)
      const last = first.at(-1) as LogEntry
      const rest = await b.read({ revision: last.revision, id: last.id, at: last.at }, 100)
      expect([...first, ...rest].map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6, 7])
    })

    test('other replicas are notified of an entry', async () => {
      // the listener gets the revision only from a notification, not from a poll of the store
      await b.read(ORIGIN, 10)
      const news = new Promise<void>((resolve) => b.onGrowth((revision) => revision === 1 && resolve()))
      await appendTo(a, ORIGIN)
      await news
    })

    test('lost entries are noticed at the next read', async () => {
      const first = await appendTo(a, ORIGIN)
      const restore = await store.backUp()
      const second = await appendTo(a, first)
      await restore()
      await expect(b.read(second, 10)).rejects.toBeInstanceOf(StoreWentBackError)
      await appendTo(a, first)
      await expect(b.read(second, 10)).rejects.toBeInstanceOf(StoreWentBackError)
      expect(await b.read(first, 10)).toHaveLength(1)
    })

    test('an entry is durable after `durable` resolved, and durableRevision() includes it', async () => {
      let place = ORIGIN
      for (let i = 0; i < 3; i++) place = await appendTo(a, place)
      const entries = await b.read(ORIGIN, 10)
      expect(b.durableRevision()).toBeLessThanOrEqual(3)
      await Promise.all([...entries, place].map((one) => b.durable(one)))
      expect(b.durableRevision()).toBe(3)
      await a.durable(place)
      expect(a.durableRevision()).toBe(3)
    })

    test('entries that are read through `past` are durable', async () => {
      const first = await appendTo(a, ORIGIN)
      await appendTo(a, first)
      expect(await b.past.read(ORIGIN, 10)).toHaveLength(2)
      // b may follow another history until it reads, so its durable revision does not change
      expect(b.durableRevision()).toBe(0)
    })

    test('a position that the store does not have is not durable, and its checkpoint is neither stored nor loaded', async () => {
      const fleet = new Fleet()
      const first = await appendTo(a, ORIGIN)
      const restore = await store.backUp()
      await appendTo(a, first)
      for (const entry of await a.read(ORIGIN, 10)) fleet.apply(entry)
      const checkpoint = checkpointOf(fleet)
      await b.saveCheckpoint(checkpoint)
      await restore()
      const late = await store.open()
      try {
        await expect(late.durable(fleet.place)).rejects.toBeInstanceOf(StoreWentBackError)
        expect(await late.loadCheckpoint(10)).toBeUndefined()
        await appendTo(late, first)
        expect(await late.saveCheckpoint(checkpoint)).toBe(false)
        expect(await late.loadCheckpoint(10)).toBeUndefined()
      } finally {
        await late.close()
      }
    })

    test('replicas take turns one at a time, in the order of their requests', async () => {
      const order: string[] = []
      const first = await a.takeTurn()
      const second = b.takeTurn().then(async (giveBack) => {
        order.push('second')
        await giveBack()
      })
      order.push('first')
      await first()
      await second
      expect(order).toEqual(['first', 'second'])
    })

    /** Appends twelve entries with a checkpoint after every fourth; returns the places by revision. */
    const fill = async (): Promise<Place[]> => {
      const fleet = new Fleet()
      const places = [ORIGIN]
      for (let i = 1; i <= 12; i++) {
        places.push(await appendTo(a, places.at(-1) as Place, [aReport(`h${i}`)]))
        for (const entry of await a.read(fleet.place, 10)) fleet.apply(entry)
        if (i % 4 === 0) await a.saveCheckpoint(checkpointOf(fleet))
      }
      return places
    }

    test('a log that is too long is trimmed before a checkpoint; the newest two checkpoints and later entries stay', async () => {
      const places = await fill()
      const whole = await b.retention()
      expect(whole).toMatchObject({ firstRevision: 0, firstAt: places[1]?.at })
      await store.followedTo(12)
      await a.trim({ days: 30, bytes: 1 })
      const kept = await b.retention()
      expect(kept).toMatchObject({ firstRevision: 8, firstAt: places[8]?.at })
      expect(kept.bytes).toBeLessThan(whole.bytes / 2)
      expect(await Promise.all([0, 7, 8, 12, 13].map((revision) => b.placeAt(revision)))).toEqual([
        ...[undefined, undefined, places[8]],
        ...[places[12], undefined],
      ])
      await expect(b.read(ORIGIN, 100)).rejects.toBeInstanceOf(LogTrimmedError)
      await expect(b.read(places[7] as Place, 100)).rejects.toThrow('the log begins at revision 8')
      expect((await b.read(places[8] as Place, 100)).map(({ revision }) => revision)).toEqual([9, 10, 11, 12])
      expect(await b.loadCheckpoint(7)).toBeUndefined()
      expect((await b.loadCheckpoint(11))?.place).toEqual(places[8])
      expect((await appendTo(b, places[12] as Place)).revision).toBe(13)
    })

    test('entries within the limits stay, and so do entries that a follower of the log has not reached', async () => {
      const places = await fill()
      await store.followedTo(12)
      await a.trim({ days: 1, bytes: 1_000_000 })
      expect(await a.read(ORIGIN, 100)).toHaveLength(12)
      await store.followedTo(5)
      await a.trim({ days: 30, bytes: 1 })
      expect((await a.read(places[4] as Place, 100)).map(({ revision }) => revision)).toEqual([5, 6, 7, 8, 9, 10, 11, 12])
    })

    test('an old log is trimmed by its age', async () => {
      await fill()
      await store.followedTo(12)
      await a.trim({ days: 0, bytes: 1_000_000 })
      expect((await b.retention()).firstRevision).toBe(8)
    })

    test('a checkpoint of many hosts and claims is loaded as it was saved', async () => {
      const fleet = new Fleet()
      const place = await appendTo(
        a,
        ORIGIN,
        Array.from({ length: 1_001 }, (_, i) => aReport(`h${i}`)),
      )
      for (const entry of await a.read(ORIGIN, 10)) fleet.apply(entry)
      expect(await a.saveCheckpoint(checkpointOf(fleet))).toBe(true)
      expect(await a.saveCheckpoint(checkpointOf(fleet))).toBe(false)
      const loaded = await b.loadCheckpoint(place.revision)
      expect(loaded).toEqual(JSON.parse(JSON.stringify(checkpointOf(fleet))))
      const built = await b.loadFleet({})
      expect(built && checkpointOf(built)).toEqual(checkpointOf(fleet))
    })

    test('the newest checkpoint at or before a revision is found', async () => {
      const fleet = new Fleet()
      let place = ORIGIN
      for (let i = 0; i < 4; i++) {
        place = await appendTo(a, place, [aReport(`h${i}`)])
        for (const entry of await a.read(fleet.place, 10)) fleet.apply(entry)
        if (i % 2 === 1) expect(await a.saveCheckpoint(checkpointOf(fleet))).toBe(true)
      }
      expect(await b.loadCheckpoint(1)).toBeUndefined()
      expect((await b.loadCheckpoint(3))?.place.revision).toBe(2)
      expect(await b.loadCheckpoint(Number.MAX_SAFE_INTEGER)).toEqual(JSON.parse(JSON.stringify(checkpointOf(fleet))))
      expect((await b.loadFleet({}))?.place).toEqual(fleet.place)
    })
  })
}
