import { expect, test } from 'vitest'
import { builtInProfiles } from '../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aLog, aReport, aRequest } from '../testing/index.ts'
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
