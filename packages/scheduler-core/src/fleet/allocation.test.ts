import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audit } from '../audit/index.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { HostIndex } from '../host-index.ts'
import { importNovaHost } from '../nova/import/host.ts'
import { aClaim, aLog, aReport, aUuid, type TestLog } from '../testing/index.ts'
import { ratioOf, reservedOf } from './allocation.ts'
import type { AggregateChanged, Change, FleetAllocationSet, HostAllocationSet } from './change.ts'
import { checkpointOf, restoreFleet } from './checkpoint.ts'
import { copyFleet } from './copy.ts'
import { Fleet } from './fleet.ts'
import { ALLOCATION_RULES } from './levels.ts'
import { parseHostStats } from './stats.ts'
import { publishedStats } from './stats-versions.ts'

const H = 0 as HostIndex
const MACHINE = { vcpus: 8, memoryMb: 8_192, localGb: 100 }

/** A host's ComputeNode; ratios that are not given are 0.0. */
function novaReport(host: string, data: Readonly<Record<string, unknown>> = {}, sequence = 1): Change {
  const computeNode = {
    'nova_object.name': 'ComputeNode',
    'nova_object.namespace': 'nova',
    'nova_object.version': '1.19',
    'nova_object.data': {
      ...{
        uuid: aUuid(0x11),
        host,
        hypervisor_hostname: host,
        vcpus: 8,
        vcpus_used: 0,
        memory_mb: 8_192,
        memory_mb_used: 0,
        local_gb: 100,
      },
      ...{
        local_gb_used: 0,
        free_ram_mb: 8_192,
        free_disk_gb: 100,
        cpu_allocation_ratio: 0,
        ram_allocation_ratio: 0,
        disk_allocation_ratio: 0,
      },
      ...data,
    },
  }
  const imported = importNovaHost(computeNode)
  if (!imported.ok) throw new Error(canonicalJson(imported.problems))
  const parsed = parseHostStats(imported.document)
  if (!parsed.ok) throw new Error(canonicalJson(parsed.problems))
  return { ...aReport(host), sequence, full: publishedStats(parsed.value) }
}

const ours = (shape: Parameters<typeof aReport>[1] = {}, sequence = 1) => aReport('h1', { ...MACHINE, ...shape }, sequence)
const set = (edit: Partial<HostAllocationSet>): HostAllocationSet => ({
  type: 'hostAllocation',
  host: 'h1',
  node: 'h1',
  resourceClass: 'VCPU',
  by: 'ops',
  reason: 'measured',
  ...edit,
})
const fleetSet = (edit: Partial<FleetAllocationSet>, expectedVersion = 0): FleetAllocationSet => ({
  type: 'fleetAllocation',
  expectedVersion,
  release: null,
  classes: {},
  by: 'ops',
  reason: 'nova.conf',
  ...edit,
})
const aggregate = (n: number, ratio: string | undefined, expectedVersion = 0, hosts = ['h1']): AggregateChanged => ({
  type: 'aggregate',
  uuid: aUuid(n),
  expectedVersion,
  next: { name: `a${n}`, hosts, metadata: ratio === undefined ? {} : { cpu_allocation_ratio: ratio } },
  by: 'ops',
})

function logWith(...changes: readonly Change[]): TestLog {
  const log = aLog()
  expect(log.append([{ type: 'feature', level: ALLOCATION_RULES }, ...changes]).filter((code) => code !== undefined)).toEqual([])
  return log
}

const capacity = ({ hosts }: Fleet, resourceClass = 'VCPU', host = H) => hosts.classColumns(resourceClass).capacity[host]
const saysRatio = ({ hosts }: Fleet, resourceClass = 'VCPU') => {
  const { value, source } = ratioOf(hosts, hosts.get(H), resourceClass)
  return [value, source]
}

/** Nothing is wrong with the state, and it is restored and copied alike. */
function expectSound(fleet: Fleet): void {
  expect([...audit(fleet)].flatMap(({ findings }) => findings)).toEqual([])
  const stored = canonicalJson(checkpointOf(fleet))
  const again = restoreFleet(JSON.parse(stored))
  expect(canonicalJson(checkpointOf(again))).toBe(stored)
  expect([...audit(again)].flatMap(({ findings }) => findings)).toEqual([])
  expect(canonicalJson(checkpointOf(copyFleet(fleet)))).toBe(stored)
}

