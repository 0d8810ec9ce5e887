import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aLog, aReport, aRequest, type HostShape } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { countCapacity } from '../what-if/capacity.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

test('A13b: if two codes have equally many hosts, the cause and the first bottleneck have the code of the nearest host', () => {
  const log = aLog()
  const shapes = { h0: { vcpus: 8, memoryMb: 2_000 }, h1: { vcpus: 8, memoryMb: 4_000, memoryMbUsed: 3_900 } }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
  const request = aRequest({ memoryMb: 3_000 })
  for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'].map(profileNamed)) {
    const cause = causeOf(log.fleet, request, profile)
    expect([profile.name, cause.code, causeText(cause)]).toEqual([
      ...[profile.name, 'memory.short'],
      'Of 2 hosts none takes it: 1 with too little memory left, 1 with too little memory in total. Nearest is h1: Memory: 3000 MiB needed, 100 free.',
    ])
    const options = { request, profile, seed: 's', limit: 10, groupsOf: () => ['all'], isOver: () => false }
    expect(atOnce(countCapacity(log.fleet, options)).bottlenecks[0]?.code).toBe('memory.short')
  }
})

test('a host that only has to be emptied is nearer than a host that is too small', () => {
  const log = aLog()
  const shapes = {
    small: { vcpus: 8, memoryMb: 2_999 },
    full: { vcpus: 8, memoryMb: 3_000, memoryMbUsed: 3_000 },
    fuller: { vcpus: 8, vcpusUsed: 8, memoryMb: 3_000, memoryMbUsed: 3_000 },
  }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
  for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'].map(profileNamed)) {
    const { nearest } = causeOf(log.fleet, aRequest({ memoryMb: 3_000 }), profile)
    expect([profile.name, nearest?.name.host]).toEqual([profile.name, 'full'])
  }
})

describe('the nearest host', () => {
  const nearestOf = (
    shapes: Readonly<Record<string, HostShape>>,
    asks: Parameters<typeof aRequest>[0],
    profile = profileNamed('default'),
  ) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
    if ('closed' in shapes) log.append([{ type: 'status', host: 'closed', node: 'closed', status: 'DISABLED', reason: 'test' }])
    return causeOf(log.fleet, aRequest(asks), profile).nearest?.name.host
  }

  test('a host with more memory in use than it has is nearer than a host that is too small', () => {
    const gpus = (count: number) => Array.from({ length: count }, (_, index) => ({ index, usedMilli: 0 }))
    const shapes = {
      small: { vcpus: 8, memoryMb: 65_536, gpus: gpus(1) },
      full: { vcpus: 8, memoryMb: 65_536, memoryMbUsed: 131_072, gpus: gpus(4) },
    }
    expect(nearestOf(shapes, { memoryMb: 1_024, gpus: { count: 2 } })).toBe('full')
  })

  test('a disabled host is farther than a host with too little of twenty resource classes', () => {
    const classes = Array.from({ length: 20 }, (_, i) => `CUSTOM_C${i}`)
    const inventories = (total: number) => classes.map((resourceClass) => ({ resourceClass, total }))
    const shapes = { tiny: { inventories: inventories(1) }, closed: { inventories: inventories(9) } }
    const amounts = classes.map((resourceClass) => ({ resourceClass, amount: 2 }))
    expect(
      nearestOf(shapes, { requestedResources: [{ suffix: '', amounts, requiredTraits: [], forbiddenTraits: [], memberOf: [] }] }),
    ).toBe('tiny')
  })

  test.each([1, 5, 9, 40])('two filters of one resource count once, with %i other hosts', (others) => {
    const compat = profileNamed('nova-compat')
    const profile = { ...compat, filters: [...compat.filters, { name: 'AggregateRamFilter', options: {} }] }
    const shapes = Object.fromEntries(
      Array.from({ length: others }, (_, i) => [`b${i}`, { vcpus: 8, memoryMb: 4_096, localGb: 25 }] as const),
    )
    const asks = { flavor: { vcpus: 1, memoryMb: 1_001, rootGb: 60 } }
    expect(nearestOf({ ...shapes, a: { vcpus: 8, memoryMb: 1_000, localGb: 100 } }, asks, profile)).toBe('a')
  })
})

test('if two hosts are equally near, the host that reported first is the nearest, regardless of their names', () => {
  for (const names of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...names.map((name) => aReport(name, { vcpus: 8 }))])
    expect(causeOf(log.fleet, aRequest({ vcpus: 9 }), profileNamed('default')).nearest?.name.host).toBe(names[0])
  }
})
