import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { checkpointOf } from '../fleet/checkpoint.ts'
import { Fleet } from '../fleet/fleet.ts'
import type { Change } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ALLOCATION_RULES } from '../values/levels.ts'
import { ratioOf, reservedOf } from './allocation.ts'
import { aggregate, capacity, expectSound, fleetSet, H, logWith, MACHINE, novaReport, ours, saysRatio, set } from './testing/allocation.ts'

describe('the precedence of the sources of a ratio', () => {
  const all = [fleetSet({ release: 26, classes: { VCPU: { ratio: 3 } } }), aggregate(1, '6'), aggregate(2, '5'), set({ ratio: 2 })]
  test.each<readonly [string, readonly Change[], number, string]>([
    ['an override of the host comes first', [novaReport('h1', { cpu_allocation_ratio: 7 }), ...all], 2, 'HOST'],
    ['the lowest ratio of its aggregates is second', [novaReport('h1', { cpu_allocation_ratio: 1.5 }), ...all.slice(0, 3)], 5, 'AGGREGATE'],
    ["the report's own ratio is third", [novaReport('h1', { cpu_allocation_ratio: 7 }), ...all.slice(0, 1)], 7, 'REPORT'],
    ['the ratio of the fleet replaces a 0.0 of Nova', [novaReport('h1'), ...all.slice(0, 1)], 3, 'FLEET'],
    ["Nova's default of the release is after the fleet's ratio", [novaReport('h1'), fleetSet({ release: 26 })], 16, 'NOVA_DEFAULT'],
    ['the default of the release is lower from 2023.1 on', [novaReport('h1'), fleetSet({ release: 27 })], 4, 'NOVA_DEFAULT'],
    ['the ratio is 1 if no release is set', [novaReport('h1'), fleetSet({})], 1, 'NONE'],
    ['the ratio is 1 if nothing was imported', [novaReport('h1')], 1, 'NONE'],
    [
      'the ratio is 1 for a report in this service’s form without a ratio',
      [ours(), fleetSet({ release: 26, classes: { VCPU: { ratio: 3 } } })],
      1,
      'REPORT',
    ],
  ])('%s', (_name, changes, ratio, source) => {
    const { fleet } = logWith(...changes)
    expect(saysRatio(fleet)).toEqual([ratio, source])
    expect(capacity(fleet)).toBe(8 * ratio)
    expectSound(fleet)
  })

  test.each(['lots', '0', '-1', 'inf', 'nan', '1001', ''])(
    'nova filters/utils.py validate_num_values: if one aggregate has the invalid ratio %j, the ratios of all aggregates are ignored',
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
    ['an override of the host comes first', [ours({ inventories }), set({ resourceClass: 'MEMORY_MB', reserved: 64 })], 64, 'HOST'],
    ['the inventory is second', [ours({ inventories }), fleetSet({ classes: { MEMORY_MB: { reserved: 7 } } })], 100, 'REPORT'],
    [
      'the value of the fleet applies to a document of Nova',
      [novaReport('h1'), fleetSet({ classes: { MEMORY_MB: { reserved: 7 } } })],
      7,
      'FLEET',
    ],
    ["Nova's default of the release is after the fleet's value", [novaReport('h1'), fleetSet({ release: 20 })], 512, 'NOVA_DEFAULT'],
    ['the reserved amount is 0 if no release is set', [novaReport('h1')], 0, 'NONE'],
    ['the reserved amount is 0 for a report in this service’s form', [ours(), fleetSet({ release: 20 })], 0, 'REPORT'],
  ])('%s', (_name, changes, reserved, source) => {
    const { fleet } = logWith(...changes)
    expect(kept(fleet)).toEqual([reserved, source])
    const ratio = ratioOf(fleet.hosts, fleet.hosts.get(H), 'MEMORY_MB').value
    expect(capacity(fleet, 'MEMORY_MB')).toBe((8_192 - reserved) * ratio)
    expectSound(fleet)
  })

  test('a reserved amount above the total leaves a capacity of 0', () => {
    const { fleet } = logWith(ours(), set({ reserved: 9 }))
    expect(capacity(fleet)).toBe(0)
    expectSound(fleet)
  })
})

