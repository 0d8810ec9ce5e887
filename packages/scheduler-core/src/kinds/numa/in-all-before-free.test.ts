import { describe, expect, test } from 'vitest'
import { causeText } from '../../cause/cause-text.ts'
import { causeIn, profiles } from '../../cause/testing/drawn.ts'
import { prepareChecks } from '../../examine/examine.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../testing/index.ts'
import { IN_ALL_BEFORE_FREE, STRICT_CLAIMS } from '../../values/levels.ts'

/** The fields of a guest cell that tests in this file set. */
interface GuestCell {
  readonly cpus: number[]
  readonly memoryMb: number
  readonly pageSize: number | 'small' | 'large'
  readonly cpuPolicy: 'dedicated'
  readonly cpuThreadPolicy: 'isolate' | 'require'
}
type Cell = NonNullable<HostShape['numaCells']>[number]

const cellOf = (id: number, more: Partial<Cell> = {}): Cell => ({
  ...{ id, cpuset: [0, 1, 2, 3].map((cpu) => id * 100 + cpu), memoryMb: 4_000 },
  ...more,
})

function fleetWith(numaCells: readonly Cell[], level = FEATURE_LEVEL) {
  const log = aLog()
  log.append([{ type: 'feature', level }, aReport('h0', { vcpus: 64, memoryMb: 65_536, numaCells: [...numaCells] })])
  return log.fleet
}

const GIB = 1_048_576

/** 8 GiB in pages of 4 KiB and 24 GiB in pages of 1 GiB. */
const SMALL_AND_HUGE = [
  { sizeKib: 4, total: 2_097_152 },
  { sizeKib: GIB, total: 24 },
]

/** The pages of a host cell. `small` has the fields for pages of 2 MiB, `large` those for pages of 1 GiB. */
const withPages = (small: object, large: object = { total: 0 }): Partial<Cell> => ({
  pages: [
    { sizeKib: 4, total: 65_536 },
    { sizeKib: 2_048, total: 0, ...small },
    { sizeKib: GIB, total: 0, ...large },
  ],
})

const CORES = [
  [0, 1],
  [2, 3],
]

const guestOf = (cells: number, cpus: number, memoryMb: number, cpuPolicy: 'shared' | 'dedicated' = 'shared') =>
  aRequest({
    flavor: { vcpus: cells * cpus, memoryMb: cells * memoryMb },
    numaTopology: {
      cells: Array.from({ length: cells }, (_, id) => ({
        ...{ id, memoryMb, cpuPolicy },
        cpus: Array.from({ length: cpus }, (_, i) => id * cpus + i),
      })),
    },
  })

/** A request for a guest with one cell. `more` overrides the fields of the cell, which otherwise has one shared CPU and 64 MiB. */
const guestWith = (more: Partial<GuestCell>) => {
  const cell = { id: 0, cpus: [0], memoryMb: 64, ...more }
  return aRequest({ flavor: { vcpus: cell.cpus.length, memoryMb: cell.memoryMb }, numaTopology: { cells: [cell] } })
}

const dedicated = (cpus: number): Partial<GuestCell> => ({ cpus: Array.from({ length: cpus }, (_, i) => i), cpuPolicy: 'dedicated' })

