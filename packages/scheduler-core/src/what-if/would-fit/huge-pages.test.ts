import { expect, test } from 'vitest'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { whatWouldFit } from './what-would-fit.ts'

/* Memory in huge pages is reduced by whole pages. */

type Cell = NonNullable<NonNullable<Parameters<typeof aRequest>[0]>['numaTopology']>['cells'][number]

const GIB_PAGE = 1_048_576
const cellOf = (id: number, cpuset: number[], pages: readonly (readonly [number, number])[]) => ({
  ...{ id, cpuset, memoryMb: 16_384 },
  pages: [{ sizeKib: 4, total: 1_048_576 }, ...pages.map(([sizeKib, total]) => ({ sizeKib, total }))],
})

/** The memory sizes that are proposed for the guest, on a fleet with only this host. */
function lessMemory(host: HostShape, cells: readonly Partial<Cell>[], profile = 'default', instances = 1): readonly string[] {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { memoryMb: 32_768, ...host })])
  let from = 0
  const guest = cells.map((cell, id) => ({ id, cpus: [from++], memoryMb: 1_024, ...cell }))
  const request = aRequest({
    numInstances: instances,
    flavor: { vcpus: guest.length, memoryMb: guest.reduce((sum, { memoryMb }) => sum + memoryMb, 0) },
    numaTopology: { cells: guest },
    image: { id: 'i' },
  })
  const { counterfactuals } = atOnce(
    whatWouldFit(log.fleet, {
      ...{ request, profile: builtInProfiles.find(({ name }) => name === profile) as Profile, seed: 's', kinds: ['REQUEST'] },
      ...{ maxChanges: 2, first: 20, minHosts: 1, maxRuns: 200, isOver: () => false },
    }),
  )
  const alone = counterfactuals.flatMap(({ changes }) => (changes.length === 1 ? changes : []))
  return alone.filter(({ subject }) => subject.includes('memory')).map(({ to }) => to)
}

const twoMib = (pages: number) => ({ numaCells: [cellOf(0, [0, 1, 2, 3], [[2_048, pages]])] })

test.each<[string, HostShape, readonly Partial<Cell>[], readonly string[]]>([
  ['100 free pages of 2 MiB: 200 MiB are proposed', twoMib(100), [{ memoryMb: 1_024, pageSize: 2_048 }], ['200 MiB']],
  ['101 free pages of 2 MiB: 202 MiB are proposed', twoMib(101), [{ memoryMb: 1_024, pageSize: 2_048 }], ['202 MiB']],
  [
    '3 free pages of 1 GiB: 3072 MiB are proposed',
    { numaCells: [cellOf(0, [0, 1], [[GIB_PAGE, 3]])] },
    [{ memoryMb: 8_192, pageSize: GIB_PAGE }],
    ['3072 MiB'],
  ],
  ['no free page: nothing is proposed', twoMib(0), [{ memoryMb: 1_024, pageSize: 2_048 }], []],
  [
    'memory that is not a multiple of the page size: the next smaller multiple is proposed',
    twoMib(1_024),
    [{ memoryMb: 1_025, pageSize: 2_048 }],
    ['1024 MiB'],
  ],
  ['large pages, of which the host has one size: as many as are free', twoMib(100), [{ memoryMb: 1_024, pageSize: 'large' }], ['200 MiB']],
  [
    'large pages of two sizes: the size with more free memory',
    {
      numaCells: [
        cellOf(
          0,
          [0, 1],
          [
            [2_048, 600],
            [GIB_PAGE, 3],
          ],
        ),
      ],
    },
    [{ memoryMb: 8_192, pageSize: 'large' }],
    ['3072 MiB'],
  ],
  [
    'a guest with two cells, each with the pages of a separate host cell: the smaller free amount',
    { numaCells: [cellOf(0, [0, 1], [[2_048, 100]]), cellOf(1, [2, 3], [[2_048, 50]])] },
    [
      { memoryMb: 1_024, pageSize: 2_048 },
      { memoryMb: 1_024, pageSize: 2_048 },
    ],
    ['100 MiB'],
  ],
  [
    'the host has less total memory than the flavor: the free pages of its cell',
    { memoryMb: 4_096, ...twoMib(1_024) },
    [{ memoryMb: 8_192, pageSize: 2_048 }],
    ['2048 MiB'],
  ],
])('%s', (_situation, host, cells, expected) => expect(lessMemory(host, cells)).toEqual(expected))

