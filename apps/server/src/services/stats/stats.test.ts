import { type Change, MAX_CLASSES, MAX_OWN_CLASSES } from '@gantt/scheduler-core'
import { aLog, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { CallerGoneError, duringCall } from '../../event-loop/query.ts'
import type { Documents } from '../../plugin/outside/documents.ts'
import type { Replica } from '../../replica/replica.ts'
import type { ReportInput } from './report-input.ts'
import { createStats } from './stats.ts'

const UNUSED_DOCUMENTS: Documents = { check: () => expect.unreachable('no plug-in is asked') } as never

/**
 * A service on a fleet of hosts, with one report for each host. `read` returns how many reports have been read, and `proposed` has the
 * changes that were proposed to the log.
 */
function aService(hosts: number) {
  const log = aLog()
  const known = Array.from({ length: hosts }, (_, i) => aReport(`h${i}`))
  log.append(known)
  const proposed: unknown[] = []
  const replica = {
    fleet: log.fleet,
    fresh: async () => undefined,
    propose: async (changes: readonly unknown[]) => {
      proposed.push(...changes)
      return changes.map(() => ({ revision: log.fleet.place.revision }))
    },
  } as never as Replica
  let read = 0
  let onRead = (_count: number): void => undefined
  const reports = known.map(({ host, node, incarnation, sequence, full }): ReportInput => {
    const input = { name: { host, node }, incarnation, sequence: sequence + 2 }
    return Object.defineProperty(input, 'full', {
      enumerable: true,
      get() {
        onRead(++read)
        return full
      },
    })
  })
  return {
    ...{ log, proposed, reports, stats: createStats(replica, UNUSED_DOCUMENTS) },
    read: () => read,
    whenRead: (listener: typeof onRead) => {
      onRead = listener
    },
  }
}

test('if the caller disconnects while reports are read, the rest is not read and nothing is written', async () => {
  const { stats, reports, proposed, read, whenRead } = aService(20)
  const gone = new AbortController()
  whenRead((count) => {
    if (count === 5) gone.abort()
  })
  await expect(duringCall(gone.signal, () => stats.update(reports))).rejects.toThrow(CallerGoneError)
  expect(read()).toBe(5)
  expect(proposed).toEqual([])
})

test('a report without new content is not written, unless its host changed while later reports of the call were read', async () => {
  const { stats, reports, proposed, log } = aService(10)
  expect((await stats.update(reports)).results.map((one) => 'unchanged' in one && one.unchanged)).toEqual(reports.map(() => true))
  expect(proposed).toEqual([])
  // while the last report is read, another replica's report of the first host arrives
  const [first] = reports
  let isLate = false
  const { hosts } = log.fleet
  const find = hosts.find.bind(hosts)
  hosts.find = (name) => {
    if (name.host === 'h9' && !isLate) {
      isLate = true
      log.append([aReport('h0', { vcpus: 99 }, 2)])
    }
    return find(name)
  }
  await stats.update(reports)
  expect(proposed).toEqual([expect.objectContaining({ host: first?.name.host })])
})

/** Two hosts, and a function that reports documents of namespaces about them. The proposals of the service are appended to the log. */
function twoTellers() {
  const log = aLog()
  log.append([{ type: 'feature', level: 6 }, aReport('h1'), aReport('h2')])
  let at = 1_000
  const replica = {
    fleet: log.fleet,
    fresh: async () => undefined,
    propose: async (changes: readonly Change[]) => {
      at += 1_000
      return log.append(changes, { at }).map((refused) => ({ void: refused, revision: log.fleet.place.revision }))
    },
  } as never as Replica
  const stats = createStats(replica, { check: async () => [] } as never)
  const sequences = new Map<string, number>()
  const report = async (host: string, namespace: string, document: unknown): Promise<boolean> => {
    const sequence = (sequences.get(host) ?? 0) + 1
    sequences.set(host, sequence)
    const input = { name: { host }, incarnation: aUuid(3), sequence, namespace: { namespace, version: '1.0', document } }
    const [outcome] = (await stats.update([input])).results
    if (outcome?.type !== 'applied') throw new Error(JSON.stringify(outcome))
    return !outcome.unchanged
  }
  return { log, report }
}

const [POOL, OTHER, VOLUME] = [aUuid(20), aUuid(21), aUuid(22)]
const pool = (uuid: string, more: object = {}) => ({ uuid, name: 'p', distance: 1, ...more })
const port = (segment: string | null, more: object = {}) => ({
  physicalNetworks: [{ name: 'n', distance: 1 }],
  ports: [{ uuid: VOLUME, physicalNetwork: 'n', segment, ...more }],
})

test.each<[string, string, unknown, unknown, boolean]>([
  ['a total that changed', 'storage', { pools: [pool(POOL, { totalGib: 9 })] }, { pools: [pool(POOL, { totalGib: 5 })] }, true],
  [
    'a used amount that changed',
    'storage',
    { pools: [pool(POOL, { totalGib: 9, usedGib: 1 })] },
    { pools: [pool(POOL, { totalGib: 9 })] },
    true,
  ],
  [
    'no used amount, and a used amount of 0',
    'storage',
    { pools: [pool(POOL, { totalGib: 9, usedGib: 0 })] },
    { pools: [pool(POOL, { totalGib: 9 })] },
    false,
  ],
  [
    'a distance that changed',
    'storage',
    { pools: [pool(POOL, { totalGib: 9, distance: 3 })] },
    { pools: [pool(POOL, { totalGib: 9 })] },
    false,
  ],
  ['no total of the pool', 'storage', { pools: [pool(POOL)] }, { pools: [pool(POOL, { totalGib: 9 })] }, false],
  ['a total where the other has none', 'storage', { pools: [pool(POOL, { totalGib: 9 })] }, { pools: [pool(POOL)] }, false],
  ['a pool in place of the former one', 'storage', { pools: [pool(POOL)] }, { pools: [pool(OTHER)] }, false],
  [
    'the volume in another pool',
    'storage',
    { pools: [pool(POOL), pool(OTHER)], volumes: [{ uuid: VOLUME, pool: POOL }] },
    { pools: [pool(POOL), pool(OTHER)], volumes: [{ uuid: VOLUME, pool: OTHER }] },
    true,
  ],
  [
    'the zone of the pool of a volume',
    'storage',
    { pools: [pool(POOL, { zone: 'a' })], volumes: [{ uuid: VOLUME, pool: POOL }] },
    { pools: [pool(POOL, { zone: 'b' })], volumes: [{ uuid: VOLUME, pool: POOL }] },
    true,
  ],
  ['the segment of a port', 'network', port('s1'), port('s2'), true],
  ['the same port', 'network', port('s1'), port('s1'), false],
  ['a port that is on both hosts', 'network', port('s1', { here: true }), port('s1', { here: true }), true],
])('an unchanged document is written only if a newer one contradicts it: %s', async (_, namespace, first, second, isWritten) => {
  const { report } = twoTellers()
  expect(await report('h1', namespace, first)).toBe(true)
  // the document is unchanged, so it is not written again
  expect(await report('h1', namespace, first)).toBe(false)
  expect(await report('h2', namespace, second)).toBe(true)
  expect(await report('h2', namespace, second)).toBe(false)
  expect(await report('h1', namespace, first)).toBe(isWritten)
  // the last document of `h1` is already in effect, so it is not written again
  expect(await report('h1', namespace, first)).toBe(false)
  expect(await report('h2', namespace, second)).toBe(isWritten)
})

test('a pool has the amounts of the document that was reported last', async () => {
  const { log, report } = twoTellers()
  const says = (totalGib: number) => ({ pools: [pool(POOL, { totalGib })] })
  await report('h1', 'storage', says(100))
  await report('h2', 'storage', says(50))
  expect(log.fleet.hosts.pools.free(POOL)).toBe(50)
  await report('h1', 'storage', says(100))
  expect(log.fleet.hosts.pools.free(POOL)).toBe(100)
})

test('a report that adds a resource class to a fleet with as many as it may have is refused and not written, at every feature level', async () => {
  const log = aLog()
  const inventories = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ resourceClass: `CUSTOM_${first + i}`, total: 1 }))
  log.append([aReport('h1', { inventories: inventories(0, MAX_CLASSES) })])
  const proposed: Change[] = []
  const replica = {
    fleet: log.fleet,
    fresh: async () => undefined,
    propose: async (changes: readonly Change[]) => {
      proposed.push(...changes)
      return log.append(changes).map((refused) => ({ void: refused, revision: log.fleet.place.revision }))
    },
  } as never as Replica
  const stats = createStats(replica, UNUSED_DOCUMENTS)
  const report = async (given: ReturnType<typeof inventories>) => {
    const full = { vcpus: 1, vcpusUsed: 0, memoryMb: 1, memoryMbUsed: 0, localGb: 1, localGbUsed: 0, inventories: given }
    return (await stats.update([{ name: { host: 'h2' }, incarnation: aUuid(3), sequence: 1, full }])).results[0]
  }
  expect(await report(inventories(MAX_CLASSES - 1, 2))).toMatchObject({
    ...{ type: 'invalid', code: 'PRECONDITION' },
    issues: [{ code: 'report.too_many_classes', path: ['input', 'updates', '0', 'report'], actual: '"CUSTOM_256"' }],
    message: expect.stringContaining('it adds 1 to the 256 of the fleet, of which 0 are on this host alone. A fleet may have 256.'),
  })
  expect(proposed).toEqual([])
  expect(await report(inventories(MAX_CLASSES - 1, 1))).toMatchObject({ type: 'applied' })
  expect(proposed).toHaveLength(1)
})

