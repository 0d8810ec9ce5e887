import { expect, test } from 'vitest'
import { aGuestCell, aHostCell, numbers } from '../testing.ts'
import type { GuestCell, HostCell, MemoryPages, NumaLimits } from '../topology.ts'
import { fitCell } from './fit-cell.ts'

const pages = (sizeKib: number, total: number, used = 0, reserved = 0): MemoryPages => ({ sizeKib, total, used, reserved })
const SMALL = pages(4, 1_048_576)
const LARGE = pages(2048, 512)
const HUGE = pages(1_048_576, 2)
const mempages = [SMALL, HUGE, LARGE]
const pinned = (count: number, more: Partial<GuestCell> = {}): Partial<GuestCell> => ({
  cpuPolicy: 'dedicated',
  cpuset: [],
  pcpuset: numbers(count),
  ...more,
})
const mixed = (shared: number, own: number): Partial<GuestCell> => ({
  cpuPolicy: 'mixed',
  cpuset: numbers(shared),
  pcpuset: numbers(own, shared),
})

/**
 * A test case. `host` and `guest` are the fields in which the two cells differ from the default cells. The expected result is a refusal or
 * the chosen CPUs. With `emulator`, the guest needs one more CPU for the emulator.
 */
interface Row {
  readonly name: string
  readonly host?: Partial<HostCell>
  readonly guest?: Partial<GuestCell>
  readonly limits?: NumaLimits
  readonly emulator?: number
  readonly why?: object
  readonly cell?: Partial<GuestCell>
}

const rows: readonly Row[] = [
  { name: 'the fitted cell has the id of the host cell', cell: { id: 7 } },
  { name: 'as much memory as the cell has', guest: { memory: 4096 }, cell: {} },
  { name: 'more memory than the cell has', guest: { memory: 4097 }, why: { code: 'numa.memory', need: 4097, have: 4096, unit: 'MiB' } },
  { name: 'memory in use does not count without a ratio', host: { memoryUsage: 4096 }, cell: {} },
  {
    name: 'more shared CPUs than the cell has, whatever the ratio',
    guest: { cpuset: numbers(9) },
    why: { code: 'numa.cpus', need: 9, have: 8 },
  },
  {
    name: 'as many shared CPUs as the ratio allows',
    host: { cpuUsage: 14 },
    limits: { cpuAllocationRatio: 2, ramAllocationRatio: 1 },
    cell: {},
  },
  {
    name: 'more shared CPUs than the ratio allows',
    host: { cpuUsage: 15 },
    limits: { cpuAllocationRatio: 2, ramAllocationRatio: 1 },
    why: { code: 'numa.cpus', need: 2, have: 1 },
  },
  {
    name: 'more memory than the ratio allows',
    host: { memoryUsage: 6000 },
    limits: { cpuAllocationRatio: 2, ramAllocationRatio: 1.5 },
    why: { code: 'numa.memory', need: 512, have: 144 },
  },
  {
    name: 'no page size requested: all pages of the smallest size count, used or not',
    host: { mempages: [pages(4, 131_072, 131_072)] },
    cell: { pagesize: null },
  },
  {
    name: 'no page size requested: too few pages of the smallest size',
    host: { mempages: [pages(4, 131_071)] },
    why: { code: 'numa.pages', need: 131_072, have: 131_071, unit: 'pages of 4 KiB' },
  },
  {
    name: 'no page size requested: memory that is not a multiple of the smallest page',
    host: { mempages: [LARGE] },
    guest: { memory: 513 },
    why: { code: 'numa.page_multiple', need: 2048, have: 525_312 },
  },
  { name: 'small pages', host: { mempages }, guest: { pagesize: -1 }, cell: { pagesize: 4 } },
  {
    name: 'large pages: the largest size that divides the memory',
    host: { mempages },
    guest: { pagesize: -2, memory: 1024 },
    cell: { pagesize: 1_048_576 },
  },
  {
    name: 'large pages: the next size if the largest does not divide the memory',
    host: { mempages },
    guest: { pagesize: -2 },
    cell: { pagesize: 2048 },
  },
  {
    name: 'large pages on a host with small pages only',
    host: { mempages: [SMALL] },
    guest: { pagesize: -2 },
    why: { code: 'numa.page_size', need: 'large pages', have: '4 KiB' },
  },
  {
    name: 'any pages: the smallest size if no larger one has enough',
    host: { mempages: [SMALL, HUGE] },
    guest: { pagesize: -3 },
    cell: { pagesize: 4 },
  },
  { name: 'pages of a stated size', host: { mempages }, guest: { pagesize: 2048 }, cell: { pagesize: 2048 } },
  {
    name: 'pages of a size that the host does not have',
    host: { mempages: [SMALL] },
    guest: { pagesize: 2048 },
    why: { code: 'numa.page_size', need: '2048 KiB', have: '4 KiB' },
  },
  {
    name: 'pages that are used or reserved are not free',
    host: { mempages: [pages(2048, 512, 200, 100)] },
    guest: { pagesize: 2048 },
    why: { code: 'numa.pages', need: 256, have: 212 },
  },
  {
    name: 'B12: small pages, refused with the smallest size',
    host: { mempages: [pages(4, 1_000), pages(1_048_576, 56)] },
    guest: { pagesize: -1 },
    why: { code: 'numa.pages', need: 131_072, have: 1_000, unit: 'pages of 4 KiB' },
  },
  {
    name: 'B12 kind: any pages, refused with the size that has the most free memory',
    host: { mempages: [pages(4, 131_000), pages(2048, 1)] },
    guest: { pagesize: -3 },
    why: { code: 'numa.pages', need: 131_072, have: 131_000, unit: 'pages of 4 KiB' },
  },
  { name: 'any pages of a host without pages', guest: { pagesize: -3 }, why: { code: 'numa.page_size', have: 'no page sizes' } },
  { name: 'more pinned CPUs than the cell has', guest: pinned(9), why: { code: 'numa.dedicated_cpus', need: 9, have: 8 } },
  {
    name: 'more pinned CPUs than are free',
    host: { pinnedCpus: [56, 57] },
    guest: pinned(7),
    why: { code: 'numa.dedicated_cpus', need: 7, have: 6 },
  },
  {
    name: "pinned CPUs and the emulator's need more than the cell has",
    guest: pinned(8),
    emulator: 1,
    why: { code: 'numa.dedicated_cpus', need: 9, have: 8 },
  },
  {
    name: 'memory of a pinned guest is never overcommitted',
    host: { memoryUsage: 3600 },
    guest: pinned(1),
    why: { code: 'numa.memory', need: 512, have: 496 },
  },
  { name: 'pins are chosen, whole cores first', guest: pinned(2), cell: { cpuPinning: { 0: 56, 1: 57 }, cpusetReserved: null } },
  {
    name: 'mixed: shared and pinned CPUs are counted separately',
    guest: mixed(8, 8),
    cell: { cpuPinning: Object.fromEntries(numbers(8).map((i) => [8 + i, 56 + i])) },
  },
  { name: 'mixed: too many shared CPUs', guest: mixed(9, 1), why: { code: 'numa.cpus', need: 9, have: 8 } },
  {
    name: 'mixed: the ratio applies to the shared CPUs',
    host: { cpuUsage: 8 },
    guest: mixed(1, 1),
    limits: { cpuAllocationRatio: 1, ramAllocationRatio: 9 },
    why: { code: 'numa.cpus', need: 1, have: 0 },
  },
  { name: 'mixed: a cell without pinned CPUs does not fit, as in Nova', guest: mixed(2, 0), why: { code: 'numa.threads' } },
  {
    name: 'dedicated: no ratio applies',
    host: { cpuUsage: 99 },
    guest: pinned(1),
    limits: { cpuAllocationRatio: 1, ramAllocationRatio: 0 },
    cell: {},
  },
  {
    name: 'threads required on a host without threads',
    host: { siblings: numbers(8, 56).map((cpu) => [cpu]) },
    guest: pinned(2, { cpuThreadPolicy: 'require' }),
    why: { code: 'numa.threads', source: 'thread policy require' },
  },
]