describe('the order of ratios', () => {
  const all = [fleetSet({ release: 26, classes: { VCPU: { ratio: 3 } } }), aggregate(1, '6'), aggregate(2, '5'), set({ ratio: 2 })]
  test.each<readonly [string, readonly Change[], number, string]>([
    ['the override of the host is first', [novaReport('h1', { cpu_allocation_ratio: 7 }), ...all], 2, 'HOST'],
    ['then the least of its aggregates', [novaReport('h1', { cpu_allocation_ratio: 1.5 }), ...all.slice(0, 3)], 5, 'AGGREGATE'],
    ["then the report's own", [novaReport('h1', { cpu_allocation_ratio: 7 }), ...all.slice(0, 1)], 7, 'REPORT'],
    ["for Nova's 0.0 the fleet's", [novaReport('h1'), ...all.slice(0, 1)], 3, 'FLEET'],
    ["then Nova's default of the release", [novaReport('h1'), fleetSet({ release: 26 })], 16, 'NOVA_DEFAULT'],
    ['which gives less away from 2023.1 on', [novaReport('h1'), fleetSet({ release: 27 })], 4, 'NOVA_DEFAULT'],
    ['and 1 where no release is named', [novaReport('h1'), fleetSet({})], 1, 'NONE'],
    ['or nothing was imported', [novaReport('h1')], 1, 'NONE'],
    ['a report in our form without a ratio stays 1', [ours(), fleetSet({ release: 26, classes: { VCPU: { ratio: 3 } } })], 1, 'REPORT'],
  ])('%s', (_name, changes, ratio, source) => {
    const { fleet } = logWith(...changes)
    expect(saysRatio(fleet)).toEqual([ratio, source])
    expect(capacity(fleet)).toBe(8 * ratio)
    expectSound(fleet)
  })

  test.each(['lots', '0', '-1', 'inf', 'nan', '1001', ''])(
    'nova filters/utils.py validate_num_values: %j in one aggregate, and none of them counts, as one that cannot be read in Nova',
    (bad) => {
      const log = logWith(ours(), aggregate(1, bad), aggregate(2, '9'))
      expect(saysRatio(log.fleet)).toEqual([1, 'REPORT'])
      log.append([{ ...aggregate(1, bad, 1), next: null }])
      expect(saysRatio(log.fleet)).toEqual([9, 'AGGREGATE'])
      expectSound(log.fleet)
    },
  )
})

describe('reserved amounts', () => {
  const kept = ({ hosts }: Fleet, resourceClass = 'MEMORY_MB') => {
    const { value, source } = reservedOf(hosts, hosts.get(H), resourceClass)
    return [value, source]
  }
  const inventories = [{ resourceClass: 'MEMORY_MB', total: 8_192, reserved: 100 }]
  test.each<readonly [string, readonly Change[], number, string]>([
    ['the override of the host is first', [ours({ inventories }), set({ resourceClass: 'MEMORY_MB', reserved: 64 })], 64, 'HOST'],
    ['then the inventory', [ours({ inventories }), fleetSet({ classes: { MEMORY_MB: { reserved: 7 } } })], 100, 'REPORT'],
    ["for a document of Nova's the fleet's", [novaReport('h1'), fleetSet({ classes: { MEMORY_MB: { reserved: 7 } } })], 7, 'FLEET'],
    ["then Nova's default of the release", [novaReport('h1'), fleetSet({ release: 20 })], 512, 'NOVA_DEFAULT'],
    ['nothing where no release is named', [novaReport('h1')], 0, 'NONE'],
    ['and nothing of a report in our form', [ours(), fleetSet({ release: 20 })], 0, 'REPORT'],
  ])('%s', (_name, changes, reserved, source) => {
    const { fleet } = logWith(...changes)
    expect(kept(fleet)).toEqual([reserved, source])
    const ratio = ratioOf(fleet.hosts, fleet.hosts.get(H), 'MEMORY_MB').value
    expect(capacity(fleet, 'MEMORY_MB')).toBe((8_192 - reserved) * ratio)
    expectSound(fleet)
  })

  test('more kept back than there is leaves nothing, and says so in the state', () => {
    const { fleet } = logWith(ours(), set({ reserved: 9 }))
    expect(capacity(fleet)).toBe(0)
    expectSound(fleet)
  })
})

