import { expect, test } from 'vitest'
import { consumeGuest } from './consume-guest.ts'
import { fitGuest } from './search/fit-guest.ts'
import { aGuest, aGuestCell, aHost, aHostCell, numbers } from './testing.ts'
import type { GuestCell, HostCell } from './topology.ts'

const mempages = [
  { sizeKib: 2048, total: 1024, used: 8, reserved: 0 },
  { sizeKib: 4, total: 1_048_576, used: 0, reserved: 0 },
]
const after = (host: Partial<HostCell>, guest: Partial<GuestCell>) =>
  consumeGuest(aHost(aHostCell(0, { mempages, ...host })), aGuest([aGuestCell(0, guest)])).cells[0]

test('a guest uses memory, shared CPUs, and pages of the smallest size', () => {
  expect(after({ memoryUsage: 100, cpuUsage: 1 }, {})).toMatchObject({
    memoryUsage: 612,
    cpuUsage: 3,
    pinnedCpus: [],
    mempages: [mempages[0], { ...mempages[1], used: 131_072 }],
  })
})

test('a guest with a page size uses pages of this size', () => {
  expect(after({}, { pagesize: 2048 })?.mempages).toEqual([{ ...mempages[0], used: 264 }, mempages[1]])
})

test('the CPUs of a pinned guest and of its emulator become pinned on the host', () => {
  const guest = { cpuPolicy: 'dedicated', cpuPinning: { 0: 4, 1: 5 }, cpusetReserved: [6] } as const
  expect(after({ pinnedCpus: [0] }, guest)).toMatchObject({ cpuUsage: 0, pinnedCpus: [0, 4, 5, 6] })
})

test('a guest with the thread policy isolate uses whole cores', () => {
  const guest = { cpuPolicy: 'dedicated', cpuThreadPolicy: 'isolate', cpuPinning: { 0: 0, 1: 4 } } as const
  expect(after({}, guest)?.pinnedCpus).toEqual([0, 1, 4, 5])
})

test('host cells that the guest does not use are unchanged', () => {
  const host = aHost(aHostCell(0, { mempages }), aHostCell(1, { mempages }))
  expect(consumeGuest(host, aGuest([aGuestCell(1)])).cells[0]).toEqual(host.cells[0])
})

test.each([
  ['pins on CPUs that are pinned already', { pinnedCpus: [4] }, { cpuPolicy: 'dedicated', cpuPinning: { 0: 4 } }, 'CPUPinningInvalid'],
  ['pins on CPUs of another cell', {}, { cpuPolicy: 'dedicated', cpuPinning: { 0: 99 } }, 'CPUPinningUnknown'],
  ['a pinned guest without pins', {}, { cpuPolicy: 'dedicated' }, 'AttributeError'],
  ['a cell without memory pages', { mempages: [] }, {}, 'IndexError'],
  ['a host that has not set its pinnable CPUs', { pcpuset: undefined }, {}, 'NotImplementedError'],
  ['a host that has not set its sockets', { socket: undefined }, {}, 'NotImplementedError'],
] as const)('%s: an error', (_name, host, guest, kind) => {
  expect(() => after(host, guest)).toThrow(expect.objectContaining({ kind }))
})

test('when guests fill a host, no CPU is pinned twice', () => {
  let host = aHost(aHostCell(0, { mempages }), aHostCell(1, { mempages }))
  let count = 0
  for (;;) {
    const guest = aGuest([aGuestCell(0, { cpuPolicy: 'dedicated', pcpuset: numbers(3) })], { emulatorThreadsPolicy: 'isolate' })
    const fit = fitGuest(host, guest, { limits: null, search: 'pairs' })
    if (!fit.ok) break
    host = consumeGuest(host, fit.guest)
    count += 1
  }
  expect([count, ...host.cells.map((cell) => cell.pinnedCpus.length)]).toEqual([4, 8, 8])
})
