import { describe, expect, test } from 'vitest'
import { causeIn, profiles } from '../../cause/testing/drawn.ts'
import { prepareChecks } from '../../examine/examine.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { expectSound, forget } from '../../fleet/testing/leaving.ts'
import { hostStatsV1_4 } from '../../report/versions/v1-4.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { BOUNDED_CLASSES } from '../../values/levels.ts'
import { classExcessOf, MAX_CLASSES, MAX_OWN_CLASSES, MAX_OWN_IN_RESERVE, newClassesOf, RESERVED_CLASSES } from './class-limit.ts'

const USUAL = ['DISK_GB', 'MEMORY_MB', 'VCPU']
const H1 = 0 as HostIndex
const SIZES = { vcpus: 1, vcpusUsed: 0, memoryMb: 1, memoryMbUsed: 0, localGb: 1, localGbUsed: 0 }

const inventories = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ resourceClass: `CUSTOM_${first + i}`, total: 4 }))

/** A report shape with `count` classes, which are numbered from `first` on. */
const classes = (first: number, count: number): HostShape => ({ instances: [], inventories: inventories(first, count) })

function logAt(level: number): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level }])
  return log
}

/** Reports of as many hosts as are needed to add the classes from 0 to `count` to the fleet. */
function fill(log: TestLog, count: number): void {
  for (let [first, i] = [0, 0]; first < count; i++) {
    const most = first < MAX_CLASSES - RESERVED_CLASSES ? MAX_OWN_CLASSES : MAX_OWN_IN_RESERVE
    expect(log.append([aReport(`f${i}`, classes(first, Math.min(most, count - first)))])).toEqual([undefined])
    first += most
  }
}

const namesIn = ({ hosts }: Fleet): string[] => [...hosts.classes.keys()].sort()

