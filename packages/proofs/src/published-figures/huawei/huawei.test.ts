import { describe, expect, test } from 'vitest'
import { Departures } from '../departures.ts'
import { trimmedMean } from '../statistics.ts'
import { runHuaweiFill } from './fill.ts'
import type { HuaweiVm } from './vms.ts'
import { runHuaweiWait } from './wait.ts'

/** VMs as [vcpus, memoryGb, arrivalS, lifetimeS], numbered from 1. */
const vms = (...rows: readonly (readonly [number, number, number, number])[]): HuaweiVm[] =>
  rows.map(([vcpus, memoryGb, arrivalS, lifetimeS], i) => ({ id: i + 1, vcpus, memoryGb, arrivalS, lifetimeS }))

const waitOn = (list: readonly HuaweiVm[], profile: string, hosts = 1) =>
  runHuaweiWait({ vms: list, starts: [1], hosts, profile, seed: '1' })

describe('waiting', () => {
  test('a VM waits until it fits, and every VM after it waits too', async () => {
    // Both cells are full until time 50. The third VM then uses a whole cell until time 60. Only then do the CPUs become free that the
    // small fourth VM needs.
    const list = vms([40, 10, 0, 100], [40, 10, 0, 50], [40, 10, 10, 10], [1, 1, 20, 5])
    expect(await waitOn(list, 'first-fit')).toMatchObject({ meanWaitSeconds: 40 + 40, vms: 4, episodes: 1 })
  })

  test('a VM with more than 10 GB needs half of its resources in each of the two cells', async () => {
    // All 40 CPUs of one cell are used until time 30. A split VM cannot start before, although the other cell has 40 free CPUs.
    const list = vms([40, 10, 0, 30], [2, 12, 5, 1], [2, 10, 5, 1])
    expect((await waitOn(list, 'first-fit')).meanWaitSeconds).toBe(25 + 25)
  })

  test('a VM that ends in the same second in which another arrives frees its resources for the other', async () => {
    const list = vms([64, 128, 0, 30], [64, 128, 30, 1])
    expect((await waitOn(list, 'first-fit')).meanWaitSeconds).toBe(0)
  })

  test('filling the emptiest cell leaves resources for split VMs, and filling the first cell does not', async () => {
    // First-fit fills cell 0 with 30 + 10 CPUs. With emptiest-first, 30 and 10 CPUs of the cells are in use, and a VM with 10 CPUs in each
    // cell still fits.
    const list = vms([30, 5, 0, 100], [10, 5, 0, 100], [20, 20, 1, 1])
    expect((await waitOn(list, 'first-fit')).meanWaitSeconds).toBe(99)
    expect((await waitOn(list, 'ff-host-even-cell')).meanWaitSeconds).toBe(0)
    expect((await waitOn(list, 'balance-fit')).meanWaitSeconds).toBe(0)
  })

  test('a VM that does not fit on an empty host is reported as an error of the trace', async () => {
    await expect(waitOn(vms([41, 5, 0, 1]), 'first-fit')).rejects.toThrow('VM 1 (41 vCPU, 5 GB) does not fit on an empty host')
  })

  test('an episode that begins at an unknown VM is reported as an error of the trace', async () => {
    const run = runHuaweiWait({ vms: vms([1, 1, 0, 1]), starts: [9], hosts: 1, profile: 'first-fit', seed: '1' })
    await expect(run).rejects.toThrow('an episode begins at VM 9, which the list of VMs does not have')
  })
})

describe('filling', () => {
  const fill = (list: readonly HuaweiVm[], profile: string, hosts: number) => runHuaweiFill({ vms: list, hosts, profile, seed: '1' })

  test('a VM that fits on no host is rejected, and every deletion frees resources', async () => {
    const list = vms([40, 10, 0, 10], [64, 128, 5, 10], [64, 128, 10, 10])
    expect(await fill(list, 'first-fit', 1)).toEqual({ vms: 3, rejected: 1, rejectedVcpus: 64, peakHosts: 1 })
    expect(await fill(list, 'first-fit', 2)).toEqual({ vms: 3, rejected: 0, rejectedVcpus: 0, peakHosts: 2 })
  })

  test('a VM is placed on the fullest host that fits it, and not on the first one or on an empty one', async () => {
    // From time 10 on, half of h0 and half of h1 are in use, and h2 is empty. h2 stays free for the large VM only if the fourth VM goes to
    // h0 or h1.
    const list = vms([40, 10, 0, 10], [40, 10, 0, 99], [40, 10, 0, 99], [40, 10, 11, 99], [64, 128, 12, 1])
    for (const profile of ['best-fit', 'best-fit-host', 'bf-host-even-cell']) expect((await fill(list, profile, 3)).rejected).toBe(0)
    // From time 10 on, 30 CPUs of h0 and 40 of h1 are in use. The last VM needs 10 CPUs in each cell of a host, which h0 has only if the VM
    // before it goes to h1.
    const second = vms([40, 10, 0, 10], [30, 10, 0, 99], [40, 10, 0, 99], [40, 10, 11, 99], [20, 20, 12, 1])
    for (const profile of ['best-fit-host', 'bf-host-even-cell']) expect((await fill(second, profile, 2)).rejected).toBe(0)
    expect((await fill(second, 'first-fit', 2)).rejected).toBe(1)
  })
})

test('departures are returned in order of time', () => {
  const departures = new Departures<string>()
  for (const at of [5, 1, 4, 1, 3, 9, 2]) departures.add(at, String(at))
  expect(departures.next).toBe(1)
  expect(Array.from({ length: 7 }, () => departures.take())).toEqual(['1', '1', '2', '3', '4', '5', '9'])
  expect([departures.size, departures.next, departures.take()]).toEqual([0, undefined, undefined])
})

test('a trimmed mean ignores the given share of the smallest and of the largest values', () => {
  expect(trimmedMean([100, 1, 2, 3, 4, 5, 6, 7, 8, -50], 0.1)).toBe(36 / 8)
  expect(trimmedMean([1, 2, 6], 0.1)).toBe(3)
})