describe('claims are judged by what is set', () => {
  const eightMore = (key: string) => aClaim({ key, hosts: ['h1'], grants: { classes: { VCPU: 8 } } })
  test('a ratio of 2 lets two instances of 8 CPUs onto 8, and no third', () => {
    const log = logWith(ours(), set({ ratio: 2 }))
    expect(log.append([eightMore('k1'), eightMore('k2'), eightMore('k3')])).toEqual([undefined, undefined, 'claim.no_room'])
    expectSound(log.fleet)
  })

  test('what was decided before an edit is void, and what is there already stays', () => {
    const log = logWith(ours(), set({ ratio: 2 }))
    log.append([eightMore('k1'), eightMore('k2')])
    const basis = log.fleet.place
    expect(log.append([set({ ratio: null })])).toEqual([undefined])
    expect(log.append([eightMore('k3')], { basis })).toEqual(['claim.edited'])
    expect(log.fleet.hosts.classColumns('VCPU').free[H]).toBe(-8)
    expect(log.fleet.ledger.reserved.size).toBe(2)
    expectSound(log.fleet)
  })

  test("cells of the host go by it too, as Nova's do", () => {
    const cells = { numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096 }] }
    const { fleet } = logWith(ours(cells), set({ ratio: 3 }))
    expect(fleet.hosts.get(H).cells[0]?.cpuFree).toBe(12)
    expectSound(fleet)
  })
})

describe('edits', () => {
  test("of the fleet's values count on the version that was read, and on every host that leaves them open", () => {
    const log = logWith(
      novaReport('h1'),
      aReport('h2', MACHINE),
      novaReport('h3', { cpu_allocation_ratio: 2 }),
      fleetSet({ classes: { VCPU: { ratio: 4 } } }),
    )
    expect(log.append([fleetSet({ classes: { VCPU: { ratio: 5 } } }, 0)])).toEqual(['allocation.version'])
    expect([0, 1, 2].map((host) => capacity(log.fleet, 'VCPU', host as HostIndex))).toEqual([32, 8, 16])
    expect(log.append([fleetSet({ classes: {} }, 1)])).toEqual([undefined])
    expect(capacity(log.fleet)).toBe(8)
  })

  test('out of range, or of a host that is not there, are void', () => {
    const log = logWith(ours())
    expect(log.append([set({ ratio: 0 }), set({ reserved: 1.5 }), set({ host: 'h9', node: 'h9', ratio: 1 })])).toEqual([
      'allocation.range',
      'allocation.range',
      'report.unknown_host',
    ])
    expect(log.append([fleetSet({ classes: { VCPU: { ratio: 1_001 } } })])).toEqual(['allocation.range'])
  })

  test('of one value leave the other, with who set it and when', () => {
    const log = logWith(ours(), set({ ratio: 2, by: 'ann' }))
    log.append([set({ reserved: 1, by: 'bob' })], { at: 5_000 })
    expect(log.fleet.hosts.get(H).allocation).toEqual({
      VCPU: {
        ratio: { value: 2, by: 'ann', at: 1_000, reason: 'measured' },
        reserved: { value: 1, by: 'bob', at: 5_000, reason: 'measured' },
      },
    })
    log.append([set({ ratio: null, reserved: null })])
    expect(log.fleet.hosts.get(H).allocation).toEqual({})
  })

  test('of an aggregate keep who set a ratio, until somebody sets another one', () => {
    const log = logWith(ours(), aggregate(1, '6'))
    log.append([{ ...aggregate(1, '6', 1, []), by: 'bob' }], { at: 5_000 })
    expect(log.fleet.aggregates.byUuid.get(aUuid(1))?.ratiosSet).toEqual({ VCPU: { by: 'ops', at: 1_000 } })
    expect(capacity(log.fleet)).toBe(8)
    log.append([{ ...aggregate(1, '7', 2), by: 'bob' }], { at: 6_000 })
    expect(log.fleet.aggregates.byUuid.get(aUuid(1))?.ratiosSet).toEqual({ VCPU: { by: 'bob', at: 6_000 } })
    expect(capacity(log.fleet)).toBe(56)
    expectSound(log.fleet)
  })

  test('a host that is forgotten loses what was set for it, and a replaced one keeps it', () => {
    const log = logWith(ours(), set({ ratio: 2 }))
    log.append([{ type: 'replace', hosts: [{ from: { host: 'h1', node: 'h1' }, to: { host: 'h2', node: 'h2' } }], reason: 'renamed' }])
    expect(capacity(log.fleet)).toBe(16)
    log.append([{ type: 'forget', hosts: [{ host: 'h2', node: 'h2' }], isForced: false, reason: 'scrapped' }])
    expect(log.fleet.hosts.get(H).allocation).toEqual({})
    expectSound(log.fleet)
  })
})