describe('claims are judged by the values that operators set', () => {
  const eightMore = (key: string) => aClaim({ key, hosts: ['h1'], grants: { classes: { VCPU: 8 } } })
  test('with a ratio of 2, two instances of 8 CPUs fit on 8 CPUs, and a third one does not', () => {
    const log = logWith(ours(), set({ ratio: 2 }))
    expect(log.append([eightMore('k1'), eightMore('k2'), eightMore('k3')])).toEqual([undefined, undefined, 'claim.no_room'])
    expectSound(log.fleet)
  })

  test('after a ratio is edited, a claim decided before the edit is void, and existing claims stay', () => {
    const log = logWith(ours(), set({ ratio: 2 }))
    log.append([eightMore('k1'), eightMore('k2')])
    const basis = log.fleet.place
    expect(log.append([set({ ratio: null })])).toEqual([undefined])
    expect(log.append([eightMore('k3')], { basis })).toEqual(['claim.edited'])
    expect(log.fleet.hosts.classColumns('VCPU').free[H]).toBe(-8)
    expect(log.fleet.ledger.lapsing.size).toBe(2)
    expectSound(log.fleet)
  })

  test('a VCPU ratio that an operator sets also applies to the NUMA cells of the host, as in Nova', () => {
    const cells = { numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096 }] }
    const { fleet } = logWith(ours(cells), set({ ratio: 3 }))
    expect(fleet.hosts.get(H).cells[0]?.cpuFree).toBe(12)
    expectSound(fleet)
  })
})

