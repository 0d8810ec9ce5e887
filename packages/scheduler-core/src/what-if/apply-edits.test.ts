import { describe, expect, test, vi } from 'vitest'
import { prepareChecks } from '../examine/examine.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { at } from '../hosts/columns.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Change } from '../records/change.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { ALLOCATION_RULES } from '../values/levels.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { applyEdits } from './apply-edits.ts'
import { type FleetEditsInput, parseFleetEditsInSteps } from './edits.ts'
import { edit, tryEdit } from './testing.ts'
import { utilisationOf } from './utilisation.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as (typeof builtInProfiles)[number]

/** Four hosts: two in az1, one in az2 and one in no zone. The aggregate ssd contains h1 and h3. The hosts h1 and h2 have one claim each. */
function aTown(more: readonly Change[] = []): Fleet {
  const log = aLog()
  log.append([
    aReport('h1', { vcpusUsed: 4, memoryMbUsed: 8_192, instances: [aUuid(9)], traits: ['FAST'] }),
    aReport('h2'),
    aReport('h3', { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] }),
    aReport('h4'),
  ])
  const aggregate = (number: number, name: string, hosts: readonly string[], metadata: Record<string, string>) =>
    ({ type: 'aggregate', uuid: aUuid(number), expectedVersion: 0, next: { name, hosts, metadata } }) as const
  log.append([
    aggregate(1, 'zone-1', ['h1', 'h2'], { availability_zone: 'az1' }),
    aggregate(2, 'zone-2', ['h3'], { availability_zone: 'az2' }),
    aggregate(3, 'ssd', ['h1', 'h3'], { ssd: 'true' }),
    { type: 'status', host: 'h4', node: 'h4', status: 'DISABLED', reason: 'fan' },
    { type: 'liveness', host: 'h4', node: 'h4', state: 'DOWN', reason: 'silent' },
  ])
  log.append([aClaim({ key: 'a', hosts: ['h1'] }), aClaim({ key: 'b', hosts: ['h2'], instances: [aUuid(5)] })])
  if (more.length > 0) log.append(more)
  return log.fleet
}

const free = ({ hosts }: Fleet, host: string, resourceClass = 'MEMORY_MB') =>
  at(hosts.classColumns(resourceClass).free, hosts.find({ host, node: host })?.index ?? (-1 as never))
const recordOf = ({ hosts }: Fleet, host: string) => hosts.find({ host, node: host })

/** The names of the hosts that pass every filter for a request without conditions. */
function open(fleet: Fleet, profile = 'default'): string[] {
  const { checksOf } = prepareChecks(fleet, aRequest(), profileNamed(profile))
  return fleet.hosts.records
    .filter(({ index }) => checksOf(index).every(({ verdict }) => verdict === 'PASS' || verdict === 'NOT_ASKED'))
    .map(({ host }) => host)
}

