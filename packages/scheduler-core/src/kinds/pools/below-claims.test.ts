import { expect, test } from 'vitest'
import { auditWorld } from '../../audit/index.ts'
import { type Change, FEATURE_LEVEL } from '../../fleet/change.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { atOnce } from '../../fleet/steps.ts'
import { countWarnings, warningsOf, warningText } from '../../fleet/warnings.ts'
import { aClaim, aDocument, aLog, aReport, aUuid, type TestLog } from '../../testing/index.ts'

/** D6: what a storage document takes of a pool that claims hold is said of the host that told it, and of those whose claims have it. */

const POOL = aUuid(1)
const inPool: Change = {
  type: 'aggregate',
  uuid: aUuid(90),
  expectedVersion: 0,
  next: { name: 'disks', hosts: ['h1', 'h2', 'h3'], metadata: { 'gantt:disk_pool': POOL } },
}
const told = (host: string, pools: readonly object[], sequence = 1): Change => aDocument(host, 'storage', { pools }, sequence)
const fast = (totalGib: number, more: object = {}) => ({ uuid: POOL, name: 'fast', totalGib, ...more })

/** Hosts h1, h2 and h3 in a pool of 100 GiB, of which h3 tells; claims on h1 and h2 hold all of it. h4 has nothing of it. */
function full(): TestLog {
  const log = aLog()
  const hosts = ['h1', 'h2', 'h3', 'h4'].map((host) => aReport(host, { vcpus: 8, memoryMb: 1_024, localGb: 1_000, instances: [] }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts, inPool, told('h3', [fast(100)])])
  for (const [i, host] of ['h1', 'h2'].entries()) {
    const grants = { classes: { VCPU: 1, DISK_GB: 50 }, pools: { [POOL]: 50 } }
    expect(log.append([aClaim({ key: host, hosts: [host], grants, mode: 'CONFIRM', instances: [aUuid(i + 5)] })])).toEqual([undefined])
  }
  return log
}

/** The warnings about pools by host. */
const warned = (fleet: Fleet): string[] =>
  fleet.hosts.present.flatMap((record) =>
    warningsOf(fleet, record)
      .filter(({ code }) => code === 'capacity.below_claims')
      .map(({ subject, reported, held }) => `${record.host}: ${subject} ${reported} ${held}`),
  )

const below = (reported: number) => ['h1', 'h2', 'h3'].map((host) => `${host}: disk pool fast ${reported} 100`)

test.each<readonly [string, readonly Change[], readonly string[]]>([
  ['as large as before', [told('h3', [fast(100)], 2)], []],
  ['smaller', [told('h3', [fast(50)], 2)], below(50)],
  ['as large, with more kept back', [told('h3', [fast(100, { reservedGib: 10 })], 2)], below(90)],
  ['smaller, and given more than once', [told('h3', [fast(50, { thinRatio: 2 })], 2)], []],
  ['in use by others, which is no lack of what there is', [told('h3', [fast(100, { usedGib: 60 })], 2)], []],
  ['told of by nobody any more', [told('h3', [], 2)], ['h1', 'h2'].map((host) => `${host}: disk pool ${POOL} 0 100`)],
  [
    'told of by another host, which is younger',
    [told('h4', [fast(50)])],
    ['h1', 'h2', 'h4'].map((host) => `${host}: disk pool fast 50 100`),
  ],
])('a pool that is %s', (_name, changes, expected) => {
  const log = full()
  expect(warned(log.fleet)).toEqual([])
  for (const [i, change] of changes.entries()) log.append([change], { at: 50_000 + i })
  expect(warned(log.fleet)).toEqual(expected)
  expect(warned(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))))).toEqual(expected)
  expect(warned(copyFleet(log.fleet))).toEqual(expected)
  expect(atOnce(countWarnings(log.fleet)).get('capacity.below_claims')).toBe(expected.length)
  const findings = [...auditWorld(log.fleet)].flatMap((looked) => looked.findings).filter(({ code }) => code === 'capacity.below_claims')
  expect(findings.map(({ host }) => host)).toEqual(expected.map((line) => line.slice(0, 2)))
})

test('the sentence says that claims of all hosts hold it', () => {
  const log = full()
  log.append([told('h3', [fast(50)], 2)])
  const [warning] = warningsOf(log.fleet, log.fleet.hosts.get(2 as never)).filter(({ code }) => code === 'capacity.below_claims')
  expect(warning && warningText(warning)).toBe(
    'The disk pool fast may give 50 GiB in all; the live claims of all hosts hold 100, so that some instance lacks what it was promised. Report what the pool has, or move or end claims until the rest fits.',
  )
})

test('what the claims of a host that left the pool hold of it counts too', () => {
  const log = full()
  log.append([{ ...inPool, expectedVersion: 1, next: { name: 'disks', hosts: ['h2', 'h3'], metadata: { 'gantt:disk_pool': POOL } } }])
  log.append([told('h3', [fast(50)], 2)])
  expect(warned(log.fleet)).toEqual(below(50))
})
