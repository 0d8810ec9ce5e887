import { describe, expect, test } from 'vitest'
import { audit } from '../audit/index.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { Fleet } from '../fleet/fleet.ts'
import { type Change, FEATURE_LEVEL, type Grants } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid, type HostShape, someInstances, type TestLog } from '../testing/index.ts'
import { LISTED_CLAIMS } from '../values/levels.ts'

const one = aUuid(1)
const other = aUuid(2)

/** A host of 8 CPUs on which two instances without claims use all CPUs. */
function filled(more: HostShape = {}, level = FEATURE_LEVEL): TestLog {
  const log = aLog(new Fleet())
  const shape = { vcpus: 8, vcpusUsed: 8, memoryMb: 4_096, memoryMbUsed: 2_048, instances: [one, other] }
  log.append([{ type: 'feature', level }, aReport('h1', { ...shape, ...more })])
  return log
}

let keys = 0
const listed = (grants: Grants, instance: string | null = one, project: string | null = null): Change => ({
  ...someInstances({ key: `listed-${++keys}`, mode: 'CONFIRM', grants, instances: [instance], project }),
  isListed: true,
})
const cpus = (amount: number): Grants => ({ classes: { VCPU: amount } })
const free = ({ fleet }: TestLog) => fleet.hosts.classColumns('VCPU').free[0]
const findings = ({ fleet }: TestLog) => [...audit(fleet)].flatMap((found) => found.findings)

test('a claim for a listed instance is materialised at once, takes no free capacity, and holds its amount after later reports', () => {
  const log = filled()
  expect(log.append([aClaim({ key: 'plain', grants: cpus(4), instances: [one] })])).toEqual(['claim.no_room'])
  expect(log.append([listed(cpus(4))])).toEqual([undefined])
  expect(log.fleet.ledger.claimsFor(one)).toMatchObject([{ state: 'MATERIALISED', expiresAt: null, unlistedAt: null }])
  expect([free(log), log.fleet.hosts.columns.instances[0]]).toEqual([0, 0])
  expect(findings(log)).toEqual([])
  expect(findings({ ...log, fleet: restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))) })).toEqual([])
  // a later report in which the instance uses less than its claim does not free the claimed amount
  log.append([aReport('h1', { vcpus: 8, vcpusUsed: 0, memoryMb: 4_096, instances: [one, other] }, 2)])
  expect(free(log)).toBe(4)
})

test('a claim for a listed instance needs free capacity for the amount by which it exceeds the reported use without claims', () => {
  const log = filled()
  expect(log.append([listed(cpus(9)), listed(cpus(6)), listed(cpus(3), other)])).toEqual(['claim.no_room', undefined, 'claim.no_room'])
  expect(log.append([listed(cpus(2), other)])).toEqual([undefined])
  expect(free(log)).toBe(0)
  expect(findings(log)).toEqual([])
})

describe('a claim for a listed instance is void', () => {
  test.each<readonly [string, () => TestLog, Change, string]>([
    ['if the host does not list the instance', () => filled(), listed(cpus(1), aUuid(3)), 'claim.not_listed'],
    ['if no instance is named', () => filled(), listed(cpus(1), null), 'claim.not_listed'],
    ['if the host has no list of instances', () => filled({ instances: null }), listed(cpus(1)), 'claim.not_listed'],
    ['below its level', () => filled({}, LISTED_CLAIMS - 1), listed(cpus(1)), 'claim.not_listed'],
    [
      'if it asks for units, because a report does not show which instance uses them',
      () => filled({ gpus: [{ index: 0, usedMilli: 1_000 }] }),
      listed({ gpu: [{ index: 0, milli: 1_000 }] }),
      'claim.no_room',
    ],
    [
      'if used amounts come from claims and the host is full',
      () => {
        const log = filled()
        log.append([{ type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'test' }])
        log.append([listed(cpus(8), other)])
        return log
      },
      listed(cpus(1)),
      'claim.no_room',
    ],
  ])('%s', (_name, begin, change, code) => {
    const log = begin()
    const before = JSON.stringify(checkpointOf(log.fleet).claims)
    expect(log.append([change])).toEqual([code])
    expect(JSON.stringify(checkpointOf(log.fleet).claims)).toBe(before)
    expect(findings(log)).toEqual([])
  })

  test.each([null, 'p'])('if the instance has a live claim of any account (project %s)', (project) => {
    const log = filled()
    expect(log.append([listed(cpus(2), one, 'first')])).toEqual([undefined])
    expect(log.append([listed(cpus(2), one, project)])).toEqual(['claim.instance_taken'])
  })
})

test('a claim for a listed instance replaces an ended claim of that instance', () => {
  const log = filled()
  log.append([listed(cpus(6))])
  const [claim] = log.fleet.ledger.claimsFor(one)
  log.append([{ type: 'revoke', claim: claim?.id ?? '', reason: 'test' }])
  // the ended claim reserves 6 of the 8 CPUs in use until a new claim for the instance replaces it or the instance leaves the list
  expect(log.append([listed(cpus(7))])).toEqual([undefined])
  expect(free(log)).toBe(0)
  expect(findings(log)).toEqual([])
})