test('all hosts of a key together may have only a few resource classes of their own, even if one call reports them', async () => {
  const log = aLog()
  const replica = {
    fleet: log.fleet,
    fresh: async () => undefined,
    propose: async (changes: readonly Change[]) =>
      log.append(changes).map((refused) => ({ void: refused, revision: log.fleet.place.revision })),
  } as never as Replica
  const stats = createStats(replica, UNUSED_DOCUMENTS)
  const report = (host: string, sequence: number, first: number, count: number) => {
    const inventories = Array.from({ length: count }, (_, i) => ({ resourceClass: `CUSTOM_${first + i}`, total: 1 }))
    const full = { vcpus: 1, vcpusUsed: 0, memoryMb: 1, memoryMbUsed: 0, localGb: 1, localGbUsed: 0, inventories }
    return { name: { host }, incarnation: aUuid(3), sequence, full }
  }
  const limits = { maxNodes: 1, hosts: ['h1', 'h2', 'h3'] }
  const half = MAX_OWN_CLASSES / 2
  const { results } = await stats.update([report('h1', 1, 0, half), report('h2', 1, half, half), report('h3', 1, 100, 1)], limits)
  expect(results).toMatchObject([
    { type: 'applied' },
    { type: 'applied' },
    {
      ...{ type: 'invalid', code: 'PRECONDITION' },
      issues: [{ code: 'report.too_many_classes', path: ['input', 'updates', '2', 'report'] }],
      message: expect.stringContaining(
        `it adds 1 to the ${MAX_OWN_CLASSES} of the fleet, of which ${MAX_OWN_CLASSES} are on the key's hosts alone, counting the earlier reports of this call.`,
      ),
    },
  ])
  expect((await stats.update([report('h2', 2, half, half + 1)], limits)).results).toMatchObject([{ type: 'invalid' }])
  expect((await stats.update([report('h2', 2, 0, half)], limits)).results).toMatchObject([{ type: 'applied' }])
  // the log limits only the classes of one host, and a key that is not bound has no other limit
  expect((await stats.update([report('h3', 1, 100, MAX_OWN_CLASSES)])).results).toMatchObject([{ type: 'applied' }])
})
