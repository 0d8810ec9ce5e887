import { expect, test } from 'vitest'
import { auditWorld, repairOf } from '../../audit/index.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { WarningCounter, warningsOf, warningText } from '../../fleet/warnings.ts'
import { type Change, FEATURE_LEVEL } from '../../records/change.ts'
import { aClaim, aDocument, aLog, aReport, aUuid, type TestLog } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'

/**
 * If a storage document makes a pool smaller than the sum of its claims, the host that sent the document and the hosts with claims each get
 * a warning.
 */

const POOL = aUuid(1)
const inPool: Change = {
  type: 'aggregate',
  uuid: aUuid(90),
  expectedVersion: 0,
  next: { name: 'disks', hosts: ['h1', 'h2', 'h3'], metadata: { 'gantt:disk_pool': POOL } },
}
const document = (host: string, pools: readonly object[], sequence = 1): Change => aDocument(host, 'storage', { pools }, sequence)
const fast = (totalGib: number, more: object = {}) => ({ uuid: POOL, name: 'fast', totalGib, ...more })

/**
 * A pool of 100 GiB with the hosts h1, h2 and h3. Host h3 reports the pool. Claims on h1 and h2 hold 50 GiB each. h4 is not in the pool.
 */
function full(): TestLog {
  const log = aLog()
  const hosts = ['h1', 'h2', 'h3', 'h4'].map((host) => aReport(host, { vcpus: 8, memoryMb: 1_024, localGb: 1_000, instances: [] }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts, inPool, document('h3', [fast(100)])])
  for (const [i, host] of ['h1', 'h2'].entries()) {
    const grants = { classes: { VCPU: 1, DISK_GB: 50 }, pools: { [POOL]: 50 } }
    expect(log.append([aClaim({ key: host, hosts: [host], grants, mode: 'CONFIRM', instances: [aUuid(i + 5)] })])).toEqual([undefined])
  }
  return log
}

/** All warnings about pools, as text: host, pool, capacity and held space in GiB. */
const warned = (fleet: Fleet): string[] =>
  fleet.hosts.present.flatMap((record) =>
    warningsOf(fleet, record)
      .filter(({ code }) => code === 'capacity.below_claims')
      .map(({ subject, reported, held }) => `${record.host}: ${subject} ${reported} ${held}`),
  )

const below = (reported: number) => ['h1', 'h2', 'h3'].map((host) => `${host}: disk pool fast ${reported} 100`)

test.each<readonly [string, readonly Change[], readonly string[]]>([
  ['of the same size as before', [document('h3', [fast(100)], 2)], []],
  ['smaller', [document('h3', [fast(50)], 2)], below(50)],
  ['of the same size, but with a reserved amount', [document('h3', [fast(100, { reservedGib: 10 })], 2)], below(90)],
  ['smaller, but thinly provisioned', [document('h3', [fast(50, { thinRatio: 2 })], 2)], []],
  ['used by others, with an unchanged total', [document('h3', [fast(100, { usedGib: 60 })], 2)], []],
  ['no longer reported by any host', [document('h3', [], 2)], ['h1', 'h2'].map((host) => `${host}: disk pool ${POOL} 0 100`)],
  ['reported as smaller by another host', [document('h4', [fast(50)])], ['h1', 'h2', 'h4'].map((host) => `${host}: disk pool fast 50 100`)],
])('if a pool that is full of claims is then %s, the expected hosts have a warning', (_name, changes, expected) => {
  const log = full()
  expect(warned(log.fleet)).toEqual([])
  for (const [i, change] of changes.entries()) log.append([change], { at: 50_000 + i })
  expect(warned(log.fleet)).toEqual(expected)
  expect(warned(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))))).toEqual(expected)
  expect(warned(copyFleet(log.fleet))).toEqual(expected)
  expect(atOnce(new WarningCounter(log.fleet).count()).get('capacity.below_claims')).toBe(expected.length)
  const findings = [...auditWorld(log.fleet)].flatMap((looked) => looked.findings).filter(({ code }) => code === 'capacity.below_claims')
  expect(findings.map(({ host }) => host)).toEqual(expected.map((line) => line.slice(0, 2)))
})

test('the text of a warning about a pool says that the claims of all hosts are summed', () => {
  const log = full()
  log.append([document('h3', [fast(50)], 2)])
  const [warning] = warningsOf(log.fleet, log.fleet.hosts.get(2 as never)).filter(({ code }) => code === 'capacity.below_claims')
  expect(warning && warningText(warning)).toBe(
    'The disk pool fast has a capacity of 50 GiB; the live claims of all hosts hold 100 GiB, so some instances lack space that was promised to them. Report the full capacity of the pool, or move or end claims until the remaining claims fit.',
  )
})

test('the advice about a pool asks for a report of the pool, and the advice about VCPU asks for a report of the host', () => {
  const log = full()
  log.append([document('h3', [fast(50)], 2)])
  const findings = [...auditWorld(log.fleet)].flatMap((looked) => looked.findings).filter(({ code }) => code === 'capacity.below_claims')
  expect(findings.length).toBeGreaterThan(0)
  for (const finding of findings) {
    const { text } = repairOf(log.fleet, finding)
    expect(text).toContain('report what the pool has')
    expect(text).not.toContain(`Let ${finding.host} `)
    const ofHost = repairOf(log.fleet, { ...finding, field: 'VCPU' })
    expect(ofHost.text).toContain(`Let ${finding.host} report what it has`)
    expect([...ofHost.options].length).toBe([...repairOf(log.fleet, finding).options].length)
  }
})

test('after a host leaves a pool, its claims are still in the sum of the claims on the pool', () => {
  const log = full()
  log.append([{ ...inPool, expectedVersion: 1, next: { name: 'disks', hosts: ['h2', 'h3'], metadata: { 'gantt:disk_pool': POOL } } }])
  log.append([document('h3', [fast(50)], 2)])
  expect(warned(log.fleet)).toEqual(below(50))
})
