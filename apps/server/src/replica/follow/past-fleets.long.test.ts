import { checkpointOf, copyFleet, type Entry, Fleet, restoreFleet } from '@gantt/scheduler-core'
import { aClaim, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { createHistory } from './history.ts'
import { createPastFleets } from './past-fleets.ts'

const HOSTS = 3
const ENTRIES = 60

/** A log of claims with checkpoints at revisions 20 and 40, and the state of the fleet at each revision. */
async function aPast() {
  const memory = createMemoryStore()
  const store = memory.open()
  const fleet = new Fleet()
  const was: string[] = [stateOf(fleet)]
  for (let i = 0; i < ENTRIES; i++) {
    const changes =
      i < HOSTS
        ? [aReport(`h${i}`)]
        : [aClaim({ key: `k${i}`, hosts: [`h${i % HOSTS}`], ids: [`c${i}`], grants: { classes: { VCPU: 1 } }, ttlMs: 1e9 })]
    const entry: Entry = { format: 1, id: `e${i}`, writer: 'test', basis: fleet.place, changes }
    const place = await store.append(entry)
    if (place === undefined) throw new Error('the entry was refused')
    fleet.apply({ ...entry, revision: place.revision, at: place.at })
    was.push(stateOf(fleet))
    if (i === 19 || i === 39) await store.saveCheckpoint(checkpointOf(fleet))
  }
  return { memory, store, past: store.past, was }
}

/** The checkpoint of the fleet, and the columns that decisions read. */
const stateOf = (fleet: Fleet): string => {
  const { classes, count } = fleet.hosts
  const free = Array.from(classes, ([resourceClass, use]) => [resourceClass, [...use.free.slice(0, count)]])
  return JSON.stringify([checkpointOf(fleet), free])
}

test.each([0, 1, 100, 300, 100_000])('past fleets are correct in any order of queries (at most %i cached objects)', async (limit) => {
  const { past, was } = await aPast()
  const fleets = createPastFleets(past, { limit })
  const asked = Array.from({ length: 60 }, (_, i) => (i * 37 + ((i * i) % 11)) % (ENTRIES + 1))
  for (const revision of asked) expect([revision, await fleets.read(revision, stateOf)]).toEqual([revision, was[revision]])
  // all queries at the same time
  const answers = await Promise.all(asked.map((revision) => fleets.read(revision, stateOf)))
  expect(answers).toEqual(asked.map((revision) => was[revision]))
  // the limit does not include the data of a single checkpoint, which the fleets from this checkpoint share
  expect(fleets.kept.fleets <= 1 || fleets.kept.things <= limit + 2 * ENTRIES).toBe(true)
  fleets.close()
})

test.each([0, 1, 300, 100_000])('fleets that are given back do not change other fleets (at most %i cached objects)', async (limit) => {
  const { past, was } = await aPast()
  const fleets = createPastFleets(past, { limit })
  const lent: { readonly fleet: Fleet; readonly revision: number }[] = []
  for (let i = 0; i < 60; i++) {
    const revision = (i * 37 + ((i * i) % 11)) % (ENTRIES + 1)
    const fleet = i % 3 === 0 && lent[0] !== undefined ? fleets.copy(lent[0].fleet) : await fleets.at(revision)
    lent.push({ fleet, revision: fleet.place.revision })
    if (i % 4 === 3) for (const one of lent.splice(1, 2)) fleets.giveBack(one.fleet)
    for (const one of lent) expect(stateOf(one.fleet)).toBe(was[one.revision])
  }
  fleets.close()
})

test('a copy reuses the memory of a fleet that was given back, which has no hosts afterwards', async () => {
  const { past, was } = await aPast()
  const fleets = createPastFleets(past)
  const first = await fleets.at(50)
  const memory = first.hosts.columns.status.buffer
  fleets.giveBack(first)
  expect(first.hosts.count).toBe(0)
  const second = await fleets.at(50)
  expect(second.hosts.columns.status.buffer).toBe(memory)
  expect(stateOf(second)).toBe(was[50])
  expect(fleets.copy(second, 1e15).now).toBe(1e15)
  fleets.close()
})

test("the second query for a past fleet reads only the fleet's log position from the store", async () => {
  const { past, was } = await aPast()
  let loaded = 0
  let read = 0
  const counted = {
    ...past,
    loadCheckpoint: (atMost: number) => {
      loaded++
      return past.loadCheckpoint(atMost)
    },
    read: (...args: Parameters<typeof past.read>) => {
      read++
      return past.read(...args)
    },
  }
  const fleets = createPastFleets(counted, { limit: 100_000 })
  await fleets.read(50, stateOf)
  expect([loaded, read]).toEqual([1, 1])
  expect(await fleets.read(50, stateOf)).toBe(was[50])
  expect([loaded, read]).toEqual([1, 2])
  // the query for revision 53 continues from a copy of the fleet at 50, and the query for 45 from a copy of the cached checkpoint
  expect(await fleets.read(53, stateOf)).toBe(was[53])
  expect(await fleets.read(45, stateOf)).toBe(was[45])
  expect(loaded).toBe(1)
  fleets.close()
})

test('a query is answered correctly if its fleet is dropped from the cache in the meantime', async () => {
  const { past, was } = await aPast()
  let isHeld = false
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = {
    ...past,
    read: async (...args: Parameters<typeof past.read>) => {
      if (isHeld && args[0].revision === ENTRIES) await held
      return past.read(...args)
    },
  }
  const fleets = createPastFleets(slow, { limit: 100_000 })
  await fleets.read(ENTRIES, stateOf)
  isHeld = true
  const answer = fleets.read(ENTRIES, stateOf)
  // these queries drop the fleet of the pending query from the cache, and one of them reuses its columns
  for (let revision = 42; revision < 52; revision++) expect(await fleets.read(revision, stateOf)).toBe(was[revision])
  isHeld = false
  release()
  expect(await answer).toBe(was[ENTRIES])
  fleets.close()
})

test('changes of a fleet that `at` returned do not change the cached fleets', async () => {
  const { past, was } = await aPast()
  const history = createHistory(past, 100_000)
  const own = await history.at(30)
  expect(stateOf(own)).toBe(was[30])
  own.apply({ format: 1, id: 'own', writer: 'test', basis: own.place, changes: [aReport('h9')], revision: 31, at: own.now })
  expect(await history.read(30, stateOf)).toBe(was[30])
  expect(await history.read(31, stateOf)).toBe(was[31])
  history.close()
})

test('revisions that are no longer in the log are refused even if their fleet is cached', async () => {
  const { memory, store, past, was } = await aPast()
  const fleets = createPastFleets(past, { limit: 100_000 })
  await expect(fleets.read(ENTRIES + 5, stateOf)).rejects.toThrow(`the log ends at revision ${ENTRIES}; ${ENTRIES + 5} was requested`)
  await fleets.read(10, stateOf)
  await fleets.read(55, stateOf)
  await store.trim({ days: 0, bytes: 0 })
  const { firstRevision } = await past.retention()
  expect(firstRevision).toBeGreaterThan(10)
  await expect(fleets.read(10, stateOf)).rejects.toThrow('the log begins at revision')
  expect(await fleets.read(55, stateOf)).toBe(was[55])

  // after a backup is restored, the log has different entries at the revisions of the lost entries
  memory.faults.truncate(50)
  const { checkpoint } = { checkpoint: await past.loadCheckpoint(50) }
  const fleet = restoreFleet(checkpoint as NonNullable<typeof checkpoint>)
  for (const entry of await past.read(fleet.place, 100)) fleet.apply(entry)
  const entry: Entry = { format: 1, id: 'other', writer: 'test', basis: fleet.place, changes: [aReport('h8')] }
  const place = await store.append(entry)
  expect(place?.revision).toBe(51)
  expect(await fleets.read(51, ({ hosts }) => hosts.find({ host: 'h8', node: 'h8' })?.host)).toBe('h8')
  expect(await fleets.read(50, stateOf)).toBe(was[50])
  fleets.close()
})

test('building a fleet over many entries caches milestones, from which later queries continue', async () => {
  const store = createMemoryStore().open()
  const fleet = new Fleet()
  const was: string[] = [stateOf(fleet)]
  // each entry adds a host and has 124 changes without effect, which are also counted for the distance between milestones
  const voids = Array.from({ length: 124 }, () => ({ type: 'expire' as const, claim: 'none' }))
  for (let i = 0; i < 12; i++) {
    const entry: Entry = { format: 1, id: `e${i}`, writer: 'test', basis: fleet.place, changes: [aReport(`h${i}`), ...voids] }
    const place = await store.append(entry)
    if (place === undefined) throw new Error('the entry was refused')
    fleet.apply({ ...entry, revision: place.revision, at: place.at })
    was.push(stateOf(fleet))
  }
  const readFrom: number[] = []
  const fleets = createPastFleets(
    {
      ...store.past,
      read: (after, limit) => {
        readFrom.push(after.revision)
        return store.past.read(after, limit)
      },
    },
    { limit: 100_000 },
  )
  await fleets.read(12, stateOf)
  readFrom.length = 0
  for (const revision of [9, 3, 11]) expect(await fleets.read(revision, stateOf)).toBe(was[revision])
  expect(readFrom).toEqual([8, 2, 10])
  fleets.close()
})

test('the data of a checkpoint counts towards the limit while any cached fleet shares it, even if the checkpoint itself was dropped', async () => {
  const store = createMemoryStore().open()
  const fleet = new Fleet()
  const append = async (changes: Entry['changes']): Promise<void> => {
    const entry: Entry = { format: 1, id: `e${fleet.place.revision}`, writer: 'test', basis: fleet.place, changes }
    const place = await store.append(entry)
    if (place === undefined) throw new Error('the entry was refused')
    fleet.apply({ ...entry, revision: place.revision, at: place.at })
  }
  const claims = Array.from({ length: 90 }, (_, i) => aClaim({ key: `k${i}`, ids: [`c${i}`], grants: {}, ttlMs: 1e9 }))
  await append([aReport('h1'), ...claims])
  // these revisions are so far apart that no query continues from the fleet at another of these revisions
  const REVISIONS = [10_500, 21_000, 31_500, 42_000]
  for (const revision of REVISIONS) {
    while (fleet.place.revision < revision) await append([])
    await store.saveCheckpoint(checkpointOf(fleet))
    await append([])
  }
  const LIMIT = 450
  const fleets = createPastFleets(store.past, { limit: LIMIT })
  // each checkpoint has 181 hosts, claims and keys; revisions after the earlier checkpoints are queried repeatedly
  for (const revision of REVISIONS) {
    for (const known of REVISIONS.filter((one) => one < revision)) await fleets.read(known + 1, ({ place }) => place)
    await fleets.read(revision + 1, ({ place }) => place)
    expect(fleets.kept.things).toBeLessThanOrEqual(LIMIT)
    // the limit allows two checkpoints and a fleet after each of them
    expect(fleets.kept.fleets).toBeLessThanOrEqual(4)
  }
  fleets.close()
})

/** A live fleet that gets one more claim with each entry, and its state at each revision. */
function aLiving() {
  const store = createMemoryStore().open()
  const fleet = new Fleet()
  const was: string[] = [stateOf(fleet)]
  const grow = async (to: number): Promise<void> => {
    for (let i = fleet.place.revision; i < to; i++) {
      const changes =
        i === 0 ? [aReport('h')] : [aClaim({ key: `k${i}`, hosts: ['h'], ids: [`c${i}`], grants: { classes: { VCPU: 1 } }, ttlMs: 1e9 })]
      const entry: Entry = { format: 1, id: `e${i}`, writer: 'test', basis: fleet.place, changes }
      const place = await store.append(entry)
      if (place === undefined) throw new Error('the entry was refused')
      fleet.apply({ ...entry, revision: place.revision, at: place.at })
      was.push(stateOf(fleet))
    }
  }
  return { store, fleet, was, grow }
}

/** The log, and the revisions from which it was read. Loading a checkpoint fails the test. */
function watched({ past }: ReturnType<ReturnType<typeof createMemoryStore>['open']>) {
  const readFrom: number[] = []
  return {
    readFrom,
    log: {
      ...past,
      loadCheckpoint: () => expect.fail('a checkpoint was loaded'),
      read: (...args: Parameters<typeof past.read>) => {
        readFrom.push(args[0].revision)
        return past.read(...args)
      },
    },
  }
}

test('a query for a revision after a copy of the live fleet continues from the copy, and loads no checkpoint', async () => {
  const { store, fleet, was, grow } = aLiving()
  const { readFrom, log } = watched(store)
  const fleets = createPastFleets(log, { limit: 100_000 })
  for (const revision of [10, 30, 50]) {
    await grow(revision)
    fleets.keep({ fleet: copyFleet(fleet), of: fleet, changes: 20 })
  }
  await grow(60)
  for (const revision of [55, 10, 42, 29, 12, 60])
    expect([revision, await fleets.read(revision, stateOf)]).toEqual([revision, was[revision]])
  // if the queried revision is cached, the log is only read to check that it contains the revision
  expect(readFrom).toEqual([50, 10, 30, 10, 10, 55])
  expect(stateOf(fleet)).toBe(was[60])
  fleets.close()
})

test("copies of the live fleet are cached without queries, spread over the fleet's history", async () => {
  const { store, fleet, grow } = aLiving()
  const { readFrom, log } = watched(store)
  let now = 0
  let sweep = (): void => {}
  const timers: Timers = {
    ...realTimers,
    now: () => now,
    every: (_ms, callback) => {
      sweep = callback
      return () => {}
    },
  }
  const wait = (ms: number): void => {
    now += ms
    sweep()
  }
  const fleets = createPastFleets(log, { limit: 100_000, timers })
  for (let i = 1; i <= 40; i++) {
    await grow(i * 5)
    fleets.keep({ fleet: copyFleet(fleet), of: fleet, changes: 5 })
    wait(60_000)
  }
  expect(fleets.kept.fleets).toBe(8)
  const nearest: number[] = []
  for (let revision = 6; revision < 200; revision += 10) {
    readFrom.length = 0
    await fleets.read(revision, ({ place }) => place)
    nearest.push(revision - (readFrom[0] ?? revision))
  }
  // eight copies are spread over two hundred revisions, so none of the gaps is long
  expect(Math.max(...nearest)).toBeLessThan(60)
  const other = copyFleet(fleet)
  fleets.keep({ fleet: copyFleet(other), of: other, changes: 0 })
  wait(600_000)
  expect(fleets.kept.fleets).toBe(1)
  fleets.close()
})

test('a copy of a live fleet is not used if the store has lost the entries that led to it', async () => {
  const { memory, store, past, was } = await aPast()
  const fleets = createPastFleets(past, { limit: 100_000 })
  const lost = restoreFleet((await past.loadCheckpoint(45)) as NonNullable<Awaited<ReturnType<typeof past.loadCheckpoint>>>)
  for (const entry of (await past.read(lost.place, 100)).slice(0, 15)) lost.apply(entry)
  fleets.keep({ fleet: copyFleet(lost), of: lost, changes: 0 })
  expect(lost.place.revision).toBe(55)
  memory.faults.truncate(50)
  const fleet = restoreFleet((await past.loadCheckpoint(50)) as NonNullable<Awaited<ReturnType<typeof past.loadCheckpoint>>>)
  for (const entry of await past.read(fleet.place, 100)) fleet.apply(entry)
  for (let i = 51; i <= 58; i++) {
    const entry: Entry = { format: 1, id: `other${i}`, writer: 'test', basis: fleet.place, changes: [aReport(`other${i}`)] }
    const place = await store.append(entry)
    if (place === undefined) throw new Error('the entry was refused')
    fleet.apply({ ...entry, revision: place.revision, at: place.at })
    was[i] = stateOf(fleet)
  }
  for (const revision of [57, 55, 52]) expect(await fleets.read(revision, stateOf)).toBe(was[revision])
  fleets.close()
})

test.each([
  ['more revisions are queried than are cached', 100_000],
  ['the limit has no space for the queried fleets', 8],
])('the columns of dropped fleets are reused: %s', async (_name, limit) => {
  const { past, was } = await aPast()
  const fleets = createPastFleets(past, { limit })
  const columns = new Set<unknown>()
  for (let revision = 41; revision < 60; revision++)
    columns.add(
      await fleets.read(revision, (fleet) => {
        expect(stateOf(fleet)).toBe(was[revision])
        return fleet.hosts.classes.get('VCPU')?.free.buffer
      }),
    )
  // the columns of the eight cached fleets, of the fleet that is being built, and of the checkpoint
  expect(columns.size).toBeLessThanOrEqual(10)
  fleets.close()
})
