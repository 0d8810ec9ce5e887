import { expect, test } from 'vitest'
import { aFleet, aRequest } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { fullnessWeigher } from './fullness.ts'

const rawOf = (options = {}) => {
  const fleet = aFleet({
    half: { vcpus: 8, vcpusUsed: 4, memoryMb: 1_000, memoryMbUsed: 500 },
    cpuOnly: { vcpus: 8, vcpusUsed: 8, memoryMb: 1_000 },
    over: { vcpus: 8, vcpusUsed: 9, memoryMb: 1_000, memoryMbUsed: 1_001 },
  })
  const raw = fullnessWeigher.prepare(aRequest(), fleet, options, 1)
  return [0, 1, 2].map((host) => raw(host as HostIndex) + 0)
}

test('fullness is minus the product of the free amounts; a host with no free CPUs is full, and an overused host is not fuller', () => {
  expect(rawOf()).toEqual([-2_000, 0, 0])
})

test('FullnessWeigher considers the resources that its options list', () => {
  expect(rawOf({ resources: ['MEMORY_MB'] })).toEqual([-500, -1_000, 0])
  expect(() => fullnessWeigher.checkOptions?.({ resources: [] })).toThrow(RangeError)
})