describe('one machine under two names', () => {
  const replaced: Change = {
    type: 'replace',
    hosts: [{ from: { host: 'h1', node: 'h1' }, to: { host: 'h2', node: 'h2' } }],
    reason: 'renamed',
  }
  const of2 = (edit: Partial<HostAllocationSet>) => set({ host: 'h2', node: 'h2', ...edit })

  test('what operators set of the host that another one goes into stays, value by value the last', () => {
    const log = logWith(ours(), aReport('h2', MACHINE), of2({ ratio: 2 }))
    log.append([set({ ratio: 3 }), set({ resourceClass: 'DISK_GB', reserved: 5 })], { at: 2_000 })
    log.append([of2({ reserved: 1 }), of2({ resourceClass: 'DISK_GB', reserved: 7 })], { at: 3_000 })
    expect(log.append([replaced])).toEqual([undefined])
    const { VCPU, DISK_GB } = log.fleet.hosts.get(H).allocation
    expect([VCPU?.ratio?.value, VCPU?.reserved?.value, DISK_GB?.reserved?.value]).toEqual([3, 1, 7])
    expect([capacity(log.fleet), capacity(log.fleet, 'DISK_GB')]).toEqual([21, 93])
    expect(log.fleet.hosts.get(1 as HostIndex).allocation).toEqual({})
    expectSound(log.fleet)
  })

  test('the renamed host has the least ratio of the aggregates that list its new name', () => {
    const log = logWith(ours(), aReport('h2', MACHINE), aggregate(1, '3'), aggregate(2, '2', 0, ['h2']))
    log.append([replaced])
    expect(saysRatio(log.fleet)).toEqual([3, 'AGGREGATE'])
    expectSound(log.fleet)
  })
})

