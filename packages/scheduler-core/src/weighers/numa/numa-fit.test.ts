import { expect, test } from 'vitest'
import { aFleet, aRequest } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { numaFitWeigher } from './numa-fit.ts'

const cell = (id: number, cpuUsage: number) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: 400, cpuUsage })
const guest = (...cpus: number[]) => ({
  numaTopology: { cells: cpus.map((count, id) => ({ id, cpus: Array.from({ length: count }, (_, cpu) => cpu), memoryMb: 10 })) },
})

test.each([
  ['one guest cell: the score is from the fullest cell on which it fits', guest(1), -0.25],
  ['a cell on which the guest does not fit is skipped', guest(2), -1],
  ['several guest cells: the free shares of all chosen cells are added', guest(1, 2), -1.25],
  ['a guest without topology: all hosts get the same score', {}, 0],
])('%s', (_name, shape, raw) => {
  const fleet = aFleet({ h1: { numaCells: [cell(0, 0), cell(1, 3)] } })
  expect(numaFitWeigher.prepare(aRequest(shape), fleet, {}, 1)(0 as HostIndex)).toBe(raw)
})