test.each(rows)('$name', ({ host, guest, limits = null, emulator = 0, why, cell }) => {
  const fit = fitCell(aHostCell(7, host), aGuestCell(0, guest), limits, emulator)
  if (why === undefined) expect(fit).toMatchObject({ why: undefined, cell: cell ?? {} })
  else expect(fit.why?.()).toMatchObject({ subject: 'cell 0', guestCell: 0, hostCell: 7, ...why })
})

test('the chosen page size is kept if a later rule refuses, as in Nova', () => {
  const { cell, why } = fitCell(aHostCell(7, { mempages }), aGuestCell(0, { pagesize: -2, cpuset: numbers(9) }), null, 0)
  expect([cell.pagesize, cell.id, why?.().code]).toEqual([2048, 0, 'numa.cpus'])
})

test('a field that an old host or request lacks is an error only if it is read', () => {
  const old = aHostCell(0, { pcpuset: undefined })
  expect(fitCell(old, aGuestCell(0), null, 0).why).toBeUndefined()
  expect(() => fitCell(old, aGuestCell(0, pinned(1)), null, 0)).toThrow(expect.objectContaining({ kind: 'NotImplementedError' }))
  expect(() => fitCell(aHostCell(0), aGuestCell(0, pinned(1, { pcpuset: undefined })), null, 0)).toThrow(
    expect.objectContaining({ kind: 'NotImplementedError' }),
  )
  expect(() => fitCell(aHostCell(0, { siblings: [] }), aGuestCell(0, pinned(1)), null, 0)).toThrow(
    expect.objectContaining({ kind: 'ValueError' }),
  )
})