describe("situations of Nova's and Placement's code", () => {
  const takes = (VCPU: number, key: string) => aClaim({ key, hosts: ['h1'], grants: { classes: { VCPU } } })

  test('placement inventory.py: a ratio below what is in use is allowed, gives nothing more, and takes nothing away', () => {
    const log = logWith(ours({ vcpusUsed: 6 }), takes(2, 'k1'), set({ ratio: 0.5 }))
    expect([capacity(log.fleet), log.fleet.hosts.classColumns('VCPU').free[H]]).toEqual([4, -4])
    expect(log.append([takes(1, 'k2')])).toEqual(['claim.no_room'])
    expect(log.fleet.ledger.reserved.size).toBe(1)
    log.append([set({ ratio: 2 })])
    expect(log.append([takes(1, 'k3')])).toEqual([undefined])
    expectSound(log.fleet)
  })

  test('placement inventory.py: more reserved than there is would be refused there; here nothing is left, until the host has more', () => {
    const log = logWith(ours(), set({ reserved: 9, ratio: 4 }))
    expect(capacity(log.fleet)).toBe(0)
    expect(log.append([takes(1, 'k1')])).toEqual(['claim.no_room'])
    log.append([ours({ vcpus: 10 }, 2)])
    expect(capacity(log.fleet)).toBe(4)
    // Placement allows as much reserved as there is since 1.26
    log.append([set({ reserved: 10 })])
    expect(capacity(log.fleet)).toBe(0)
    expectSound(log.fleet)
  })

  test('nova compute_node.py _from_db_object: once an override is taken away, a ratio of 0.0 or null is the configuration again', () => {
    const log = logWith(novaReport('h1'), fleetSet({ classes: { VCPU: { ratio: 3 } } }), set({ ratio: 5 }))
    log.append([novaReport('h1', { cpu_allocation_ratio: null }, 2)])
    expect(saysRatio(log.fleet)).toEqual([5, 'HOST'])
    log.append([set({ ratio: null })])
    expect(saysRatio(log.fleet)).toEqual([3, 'FLEET'])
    log.append([novaReport('h1', { cpu_allocation_ratio: 2 }, 3)])
    expect(saysRatio(log.fleet)).toEqual([2, 'REPORT'])
    expectSound(log.fleet)
  })

  test('the ratios of an aggregate that is removed, or that a host leaves, count no more', () => {
    const log = logWith(ours(), aggregate(1, '2'), aggregate(2, '5'))
    log.append([aggregate(1, '2', 1, [])])
    expect(saysRatio(log.fleet)).toEqual([5, 'AGGREGATE'])
    log.append([{ type: 'aggregate', uuid: aUuid(2), expectedVersion: 1, next: null }])
    expect(saysRatio(log.fleet)).toEqual([1, 'REPORT'])
    expect(log.append([takes(9, 'k1')])).toEqual(['claim.no_room'])
    expectSound(log.fleet)
  })

  test('a host that is disabled keeps what is set for it, and has it once it is enabled', () => {
    const status = (value: 'DISABLED' | 'ENABLED'): Change => ({ type: 'status', host: 'h1', node: 'h1', status: value, reason: 'works' })
    const log = logWith(ours(), status('DISABLED'), set({ ratio: 2 }), status('ENABLED'))
    expect(capacity(log.fleet)).toBe(16)
    expectSound(log.fleet)
  })

  test.each([
    [100, 0.29, 29],
    [3, 1.1, 3],
    [10, 1.15, 11],
    [1_000_000, 0.001, 1_000],
    [7, 2.0004, 14],
    [2 ** 30, 1_000, 2 ** 30 * 1_000],
  ])('placement int((total - reserved) * ratio) in floats says 28 of 100 x 0.29; here %i x %d is %i', (total, ratio, expected) => {
    const { fleet } = logWith(ours({ localGb: total }), set({ resourceClass: 'DISK_GB', ratio }))
    expect(capacity(fleet, 'DISK_GB')).toBe(expected)
    expectSound(fleet)
  })

  test.each([
    ['the configuration', [fleetSet({ classes: { MEMORY_MB: { reserved: 1_024 } } })], 8_192 - 1_024 - 1_000],
    ["Nova's default", [fleetSet({ release: 27 })], 8_192 - 512 - 1_512],
    [
      'an operator instead of it',
      [fleetSet({ classes: { MEMORY_MB: { reserved: 1_024 } } }), set({ resourceClass: 'MEMORY_MB', reserved: 2_048 })],
      8_192 - 2_048 - 1_000,
    ],
    ['nobody', [], 8_192 - 2_024],
  ])('nova resource_tracker.py counts as used what is reserved; it is kept back once: by %s', (_who, edits, free) => {
    const { fleet } = logWith(novaReport('h1', { memory_mb_used: 2_024, free_ram_mb: 6_168 }), ...edits)
    expect(fleet.hosts.classColumns('MEMORY_MB').free[H]).toBe(free)
    expectSound(fleet)
  })

  test('an inventory beside the plain numbers has its own ratio, and setting another class does not give it to the cells', () => {
    const shape = { cpuAllocationRatio: 2, numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096 }] }
    const log = logWith(ours({ ...shape, inventories: [{ resourceClass: 'VCPU', total: 8, allocationRatio: 4 }] }))
    const both = () => [capacity(log.fleet), log.fleet.hosts.get(H).cells[0]?.cpuFree]
    expect(both()).toEqual([32, 8])
    log.append([set({ resourceClass: 'MEMORY_MB', ratio: 2 })])
    expect(both()).toEqual([32, 8])
    log.append([set({ ratio: 3 })])
    expect(both()).toEqual([24, 12])
    expectSound(log.fleet)
  })
})