describe.each(profiles.map((profile) => [profile.name, profile] as const))(
  'C16: the reason why guest cells do not fit names a total that is too small before a free amount, by profile %s',
  (_name, profile) => {
    test.each<readonly [string, readonly Cell[], ReturnType<typeof guestOf>, string, string]>([
      [
        'more memory than the total of each cell',
        [cellOf(0), cellOf(1)],
        guestOf(2, 6, 6_000),
        'numa.too_little_memory',
        'cell 0 on cell 0 of the host: 6000 MiB needed, 4000 in total',
      ],
      [
        'more memory than the total of each cell, while the cells are in use',
        [cellOf(0, { memoryUsageMb: 2_000 }), cellOf(1, { memoryUsageMb: 4_000 })],
        guestOf(1, 1, 6_000),
        'numa.too_little_memory',
        '6000 MiB needed, 4000 in total',
      ],
      [
        'memory that other instances use',
        [cellOf(0, { memoryUsageMb: 2_000 }), cellOf(1)],
        guestOf(2, 1, 3_000),
        'numa.no_match',
        '3000 MiB needed, 2000 free',
      ],
      [
        'memory that other instances use in each cell',
        [cellOf(0, { memoryUsageMb: 2_000 })],
        guestOf(1, 1, 3_000),
        'numa.memory',
        '3000 MiB needed',
      ],
      ['more shared CPUs than each cell has', [cellOf(0), cellOf(1)], guestOf(1, 6, 64), 'numa.too_few_cpus', '6 CPUs needed, 4 in total'],
      [
        'more dedicated CPUs than each cell has, while others use a part of them',
        [cellOf(0, { pinnedCpus: [0] }), cellOf(1, { pinnedCpus: [100, 101] })],
        guestOf(1, 6, 64, 'dedicated'),
        'numa.too_few_dedicated',
        '6 CPUs needed, 4 in total',
      ],
      [
        'dedicated CPUs that other instances use',
        [cellOf(0, { pinnedCpus: [0, 1] })],
        guestOf(1, 3, 64, 'dedicated'),
        'numa.dedicated_cpus',
        '3 CPUs needed, 2 free',
      ],
      [
        'more pages than each cell has, while others use a part of them',
        [cellOf(0, withPages({ total: 500, used: 400 })), cellOf(1, withPages({ total: 600, used: 600, reserved: 100 }))],
        guestWith({ pageSize: 2_048, memoryMb: 1_024 }),
        'numa.too_few_pages',
        '512 pages of 2048 KiB needed, 500 in total',
      ],
      [
        'pages that other instances use',
        [cellOf(0, withPages({ total: 600, used: 400 }))],
        guestWith({ pageSize: 2_048, memoryMb: 1_024 }),
        'numa.pages',
        '512 pages of 2048 KiB needed, 200 free',
      ],
      [
        'large pages of any size, while other instances use the only size with enough pages',
        [cellOf(0, withPages({ total: 100 }, { total: 2, used: 2 }))],
        guestWith({ pageSize: 'large', memoryMb: 2_048 }),
        'numa.pages',
        '1024 pages of 2048 KiB needed, 100 free',
      ],
      [
        'F12: more small pages than each cell has, while it has huge pages',
        [cellOf(0, { memoryMb: 32_768, pages: SMALL_AND_HUGE })],
        guestWith({ pageSize: 'small', memoryMb: 20_480 }),
        'numa.too_few_pages',
        '5242880 pages of 4 KiB needed, 2097152 in total',
      ],
      [
        'pages of a size that no cell has, while memory is used',
        [cellOf(0, { ...withPages({ total: 100 }), memoryUsageMb: 3_800 })],
        guestWith({ pageSize: 65_536, memoryMb: 1_024 }),
        'numa.page_size',
        '65536 KiB needed',
      ],
      [
        'more pages than each cell has, while memory is used',
        [cellOf(0, { ...withPages({ total: 100 }), memoryUsageMb: 3_800 })],
        guestWith({ pageSize: 2_048, memoryMb: 1_024 }),
        'numa.too_few_pages',
        '512 pages of 2048 KiB needed, 100 in total',
      ],
      [
        'more CPUs on cores of their own than there are cores',
        [cellOf(0, { siblings: CORES, pinnedCpus: [0] })],
        guestWith({ ...dedicated(3), cpuThreadPolicy: 'isolate' }),
        'numa.too_few_cores',
        '3 CPUs needed, 2 in total',
      ],
      [
        'more CPUs on cores of their own than there are cores, while fewer CPUs are free',
        [cellOf(0, { siblings: CORES, pinnedCpus: [0, 2] })],
        guestWith({ ...dedicated(3), cpuThreadPolicy: 'isolate' }),
        'numa.too_few_cores',
        '3 CPUs needed, 2 in total',
      ],
      [
        'cores that other instances use',
        [cellOf(0, { siblings: CORES, pinnedCpus: [0] })],
        guestWith({ ...dedicated(2), cpuThreadPolicy: 'isolate' }),
        'numa.threads',
        '2 CPUs needed, 1 free',
      ],
      [
        'more CPUs than the cores with several threads have',
        [cellOf(0, { siblings: [[0, 1], [2], [3]], pinnedCpus: [0] })],
        guestWith({ ...dedicated(3), cpuThreadPolicy: 'require' }),
        'numa.too_few_cores',
        '3 CPUs needed, 2 in total',
      ],
      ['shared CPUs that other instances use', [cellOf(0, { cpuUsage: 2 })], guestOf(1, 3, 64), 'numa.cpus', '3 CPUs needed, 2 free'],
    ])('%s', (_what, cells, request, code, text) => {
      const cause = causeIn(fleetWith(cells), request, profile)
      expect([cause.code, causeText(cause)]).toEqual([code, expect.stringContaining(text)])
    })
  },
)

test('below feature level IN_ALL_BEFORE_FREE, the reason names free memory although the total is also too small', () => {
  const codesAt = (level: number) => {
    const { checksOf } = prepareChecks(fleetWith([cellOf(0)], level), guestOf(1, 6, 6_000), profiles[0] as Profile)
    return checksOf(0 as Parameters<typeof checksOf>[0]).flatMap(({ reason }) => reason?.code ?? [])
  }
  expect(codesAt(IN_ALL_BEFORE_FREE - 1)).toContain('numa.memory')
  expect(codesAt(FEATURE_LEVEL)).toContain('numa.too_little_memory')
})

test('at every feature level, the count of free pages is never given as the total count', () => {
  const factsAt = (level: number) => {
    const fleet = fleetWith([cellOf(0, withPages({ total: 600, used: 400 }))], level)
    const { checksOf } = prepareChecks(fleet, guestWith({ pageSize: 2_048, memoryMb: 1_024 }), profiles[0] as Profile)
    return checksOf(0 as Parameters<typeof checksOf>[0]).flatMap(({ facts = [] }) => facts)
  }
  for (const level of [1, STRICT_CLAIMS - 1, STRICT_CLAIMS, FEATURE_LEVEL]) {
    const facts = factsAt(level)
    expect(facts.map(({ actual }) => actual)).toContain(200)
    expect(facts.filter(({ amountOf, actual }) => amountOf === 'in total' && actual === 200)).toEqual([])
  }
})
