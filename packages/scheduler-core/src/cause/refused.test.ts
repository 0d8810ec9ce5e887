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
      ...[profile.name, 'memory.too_little'],
      'Of 2 hosts none takes it: 1 with too little memory in total, 1 with too little memory left. Nearest is h0: 3000 MiB needed by one instance; the host has 2000 MiB in total.',
    ])
    const options = { request, profile, seed: 's', limit: 10, groupsOf: () => ['all'], isOver: () => false }
    expect(atOnce(countCapacity(log.fleet, options)).bottlenecks[0]?.code).toBe('memory.too_little')
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