describe('below the level', () => {
  test('aggregates count for nothing, and raising it counts their hosts anew', () => {
    const log = aLog()
    const { by: _, ...edit } = aggregate(1, '6')
    log.append([{ type: 'feature', level: ALLOCATION_RULES - 1 }, ours(), edit])
    expect(capacity(log.fleet)).toBe(8)
    log.append([{ type: 'feature', level: ALLOCATION_RULES }])
    expect(capacity(log.fleet)).toBe(48)
    expectSound(log.fleet)
  })
})

/* Laws. The order of values is worked out here once more, by words of its own. */

interface Said {
  override?: number | undefined
  reported: number | null
  fleet?: number | undefined
  release: number | null
  /** 'bad': one says something that is no ratio. */
  aggregates: (number | 'bad' | null)[]
}

const expected = ({ override, reported, fleet, release, aggregates }: Said): number => {
  const given = aggregates.filter((ratio) => ratio !== null)
  if (override !== undefined) return override
  if (given.length > 0 && !given.includes('bad')) return Math.min(...given.map(Number))
  return reported ?? fleet ?? (release === null ? 1 : release < 27 ? 16 : 4)
}

const ratio = fc.integer({ min: 1, max: 40 }).map((quarters) => quarters / 4)
const step = fc.oneof(
  fc.record({ what: fc.constant('override' as const), ratio: fc.option(ratio) }),
  fc.record({ what: fc.constant('aggregate' as const), which: fc.nat({ max: 1 }), ratio: fc.oneof(ratio, fc.constantFrom('bad', null)) }),
  fc.record({ what: fc.constant('report' as const), ratio: fc.option(ratio) }),
  fc.record({ what: fc.constant('fleet' as const), ratio: fc.option(ratio), release: fc.option(fc.integer({ min: 20, max: 33 })) }),
)

test('whatever is said in whatever order, the first that says a ratio counts; no report overwrites an override; every revision replays alike', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const log = logWith(novaReport('h1'))
      const said: Said = { reported: null, release: null, aggregates: [null, null] }
      const versions = [0, 0]
      const seen: string[] = []
      for (const [i, one] of steps.entries()) {
        let change: Change
        if (one.what === 'override') {
          said.override = one.ratio ?? undefined
          change = set({ ratio: one.ratio })
        } else if (one.what === 'aggregate') {
          said.aggregates[one.which] = one.ratio
          change = aggregate(one.which + 1, one.ratio === null ? undefined : String(one.ratio), versions[one.which])
          versions[one.which] = (versions[one.which] ?? 0) + 1
        } else if (one.what === 'report') {
          said.reported = one.ratio
          change = novaReport('h1', { cpu_allocation_ratio: one.ratio ?? 0 }, i + 2)
        } else {
          said.fleet = one.ratio ?? undefined
          said.release = one.release
          const classes = one.ratio === null ? {} : { VCPU: { ratio: one.ratio } }
          change = fleetSet({ release: one.release, classes }, log.fleet.hosts.fleetAllocation.version)
        }
        expect(log.append([change])).toEqual([undefined])
        expect(log.fleet.hosts.classColumns('VCPU').ratioMilli[H]).toBe(expected(said) * 1_000)
        expect(capacity(log.fleet)).toBe(Math.floor(8 * expected(said)))
        seen.push(canonicalJson(checkpointOf(log.fleet)))
      }
      expectSound(log.fleet)
      const again = new Fleet()
      for (const [i, entry] of log.entries.entries()) {
        again.apply(entry)
        if (i > 0) expect(canonicalJson(checkpointOf(again))).toBe(seen[i - 1])
      }
    }),
    { seed: 1, numRuns: 150 },
  )
})