describe('the count of resource classes that hosts report', () => {
  test('a report is void if it adds a class to a fleet with 256 further classes, and valid if all its classes are in use', () => {
    const log = logAt(BOUNDED_CLASSES)
    fill(log, MAX_CLASSES)
    expect(log.append([aReport('h2', classes(255, 2))])).toEqual(['report.too_many_classes'])
    expect(log.fleet.hosts.find({ host: 'h2', node: 'h2' })).toBeUndefined()
    expect(log.append([aReport('h2', classes(0, MAX_CLASSES))])).toEqual([undefined])
    expect(log.fleet.hosts.classes.size).toBe(MAX_CLASSES + USUAL.length)
    expectSound(log)
  })

  test('the reports of one entry are counted together', () => {
    const log = logAt(BOUNDED_CLASSES)
    const full = (MAX_CLASSES - RESERVED_CLASSES) / MAX_OWN_CLASSES
    const reports = Array.from({ length: full + 1 }, (_, i) => aReport(`h${i}`, classes(MAX_OWN_CLASSES * i, MAX_OWN_CLASSES)))
    expect(log.append(reports)).toEqual([...Array.from({ length: full }, () => undefined), 'report.too_many_classes'])
  })

  test('a host may add only a few classes that no other host has; all nodes of its name count together', () => {
    const log = logAt(BOUNDED_CLASSES)
    expect(log.append([aReport('h1', classes(0, MAX_OWN_CLASSES + 1))])).toEqual(['report.too_many_classes'])
    expect(log.append([aReport('h1', classes(0, MAX_OWN_CLASSES))])).toEqual([undefined])
    expect(log.append([aReport('h1', classes(0, MAX_OWN_CLASSES + 1), 2)])).toEqual(['report.too_many_classes'])
    expect(log.append([{ ...aReport('h1', classes(MAX_OWN_CLASSES, 1)), node: 'n2' }])).toEqual(['report.too_many_classes'])
    // classes that another host has, too, are not the own classes of a host
    expect(log.append([aReport('h2', classes(1, MAX_OWN_CLASSES))])).toEqual([undefined])
    expect(log.append([aReport('h1', classes(0, MAX_OWN_CLASSES + 1), 3)])).toEqual([undefined])
    expectSound(log)
  })

  test('a host may exchange classes that it alone has, even at the limits, but not those of which a claim holds an amount', () => {
    const log = logAt(BOUNDED_CLASSES)
    expect(log.append([aReport('h1', classes(0, MAX_OWN_CLASSES))])).toEqual([undefined])
    expect(log.append([aReport('h1', classes(1_000, MAX_OWN_CLASSES), 2)])).toEqual([undefined])
    expect(log.append([aReport('h1', classes(1_001, MAX_OWN_CLASSES + 1), 3)])).toEqual(['report.too_many_classes'])
    expect(log.append([aClaim({ grants: { classes: { CUSTOM_1000: 1 } } })])).toEqual([undefined])
    expect(log.append([aReport('h1', classes(2_000, MAX_OWN_CLASSES), 3)])).toEqual(['report.too_many_classes'])
    expect(log.append([aReport('h1', classes(2_000, MAX_OWN_CLASSES - 1), 3)])).toEqual([undefined])
    expectSound(log)
  })

  test('once only the reserve of resource classes is left, hosts with few classes of their own may still add some', () => {
    const log = logAt(BOUNDED_CLASSES)
    fill(log, MAX_CLASSES - RESERVED_CLASSES)
    expect(log.append([aReport('f0', classes(0, MAX_OWN_CLASSES), 2)])).toEqual([undefined])
    expect(log.append([aReport('f0', classes(1, MAX_OWN_CLASSES - 1), 3)])).toEqual([undefined])
    const more = { ...classes(0, 0), inventories: [...inventories(1, MAX_OWN_CLASSES - 1), ...inventories(1_000, 2)] }
    expect(log.append([aReport('f0', more, 4)])).toEqual(['report.too_many_classes'])
    expect(log.append([aReport('new', classes(2_000, MAX_OWN_IN_RESERVE + 1))])).toEqual(['report.too_many_classes'])
    expect(log.append([aReport('new', classes(2_000, MAX_OWN_IN_RESERVE))])).toEqual([undefined])
    expectSound(log)
  })

  test('hosts that work together can use up the classes, but not those of another host, which it also may exchange', () => {
    const log = logAt(BOUNDED_CLASSES)
    const own = (first: number, sequence: number) => aReport('victim', classes(first, 10), sequence)
    expect(log.append([own(1_000, 1)])).toEqual([undefined])
    // a class that both hosts report counts for neither of them, so that they add the next classes at once
    let sequence = 0
    let last: readonly unknown[] = []
    for (let count = MAX_OWN_IN_RESERVE; last.every((verdict) => verdict === undefined); count += MAX_OWN_IN_RESERVE) {
      sequence++
      last = log.append(['a', 'b'].map((host) => aReport(host, classes(0, count), sequence)))
    }
    expect(last).toEqual(['report.too_many_classes', 'report.too_many_classes'])
    expect(newClassesOf(log.fleet.hosts, { inventories: [] }).inUse).toBeGreaterThan(MAX_CLASSES - MAX_OWN_IN_RESERVE)
    // its classes stay, with the claims that hold amounts of them
    expect(log.append([own(1_000, 2)])).toEqual([undefined])
    expect(log.append([aClaim({ hosts: ['victim'], grants: { classes: { CUSTOM_1000: 1 } } })])).toEqual([undefined])
    expect(log.append([own(1_000, 3)])).toEqual([undefined])
    // classes may be exchanged, which makes the count no larger, and shared ones may be reported by every host
    expect(
      log.append([aReport('victim', { ...classes(0, 0), inventories: [...inventories(1_000, 5), ...inventories(2_000, 5)] }, 4)]),
    ).toEqual([undefined])
    expect(log.append([aReport('new', classes(0, 100))])).toEqual([undefined])
    expectSound(log)
  })

  test('inventories of VCPU, MEMORY_MB and DISK_GB are not counted', () => {
    const log = logAt(BOUNDED_CLASSES)
    fill(log, MAX_CLASSES)
    const inventories = USUAL.map((resourceClass) => ({ resourceClass, total: 8 }))
    expect(log.append([aReport('h2', { inventories })])).toEqual([undefined])
  })

  test('below the feature level, a fleet can have more classes, and it keeps them when the level is raised', () => {
    const log = logAt(BOUNDED_CLASSES - 1)
    const reports = [0, 1].map((i) => aReport(`h${i}`, classes(MAX_CLASSES * i, MAX_CLASSES)))
    expect(log.append(reports)).toEqual([undefined, undefined])
    expect(log.fleet.hosts.classes.size).toBe(2 * MAX_CLASSES + USUAL.length)
    log.append([{ type: 'feature', level: BOUNDED_CLASSES }])
    expect(log.append([aReport('h1', classes(MAX_CLASSES, MAX_CLASSES), 2)])).toEqual([undefined])
    expect(log.append([aReport('h1', classes(MAX_CLASSES + 1, MAX_CLASSES), 3)])).toEqual([undefined])
    expect(log.append([aReport('h2', classes(2 * MAX_CLASSES + 1, 1))])).toEqual(['report.too_many_classes'])
    expectSound(log)
  })
})