test('by the profile nova-compat, the same amount is proposed for 100 free pages of 2 MiB', () =>
  expect(lessMemory(twoMib(100), [{ pageSize: 2_048 }], 'nova-compat')).toEqual(['200 MiB']))

test('for two instances on 101 free pages of 2 MiB, 50 pages for each instance are proposed', () =>
  expect(lessMemory(twoMib(101), [{ pageSize: 2_048 }], 'default', 2)).toEqual(['100 MiB']))

test.each<[Cell['pageSize'], number]>([
  [2_048, 1],
  [2_048, 2],
  ['large', 2],
  ['large', 3],
])(
  'with page size %s and %i instances, the only proposed memory size is a whole number of pages with which all fit',
  (pageSize, instances) => {
    const host = {
      memoryMb: 4_096,
      numaCells: [0, 1].map((id) => ({
        ...{ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: 2_048 },
        pages: [
          { sizeKib: 4, total: 262_144 },
          { sizeKib: 2_048, total: 512, reserved: 10 },
        ],
      })),
    }
    const proposed = lessMemory(host, [{ memoryMb: 2_000, pageSize }], 'default', instances)
    expect(proposed).toEqual([instances === 3 ? '502 MiB' : '1004 MiB'])
  },
)

test.each<[string, Readonly<Record<string, number>>, Cell['pageSize'], number, readonly string[]]>([
  ['large pages, one instance on each of two hosts with different page sizes', { a: 2_048, b: GIB_PAGE }, 'large', 2, ['1024 MiB']],
  ['pages of any size, one instance on each of two hosts with different page sizes', { a: 2_048, b: GIB_PAGE }, 'any', 2, ['1024 MiB']],
  ['large pages, three instances that all fit on the host with the smaller pages', { a: 2_048, b: GIB_PAGE }, 'large', 3, ['400 MiB']],
  ['pages of 2 MiB, two instances on the only host with this size', { a: 2_048, b: GIB_PAGE }, 2_048, 2, ['600 MiB']],
])('%s', (_situation, sizes, pageSize, instances, expected) => {
  const log = aLog()
  // a guest that accepts any page size would fit in small pages, so hosts have no small pages in this case
  const small = pageSize === 'any' ? [] : [{ sizeKib: 4, total: 262_144 }]
  const pagesOf = (sizeKib: number) => [...small, { sizeKib, total: sizeKib === GIB_PAGE ? 1 : 600 }]
  const report = (name: string, sizeKib: number) =>
    aReport(name, { memoryMb: 32_768, numaCells: [{ ...cellOf(0, [0, 1, 2, 3], []), pages: pagesOf(sizeKib) }] })
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(sizes).map(([name, size]) => report(name, size))])
  const request = aRequest({
    numInstances: instances,
    flavor: { vcpus: 1, memoryMb: 4_096 },
    numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 4_096, pageSize }] },
    image: { id: 'i' },
  })
  const { counterfactuals } = atOnce(
    whatWouldFit(log.fleet, {
      ...{ request, profile: builtInProfiles.find(({ name }) => name === 'default') as Profile, seed: 's', kinds: ['REQUEST'] },
      ...{ maxChanges: 2, first: 20, minHosts: 1, maxRuns: 200, isOver: () => false },
    }),
  )
  const alone = counterfactuals.flatMap(({ changes }) => (changes.length === 1 ? changes : []))
  expect(alone.filter(({ subject }) => subject.includes('memory')).map(({ to }) => to)).toEqual(expected)
})
