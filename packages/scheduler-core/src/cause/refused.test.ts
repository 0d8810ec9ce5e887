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

  test('a host with too little in total is farther, even if the reason does not say "in total"', () => {
    const cell = (id: number, memoryMb: number, used: number) => ({ id, cpuset: [id * 4, id * 4 + 1], memoryMb, memoryUsageMb: used })
    const cells = [0, 1].map((id) => ({ id, cpus: [id * 2, id * 2 + 1], memoryMb: 1_000 }))
    const guest = { flavor: { vcpus: 4, memoryMb: 2_000 }, numaTopology: { cells } }
    const shapes = {
      small: { vcpus: 8, memoryMb: 8_192, numaCells: [cell(0, 4_096, 0)] },
      full: { vcpus: 8, memoryMb: 8_192, memoryMbUsed: 8_192, numaCells: [cell(0, 4_096, 4_096), cell(1, 4_096, 4_096)] },
    }
    expect(nearestOf(shapes, guest)).toBe('full')
    const one = { inventories: [{ resourceClass: 'CUSTOM_F', total: 1 }] }
    const amounts = [{ resourceClass: 'CUSTOM_F', amount: 2 }]
    const requestedResources = [{ suffix: '', amounts, requiredTraits: [], forbiddenTraits: [], memberOf: [] }]
    expect(nearestOf({ none: {}, one }, { forceHosts: ['none', 'one'], availabilityZone: 'z9', requestedResources })).toBe('one')
  })

  test('the GPU models of a host are not a further shortfall if the host lacks GPUs of the requested model', () => {
    const gpus = (...models: [string, number][]) => models.map(([model, usedMilli], index) => ({ index, model, usedMilli }))
    const small = gpus(['A100', 0])
    const full = gpus(['A100', 1_000], ['A100', 1_000], ['T4', 0])
    const asks = { gpus: { count: 2, models: ['A100'] } }
    expect(nearestOf({ small: { gpus: small }, full: { gpus: full } }, asks)).toBe('full')
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h', { gpus: gpus(['A100', 0], ['T4', 0]) })])
    expect(causeText(causeOf(log.fleet, aRequest(asks), profileNamed('default')))).toMatch(
      / h: 2 GPUs of model A100 needed; the host has 1 in total\.$/,
    )
  })

  test.each([1, 7, 8, 40])('the cells that a reason compares do not determine the nearest host, with %i other hosts', (others) => {
    const cell = (id: number, cpus: number, used: number) => ({
      ...{ id, memoryMb: 2_000, memoryUsageMb: used },
      cpuset: Array.from({ length: cpus }, (_, cpu) => id * 10 + cpu),
    })
    const a = { vcpus: 16, memoryMb: 8_000, numaCells: [cell(0, 4, 1_100), cell(1, 1, 0)] }
    const b = { vcpus: 16, memoryMb: 8_000, numaCells: [cell(0, 4, 1_500)] }
    const asks = { flavor: { vcpus: 4, memoryMb: 1_000 }, numaTopology: { cells: [{ id: 0, cpus: [0, 1, 2, 3], memoryMb: 1_000 }] } }
    expect(nearestOf({ ...Object.fromEntries(Array.from({ length: others }, (_, i) => [`b${i}`, b])), a }, asks)).toBe('a')
  })

  test.each([1, 8, 40])('a filter that is listed twice counts once, with %i other hosts', (others) => {
    const standard = profileNamed('default')
    const profile = { ...standard, filters: [...standard.filters, { name: 'ComputeFilter', options: {} }] }
    const asks = { forceHosts: Array.from({ length: others }, (_, i) => `b${i}`).concat('closed'), gpus: { count: 2 } }
    const shapes = Object.fromEntries(Array.from({ length: others }, (_, i) => [`b${i}`, { omitted: ['gpus'] } as HostShape]))
    const closed = { gpus: [0, 1].map((index) => ({ index })) }
    const once = nearestOf({ ...shapes, closed }, asks)
    expect(nearestOf({ ...shapes, closed }, asks, profile)).toBe(once)
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