describe('edits of a fleet', () => {
  test('an added host has the hardware and the aggregates of the host that it copies, but none of its instances', () => {
    const fleet = edit(aTown(), { addHosts: [{ likeHost: 'h1', count: 2 }] })
    for (const host of ['h1+1', 'h1+2']) {
      expect(recordOf(fleet, host)).toMatchObject({ zone: 'az1', aggregates: [aUuid(1), aUuid(3)] })
      expect([free(fleet, host), free(fleet, host, 'VCPU')]).toEqual([65_536, 16])
      expect(recordOf(fleet, host)?.traits).toEqual(new Set(['FAST']))
    }
    expect(free(fleet, 'h1')).toBe(65_536 - 8_192 - 1_024)
  })

  test.each([
    ['an existing zone to which the copies move', { availabilityZone: 'az2' }, 'az2', [aUuid(2), aUuid(3)]],
    ['a new zone', { availabilityZone: 'az9' }, 'az9', [aUuid(3), 'what-if zone az9']],
    ['no zone', { availabilityZone: 'nova' }, 'nova', [aUuid(3)]],
    ['aggregates by name', { aggregates: ['zone-2'] }, 'az2', [aUuid(2)]],
    ['no aggregates', { aggregates: [] }, 'nova', []],
  ])('hosts that are added in %s are in the expected zone and aggregates', (_name, where, zone, aggregates) => {
    const fleet = edit(aTown(), { addHosts: [{ likeHost: 'h1', ...where }] })
    expect(recordOf(fleet, 'h1+1')).toMatchObject({ zone, aggregates })
  })

  test.each(['default', 'random', 'nova-compat'])(
    'by the profile %s, a removed host takes no instance, its claims end, and its capacity is in no sum',
    (profile) => {
      const fleet = aTown()
      expect(open(fleet, profile)).toEqual(['h1', 'h2', 'h3'])
      edit(fleet, { removeHosts: ['h2'] })
      expect(open(fleet, profile)).toEqual(['h1', 'h3'])
      expect(fleet.ledger.claims.get('b.0')?.state).toBe('REVOKED')
      expect(atOnce(utilisationOf(fleet)).find(({ zone }) => zone === 'az1')).toMatchObject({ hosts: 1, usage: [{ capacity: 16 }, {}, {}] })
    },
  )

  test('a disabled host takes no instance and keeps its claims, and an enabled host that was DOWN becomes UP', () => {
    const fleet = edit(aTown(), { disableHosts: ['h1'], enableHosts: ['h4'] })
    expect(open(fleet)).toEqual(['h2', 'h3', 'h4'])
    expect(fleet.ledger.claims.get('a.0')?.state).toBe('RESERVED')
  })

  test('an edit can change the members and the metadata of an aggregate, and several edits of one aggregate are applied in order', () => {
    const fleet = edit(aTown(), {
      addHosts: [{ likeHost: 'h2' }],
      aggregateChanges: [
        { aggregate: 'ssd', addHosts: ['h2', 'h2+1'], removeHosts: ['h1'], setMetadata: { ssd: 'nvme', tier: '1' } },
        { aggregate: aUuid(3), unsetMetadata: ['tier'] },
      ],
    })
    expect(fleet.aggregates.byUuid.get(aUuid(3))).toMatchObject({ hosts: ['h3', 'h2', 'h2+1'], metadata: { ssd: 'nvme' } })
  })

  test('a ratio is set on the hosts of an aggregate, or on all hosts that have the class', () => {
    const fleet = edit(aTown(), {
      ratios: [
        { aggregate: 'ssd', resourceClass: 'MEMORY_MB', allocationRatio: 2 },
        { resourceClass: 'VCPU', allocationRatio: 1.5 },
        { resourceClass: 'CUSTOM_FPGA', allocationRatio: 3 },
      ],
    })
    expect(['h1', 'h2', 'h3'].map((host) => free(fleet, host))).toEqual([2 * 65_536 - 8_192 - 1_024, 65_536 - 1_024, 2 * 65_536])
    expect(['h1', 'h2'].map((host) => free(fleet, host, 'VCPU'))).toEqual([24 - 4 - 1, 24 - 1])
    expect(free(fleet, 'h3', 'CUSTOM_FPGA')).toBe(6)
  })

  test('added hosts get the operator settings of the host that they copy, and an edited ratio overrides the ratio of aggregates', () => {
    const set = { type: 'hostAllocation', host: 'h1', node: 'h1', by: 'ops', reason: 'measured' } as const
    const aggregate = { type: 'aggregate', uuid: aUuid(3), expectedVersion: 1 } as const
    const town = aTown([
      { type: 'feature', level: ALLOCATION_RULES },
      { ...set, resourceClass: 'VCPU', ratio: 2, reserved: 1 },
      { ...set, resourceClass: 'DISK_GB', reserved: 24 },
      { ...aggregate, next: { name: 'ssd', hosts: ['h1', 'h3'], metadata: { cpu_allocation_ratio: '4', ram_allocation_ratio: '3' } } },
    ])
    const copied = edit(copyFleet(town), { addHosts: [{ likeHost: 'h1', count: 2 }] })
    for (const host of ['h1+1', 'h1+2'])
      expect(['VCPU', 'MEMORY_MB', 'DISK_GB'].map((name) => free(copied, host, name))).toEqual([30, 3 * 65_536, 1_000])
    expect(free(edit(copyFleet(town), { ratios: [{ resourceClass: 'VCPU', allocationRatio: 1 }] }), 'h3', 'VCPU')).toBe(16)
    const one = edit(copyFleet(town), { ratios: [{ host: 'h3', node: 'h3', resourceClass: 'VCPU', allocationRatio: 1 }] })
    expect(['h1', 'h2', 'h3'].map((host) => free(one, host, 'VCPU') === free(town, host, 'VCPU'))).toEqual([true, true, false])
    expect(free(one, 'h3', 'VCPU')).toBe(16)
    expect(free(edit(copyFleet(town), { addHosts: [{ likeHost: 'h3' }] }), 'h3+1', 'VCPU')).toBe(64)
  })

  test('an edit ends claims by their id, or all reservations that expire by a time', () => {
    expect(free(edit(aTown(), { releaseClaims: ['a.0'] }), 'h1')).toBe(65_536 - 8_192)
    expect(free(edit(aTown(), { expireBy: 61_000 }), 'h2')).toBe(65_536)
    expect(free(edit(aTown(), { expireBy: 60_999 }), 'h2')).toBe(65_536 - 1_024)
    expect(free(edit(aTown(), { removeHosts: ['h1'], releaseClaims: ['a.0'] }), 'h2')).toBe(65_536 - 1_024)
  })

  test('a host that is named twice is edited once', () => {
    const twice = { removeHosts: ['h1', 'h1'], disableHosts: ['h2', 'h2'], releaseClaims: ['a.0', 'a.0'] }
    const once = { removeHosts: ['h1'], disableHosts: ['h2'], releaseClaims: ['a.0'] }
    const [fleet, other] = [edit(aTown(), twice), edit(aTown(), once)]
    expect(['h1', 'h2'].map((host) => free(fleet, host))).toEqual(['h1', 'h2'].map((host) => free(other, host)))
  })

  test('a replaced host is found by its old name and its new name, and is edited once if both are named', () => {
    const pair = { from: { host: 'h1', node: 'h1' }, to: { host: 'r1', node: 'r1' } }
    const renamed = () => aTown([{ type: 'replace', hosts: [pair], reason: 'renamed' }])
    expect(open(edit(renamed(), { removeHosts: ['h1', 'r1', 'h1'] }))).toEqual(['h2', 'h3'])
    expect(open(edit(renamed(), { disableHosts: ['r1', 'h1'] }))).toEqual(['h2', 'h3'])
    const shut = edit(renamed(), { disableHosts: ['r1'] })
    expect(open(edit(shut, { enableHosts: ['h1', 'r1'] }))).toEqual(['r1', 'h2', 'h3'])
    expect(recordOf(edit(renamed(), { addHosts: [{ likeHost: 'h1' }] }), 'h1+1')).toMatchObject({ zone: 'az1' })
    const changed = edit(renamed(), {
      aggregateChanges: [
        { aggregate: 'ssd', removeHosts: ['h1'] },
        { aggregate: 'zone-1', addHosts: ['h1'] },
      ],
    })
    expect([aUuid(3), aUuid(1)].map((uuid) => changed.aggregates.byUuid.get(uuid)?.hosts)).toEqual([['h3'], ['r1', 'h2']])
    expect(tryEdit(renamed(), { disableHosts: ['r1'], enableHosts: ['h1'] })[0]?.path).toEqual(['enableHosts', '0'])
  })

  test('HOST/NODE edits one node of a host, and the other nodes are unchanged', () => {
    const more = (node: string): Change => ({ ...aReport('h5'), node })
    const town = () => aTown([more('n1'), more('n2'), more('n/3')])
    const nodesOpen = (fleet: Fleet) => {
      const { checksOf } = prepareChecks(fleet, aRequest(), profileNamed('default'))
      const takes = ({ index }: HostRecord) => checksOf(index).every(({ verdict }) => verdict === 'PASS' || verdict === 'NOT_ASKED')
      return fleet.hosts.records.filter((record) => record.host === 'h5' && takes(record)).map(({ node }) => node)
    }
    expect(nodesOpen(edit(town(), { disableHosts: ['h5/n2'] }))).toEqual(['n1', 'n/3'])
    expect(nodesOpen(edit(town(), { drainHosts: ['h5/n/3', 'h5/n1'] }))).toEqual(['n2'])
    expect(nodesOpen(edit(town(), { removeHosts: ['h5'] }))).toEqual([])
    expect(nodesOpen(edit(edit(town(), { disableHosts: ['h5'] }), { enableHosts: ['h5/n1'] }))).toEqual(['n1'])
    const problems = (edits: FleetEditsInput) => tryEdit(town(), edits).map(({ code, path }) => [code, path.join('.')])
    expect(problems({ disableHosts: ['h5/none'] })).toEqual([['overlay.unknown', 'disableHosts.0']])
    expect(problems({ disableHosts: ['h5/n1'], enableHosts: ['h5/n2', 'h5'] })).toEqual([['overlay.invalid', 'enableHosts.1']])
  })

  test('all problems of an edit are reported at once, each with the path of the field', () => {
    const problems = tryEdit(aTown(), {
      addHosts: [
        { likeHost: 'ghost', aggregates: ['none'] },
        { likeHost: 'h1', count: 9_999 },
        { likeHost: 'h1', count: 2 },
      ],
      removeHosts: ['h1', 'gone'],
      enableHosts: ['h1'],
      aggregateChanges: [{ aggregate: 'none', addHosts: ['h9'] }],
      ratios: [
        { resourceClass: 'CUSTOM_NONE', allocationRatio: 2, aggregate: 'none' },
        { resourceClass: 'VCPU', allocationRatio: 2, host: 'nosuch' },
        { resourceClass: 'VCPU', allocationRatio: 2, host: 'h1', node: 'nosuch' },
        { resourceClass: 'VCPU', allocationRatio: 2, host: 'h1', aggregate: 'ssd' },
        { resourceClass: 'VCPU', allocationRatio: 2, node: 'h1' },
      ],
      releaseClaims: ['c9'],
    })
    expect(problems.map(({ code, path }) => [code, path.join('.')])).toEqual([
      ['overlay.invalid', 'addHosts'],
      ['overlay.unknown', 'addHosts.0.likeHost'],
      ['overlay.unknown', 'removeHosts.1'],
      ['overlay.unknown', 'ratios.1.host'],
      ['overlay.unknown', 'ratios.2.node'],
      ['overlay.invalid', 'ratios.3.aggregate'],
      ['overlay.invalid', 'ratios.4.node'],
      ['overlay.unknown', 'aggregateChanges.0.addHosts.0'],
      ['overlay.invalid', 'enableHosts.0'],
      ['overlay.unknown', 'addHosts.0.aggregates.0'],
      ['overlay.unknown', 'aggregateChanges.0.aggregate'],
      ['overlay.unknown', 'ratios.0.aggregate'],
      ['overlay.unknown', 'ratios.0.resourceClass'],
      ['overlay.unknown', 'releaseClaims.0'],
    ])
    expect(tryEdit(aTown(), { ratios: [{ resourceClass: 'VCPU', allocationRatio: 0 }], likes: [] }).map(({ code }) => code)).toEqual([
      'overlay.invalid',
      'overlay.unknown_field',
    ])
  })

  test('a materialised claim cannot be ended, because the report of its host counts its usage', () => {
    const log = aLog()
    log.append([aReport('h1')])
    log.append([aClaim({ instances: [aUuid(1)] })])
    log.append([aReport('h1', { instances: [aUuid(1)] }, 2)])
    expect(tryEdit(log.fleet, { releaseClaims: ['k1.0'] })[0]?.message).toContain('this one is MATERIALISED')
  })

  test('if the log refuses a change, the problem has the path of the edit that caused the change', () => {
    const [problem] = tryEdit(aTown(), { aggregateChanges: [{ aggregate: 'zone-2', addHosts: ['h1'] }] })
    expect(problem).toMatchObject({ code: 'aggregate.zone_conflict', path: ['aggregateChanges', '0'] })
  })

  test('edits of a copy leave the original fleet unchanged, and an overlay can be opened on the copy', () => {
    const fleet = aTown()
    const before = atOnce(utilisationOf(fleet))
    openOverlay(
      edit(copyFleet(fleet), { removeHosts: ['h1', 'h2', 'h3'], ratios: [{ resourceClass: 'VCPU', allocationRatio: 9 }] }),
    ).discard()
    expect(atOnce(utilisationOf(fleet))).toEqual(before)
    expect(open(fleet)).toEqual(['h1', 'h2', 'h3'])
  })
})