describe('a class has columns only while a host reports it or claims hold an amount of it', () => {
  test.each([BOUNDED_CLASSES - 1, BOUNDED_CLASSES])(
    'at level %i, ten reports of a host with 16 new classes each leave 16 classes',
    (level) => {
      const log = logAt(level)
      for (let i = 0; i < 10; i++) expect(log.append([aReport('h1', classes(16 * i, 16), i + 1)])).toEqual([undefined])
      expect(log.fleet.hosts.classes.size).toBe(16 + USUAL.length)
      expectSound(log)
    },
  )

  test('a class that one of two hosts no longer reports keeps its columns until the other host is forgotten', () => {
    const log = logAt(BOUNDED_CLASSES)
    log.append([aReport('h1', classes(0, 1)), aReport('h2', classes(0, 1))])
    log.append([aReport('h1', classes(0, 0), 2)])
    expect(namesIn(log.fleet)).toEqual(['CUSTOM_0', ...USUAL])
    log.append([forget('h2')])
    expect(namesIn(log.fleet)).toEqual(USUAL)
    expectSound(log)
  })

  test('a class that no host reports any more keeps its columns until the claim that holds an amount of it ends', () => {
    const log = logAt(BOUNDED_CLASSES)
    log.append([aReport('h1', classes(0, 2))])
    const grants = { classes: { VCPU: 1, CUSTOM_0: 3 } }
    expect(log.append([aClaim({ grants, instances: [aUuid(1)], mode: 'CONFIRM' })])).toEqual([undefined])
    log.append([aReport('h1', classes(0, 0), 2)])
    expect(namesIn(log.fleet)).toEqual(['CUSTOM_0', ...USUAL])
    expect(log.fleet.hosts.classColumns('CUSTOM_0').free[H1]).toBe(-3)
    expectSound(log)
    const { fence } = log.fleet.ledger.claims.get('k1.0') ?? { fence: 0 }
    log.append([{ type: 'release', claim: 'k1.0', fence, reason: null }])
    expect(namesIn(log.fleet)).toEqual(USUAL)
    expect(log.append([aReport('h2', classes(2, MAX_OWN_CLASSES))])).toEqual([undefined])
    expectSound(log)
  })

  test.each(profiles.map((profile) => [profile.name, profile] as const))(
    'deciding and explaining a request for 250 classes that no host has creates no columns, by profile %s',
    (_name, profile) => {
      const log = logAt(BOUNDED_CLASSES)
      log.append([aReport('h1', classes(0, 2)), aReport('h2')])
      const before = namesIn(log.fleet)
      const amounts = Array.from({ length: 250 }, (_, i) => ({ resourceClass: `CUSTOM_WANTED_${i}`, amount: 1 }))
      const instanceGroup = { uuid: aUuid(9), policy: 'AFFINITY' as const }
      const request = aRequest({ numInstances: 2, instanceGroup, requestedResources: [{ amounts }] })
      causeIn(log.fleet, request, profile)
      expect(prepareChecks(log.fleet, request, profile).checksOf(H1, true).length).toBeGreaterThan(0)
      expect(namesIn(log.fleet)).toEqual(before)
    },
  )

  test('a void claim for a class that its host does not report leaves no columns', () => {
    const log = logAt(BOUNDED_CLASSES)
    log.append([aReport('h1', classes(0, 0))])
    expect(log.append([aClaim({ grants: { classes: { CUSTOM_0: 1 } } })])).toEqual(['claim.no_room'])
    expect(namesIn(log.fleet)).toEqual(USUAL)
  })
})

test('a copy and a restored fleet have the classes of the fleet, and accept and refuse the same reports', () => {
  const log = logAt(BOUNDED_CLASSES - 1)
  log.append([aReport('h1', classes(0, 200)), aReport('h2', classes(150, 100))])
  log.append([{ type: 'feature', level: BOUNDED_CLASSES }])
  log.append([aReport('h1', classes(0, 120), 2)])
  const copy = copyFleet(log.fleet)
  const restored = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet))))
  for (const { hosts } of [log.fleet, copy, restored]) {
    expect(hosts.classes.size).toBe(220 + USUAL.length)
    const excess = [4, 5, 36, 37].map((count) => {
      const report = hostStatsV1_4.parse({ ...SIZES, ...classes(1_000, count) })
      expect(newClassesOf(hosts, report)).toMatchObject({ inUse: 220, added: { length: count } })
      return classExcessOf(hosts, { host: 'h3', node: 'h3' }, report)
    })
    expect(excess).toEqual([undefined, 'of the host', 'of the host', 'of the fleet'])
  }
  // the copy shares columns with the fleet, which now deletes and creates them
  log.append([aReport('h1', classes(0, 0), 3)])
  log.append([aReport('h1', { ...classes(0, 1), inventories: [{ resourceClass: 'CUSTOM_0', total: 9 }] }, 4)])
  expect(copy.hosts.classes.size).toBe(220 + USUAL.length)
  expect([log.fleet, copy].map(({ hosts }) => hosts.classColumns('CUSTOM_0').free[H1])).toEqual([9, 4])
})
