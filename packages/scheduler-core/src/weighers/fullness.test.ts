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

test('fullness is the product of all free amounts; a host with none of one resource is full, and an over-full host is not fuller', () => {
  expect(rawOf()).toEqual([-2_000, 0, 0])
})

test('the options list the resources that are considered', () => {
  expect(rawOf({ resources: ['MEMORY_MB'] })).toEqual([-500, -1_000, 0])
  expect(() => fullnessWeigher.checkOptions?.({ resources: [] })).toThrow(RangeError)
})