describe('edits of ratios and reserved amounts', () => {
  test("an edit of the fleet's values is void if it names an old version, and applies to hosts without values of their own", () => {
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

  test('an edit with a value out of range is void, and so is an edit of an unknown host', () => {
    const log = logWith(ours())
    expect(log.append([set({ ratio: 0 }), set({ reserved: 1.5 }), set({ host: 'h9', node: 'h9', ratio: 1 })])).toEqual([
      'allocation.range',
      'allocation.range',
      'report.unknown_host',
    ])
    expect(log.append([fleetSet({ classes: { VCPU: { ratio: 1_001 } } })])).toEqual(['allocation.range'])
  })

  test('an edit of the reserved amount leaves the ratio unchanged, including its author and time', () => {
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

  test('an edit of an aggregate keeps the author of its ratio, unless the edit changes the ratio', () => {
    const log = logWith(ours(), aggregate(1, '6'))
    log.append([{ ...aggregate(1, '6', 1, []), by: 'bob' }], { at: 5_000 })
    expect(log.fleet.aggregates.byUuid.get(aUuid(1))?.ratiosSet).toEqual({ VCPU: { by: 'ops', at: 1_000 } })
    expect(capacity(log.fleet)).toBe(8)
    log.append([{ ...aggregate(1, '7', 2), by: 'bob' }], { at: 6_000 })
    expect(log.fleet.aggregates.byUuid.get(aUuid(1))?.ratiosSet).toEqual({ VCPU: { by: 'bob', at: 6_000 } })
    expect(capacity(log.fleet)).toBe(56)
    expectSound(log.fleet)
  })

  test('a replaced host keeps the ratio that an operator set, and a forgotten host loses it', () => {
    const log = logWith(ours(), set({ ratio: 2 }))
    log.append([{ type: 'replace', hosts: [{ from: { host: 'h1', node: 'h1' }, to: { host: 'h2', node: 'h2' } }], reason: 'renamed' }])
    expect(capacity(log.fleet)).toBe(16)
    log.append([{ type: 'forget', hosts: [{ host: 'h2', node: 'h2' }], isForced: false, reason: 'scrapped' }])
    expect(log.fleet.hosts.get(H).allocation).toEqual({})
    expectSound(log.fleet)
  })
})

describe('below feature level ALLOCATION_RULES', () => {
  test('ratios of aggregates do not apply, and raising the feature level applies them to the capacity of hosts', () => {
    const log = aLog()
    const { by: _, ...edit } = aggregate(1, '6')
    log.append([{ type: 'feature', level: ALLOCATION_RULES - 1 }, ours(), edit])
    expect(capacity(log.fleet)).toBe(8)
    log.append([{ type: 'feature', level: ALLOCATION_RULES }])
    expect(capacity(log.fleet)).toBe(48)
    expectSound(log.fleet)
  })
})

/*
 * Properties that are tested on random hosts. The order in which the sources of a ratio take precedence is implemented here a second time,
 * independently of the product.
 */

interface Sources {
  override?: number | undefined
  reported: number | null
  fleet?: number | undefined
  release: number | null
  /** The ratio that each aggregate of the host sets, if any. `bad` stands for an invalid value. */
  aggregates: (number | 'bad' | null)[]
}

export const expected = ({ override, reported, fleet, release, aggregates }: Sources): number => {
  const given = aggregates.filter((ratio) => ratio !== null)
  if (override !== undefined) return override
  if (given.length > 0 && !given.includes('bad')) return Math.min(...given.map(Number))
  return reported ?? fleet ?? (release === null ? 1 : release < 27 ? 16 : 4)
}

export const ratio = fc.integer({ min: 1, max: 40 }).map((quarters) => quarters / 4)
const step = fc.oneof(
  fc.record({ what: fc.constant('override' as const), ratio: fc.option(ratio) }),
  fc.record({ what: fc.constant('aggregate' as const), which: fc.nat({ max: 1 }), ratio: fc.oneof(ratio, fc.constantFrom('bad', null)) }),
  fc.record({ what: fc.constant('report' as const), ratio: fc.option(ratio) }),
  fc.record({ what: fc.constant('fleet' as const), ratio: fc.option(ratio), release: fc.option(fc.integer({ min: 20, max: 33 })) }),
)

test('law: the first source with a ratio applies, no report overwrites an override, and every revision replays identically', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const log = logWith(novaReport('h1'))
      const sources: Sources = { reported: null, release: null, aggregates: [null, null] }
      const versions = [0, 0]
      const seen: string[] = []
      for (const [i, one] of steps.entries()) {
        let change: Change
        if (one.what === 'override') {
          sources.override = one.ratio ?? undefined
          change = set({ ratio: one.ratio })
        } else if (one.what === 'aggregate') {
          sources.aggregates[one.which] = one.ratio
          change = aggregate(one.which + 1, one.ratio === null ? undefined : String(one.ratio), versions[one.which])
          versions[one.which] = (versions[one.which] ?? 0) + 1
        } else if (one.what === 'report') {
          sources.reported = one.ratio
          change = novaReport('h1', { cpu_allocation_ratio: one.ratio ?? 0 }, i + 2)
        } else {
          sources.fleet = one.ratio ?? undefined
          sources.release = one.release
          const classes = one.ratio === null ? {} : { VCPU: { ratio: one.ratio } }
          change = fleetSet({ release: one.release, classes }, log.fleet.hosts.fleetAllocation.version)
        }
        expect(log.append([change])).toEqual([undefined])
        expect(log.fleet.hosts.classColumns('VCPU').ratioMilli[H]).toBe(expected(sources) * 1_000)
        expect(capacity(log.fleet)).toBe(Math.floor(8 * expected(sources)))
        seen.push(canonicalJson(checkpointOf(log.fleet)))
      }
      expectSound(log.fleet)
      const again = new Fleet()
      for (const [i, entry] of log.entries.entries()) {
        again.apply(entry)
        if (i > 0) expect(canonicalJson(checkpointOf(again))).toBe(seen[i - 1])
      }
    }),
    { seed: 1, numRuns: byExtent(50, 150) },
  )
})
