import { expect, test } from 'vitest'
import { pinCpus } from './pin-cpus.ts'
import { aGuestCell, aHostCell, numbers } from './testing.ts'
import type { CpuThreadPolicy } from './topology.ts'

const TWO = [
  [0, 1],
  [2, 3],
  [4, 5],
  [6, 7],
]
const ONE = numbers(8).map((cpu) => [cpu])
const FOUR = [
  [0, 1, 2, 3],
  [4, 5, 6, 7],
]

/** A test case. `siblings` lists the CPUs of each core of the host. `cpus` and `reserved` are the expected result. */
type Row = readonly [
  name: string,
  siblings: readonly (readonly number[])[],
  pinned: readonly number[],
  policy: CpuThreadPolicy | null,
  wanted: number,
  emulator: number,
  cpus: readonly number[] | undefined,
  reserved?: readonly number[],
]

const rows: readonly Row[] = [
  ['without a policy whole cores are filled', TWO, [], null, 4, 0, [0, 1, 2, 3]],
  ['prefer skips cores that are half used', TWO, [0], 'prefer', 2, 0, [2, 3]],
  ['prefer uses one thread of each core if no core is free', TWO, [0, 2, 4, 6], 'prefer', 2, 0, [1, 3]],
  ['prefer fills whole cores before single threads', TWO, [0], 'prefer', 4, 0, [2, 3, 4, 5]],
  ['prefer takes any free CPUs if nothing else is left', TWO, [0, 2, 4], 'prefer', 5, 0, [1, 3, 5, 6, 7]],
  ['require takes whole cores', TWO, [0], 'require', 4, 0, [2, 3, 4, 5]],
  ['require takes no single threads', TWO, [0, 2, 4, 6], 'require', 2, 0, undefined],
  ['require takes no single threads in addition to whole cores', TWO, [0, 2, 4], 'require', 3, 0, undefined],
  ['require takes three of the four threads of each core if that is enough', FOUR, [0], 'require', 6, 0, [1, 2, 3, 4, 5, 6]],
  ['require takes two threads of each core if not every core has three free', FOUR, [0, 1], 'require', 4, 0, [4, 5, 6, 7]],
  ['require fails on a host without threads', ONE, [], 'require', 1, 0, undefined],
  ['isolate takes one thread of each free core', TWO, [2], 'isolate', 2, 0, [0, 4]],
  ['isolate needs a free core for each CPU', TWO, [2], 'isolate', 4, 0, undefined],
  ['isolate without threads takes any free CPU', ONE, [0], 'isolate', 2, 0, [1, 2]],
  ['isolate fails without a free core', TWO, [0, 2, 4, 6], 'isolate', 1, 0, undefined],
  ['the emulator gets the next free thread', TWO, [], null, 3, 1, [0, 1, 2], [3]],
  ['the emulator takes a lone thread before a whole core', TWO, [0], null, 2, 1, [2, 3], [1]],
  ['the emulator gets no CPU of an isolated core', TWO, [], 'isolate', 2, 1, [0, 2], [4]],
  ['no core is left for the emulator of an isolated guest', TWO, [], 'isolate', 4, 1, undefined],
  ['no CPU is left for the emulator', TWO, [], null, 8, 1, undefined],
  ['more CPUs than are free', TWO, [0], null, 8, 0, undefined],
  ['a guest without pinned CPUs is never pinned', TWO, [], null, 0, 0, undefined],
]

test.each(rows.map((row) => ({ name: row[0], row })))('$name', ({ row }) => {
  const [, siblings, pinnedCpus, cpuThreadPolicy, wanted, emulator, cpus, reserved] = row
  const host = aHostCell(0, { siblings, pinnedCpus })
  const guest = aGuestCell(0, { cpuPolicy: 'dedicated', pcpuset: numbers(wanted), cpuThreadPolicy })
  expect(pinCpus(host, guest, emulator)).toEqual(cpus && { cpus, reserved: reserved ?? null })
})

test('the thread policy isolate fails on a host with threads whose shared and dedicated CPUs differ', () => {
  const host = aHostCell(0, { pcpuset: [0, 1, 2, 3] })
  expect(pinCpus(host, aGuestCell(0, { cpuPolicy: 'dedicated', pcpuset: [0], cpuThreadPolicy: 'isolate' }), 0)).toBeUndefined()
})