describe('edits of many hosts read and change only a few hosts between two yields', () => {
  const HOSTS = 2_000
  const names = Array.from({ length: HOSTS }, (_, i) => `h${i}`)

  /** A fleet of 2000 hosts in one aggregate. Every second host has a reservation that expires. */
  function aLargeTown(): Fleet {
    const log = aLog()
    log.append(names.map((name) => aReport(name)))
    log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'all', hosts: names, metadata: {} } }])
    log.append(names.filter((_, i) => i % 2 === 0).map((name) => aClaim({ key: name, hosts: [name] })))
    return log.fleet
  }

  const town = aLargeTown()

  test.each<readonly [string, FleetEditsInput]>([
    ['hosts that are added', { addHosts: [{ likeHost: 'h0', count: HOSTS }] }],
    ['hosts that are added in a new zone', { addHosts: [{ likeHost: 'h0', count: HOSTS, availabilityZone: 'new' }] }],
    ['hosts that are removed', { removeHosts: names }],
    ['hosts that are disabled', { disableHosts: names }],
    ['hosts that are enabled', { enableHosts: names }],
    ['a host that is named many times', { disableHosts: Array.from({ length: 20_000 }, () => 'h0') }],
    ['hosts that are named twice', { removeHosts: [...names, ...names] }],
    ['hosts that leave or join an aggregate', { aggregateChanges: [{ aggregate: 'all', addHosts: names, removeHosts: names }] }],
    ['metadata of an aggregate', { aggregateChanges: [{ aggregate: 'all', setMetadata: { availability_zone: 'z1' } }] }],
    ['a ratio', { ratios: [{ resourceClass: 'VCPU', allocationRatio: 9 }] }],
    [
      'a ratio of a class that no host has, because all hosts are removed',
      { removeHosts: names, ratios: [{ resourceClass: 'VCPU', allocationRatio: 9 }] },
    ],
    ['claims that end', { releaseClaims: names.filter((_, i) => i % 2 === 0).map((name) => `${name}.0`) }],
    ['reservations that end', { expireBy: 10_000_000 }],
  ])('%s', (_name, input) => {
    const fleet = copyFleet(town)
    const looks = (['own', 'touch', 'add', 'nodesOf', 'get', 'refusesName'] as const).map((name) => vi.spyOn(fleet.hosts, name))
    looks.push(vi.spyOn(fleet.aggregates, 'of') as never, vi.spyOn(fleet.ledger.claims, 'get') as never)
    let most = 0
    const look = (): void => {
      most = Math.max(most, ...looks.map(({ mock }) => mock.calls.length))
      for (const one of looks) one.mockClear()
    }
    const run = <Answer>(steps: Steps<Answer>): Answer => {
      for (;;) {
        const step = steps.next()
        look()
        if (step.done) return step.value
      }
    }
    const parsed = run(parseFleetEditsInSteps(fleet, input))
    if (!parsed.ok) throw new Error('the edits are invalid')
    expect(run(applyEdits(fleet, parsed.value))).toEqual([])
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(1_100)
  })
})

test('after an impossible change of an aggregate, a later change of the same aggregate is applied', () => {
  const log = aLog(aTown())
  const [problem, ...others] = tryEdit(log.fleet, {
    aggregateChanges: [
      { aggregate: 'zone-2', addHosts: ['h1'] },
      { aggregate: 'zone-2', addHosts: ['h4'] },
    ],
  })
  expect([problem?.path, others]).toEqual([['aggregateChanges', '0'], []])
  expect(recordOf(log.fleet, 'h4')?.zone).toBe('az2')
})
