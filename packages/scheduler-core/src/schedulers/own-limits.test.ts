import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../examine/examine.ts'
import { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aClaim, aLog, aReport, aRequest, type HostShape } from '../testing/index.ts'
import { reasonText } from '../text/reason-text.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import { decide } from './decide.ts'

/**
 * Overcommit lets instances share a host. A single instance never gets more of a resource than the host physically has. Some rows name the
 * source of the case.
 */

const profileNamed = (name: string): Profile => {
  const profile = builtInProfiles.find((known) => known.name === name)
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return profile
}
const solver = profileSchema.parse({ ...profileNamed('best-fit'), name: 'solver', number: 1, scheduler: 'solver' })
const ownCores = profileSchema.parse({ ...profileNamed('nova-compat'), name: 'cores', number: 1, filters: [{ name: 'CoreFilter' }] })
const profiles = [...['default', 'nova', 'nova-compat', 'first-fit', 'best-fit', 'random'].map(profileNamed), solver, ownCores]

function fleetAt(level: number, shape: HostShape): Fleet {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', shape)])
  return log.fleet
}

function isPlaced(fleet: Fleet, request: RequestSpec, profile: Profile): boolean {
  const overlay = openOverlay(fleet)
  try {
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    return decide(fleet, overlay, { ...asked, request, profile }).found === 1
  } finally {
    overlay.discard()
  }
}

/** The reasons of all filters that refuse the host with index 0. */
const refusals = (fleet: Fleet, request: RequestSpec, profile = profileNamed('default')) =>
  prepareChecks(fleet, request, profile)
    .checksOf(0 as never, true)
    .flatMap(({ reason, facts = [] }) => (reason === undefined ? [] : [{ reason, facts, text: reasonText(reason) }]))

type Cell = NonNullable<HostShape['numaCells']>[number]
const cell = (shape: Partial<Cell> = {}): Cell => ({ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 16_384, ...shape })
const guest = (cpus: number, shape: object = {}) => ({
  vcpus: cpus,
  numaTopology: { cells: [{ id: 0, cpus: Array.from({ length: cpus }, (_, i) => i), memoryMb: 512, ...shape }] },
})
const guestOf = (cpus: number, memoryMb: number, shape: object = {}) => ({ ...guest(cpus, { memoryMb, ...shape }), memoryMb })

const machine = { vcpus: 8, memoryMb: 32_768, localGb: 100, cpuAllocationRatio: 4, ramAllocationRatio: 2, diskAllocationRatio: 2 }
const twoCells = { ...machine, numaCells: [cell(), cell({ id: 1, cpuset: [4, 5, 6, 7] })] }
const hugePages = (small: number, huge: number) => [
  { sizeKib: 4, total: small * 256 },
  { sizeKib: 1_048_576, total: huge },
]
/** A host with 128 GiB of memory. Only 8 GiB are in small pages, because the kernel reserves 56 huge pages of 1 GiB. */
const mostlyHuge = { vcpus: 16, memoryMb: 131_072, numaCells: [cell({ memoryMb: 131_072, pages: hugePages(8_192, 56) })] }
const inventory = (shape: object = {}): HostShape => ({
  inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 4, allocationRatio: 4, ...shape }],
})
const fpgas = (amount: number) => ({ requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount }] }] })

type Row = readonly [source: string, host: HostShape, asks: Parameters<typeof aRequest>[0], code: string]

describe.each<Row>([
  ['F5, B13a: one instance of 40000 MiB does not fit on 32768 MiB with ratio 2', machine, { memoryMb: 40_000 }, 'memory.too_little'],
  ['A15a: one instance of nine CPUs does not fit on eight CPUs with ratio 4', machine, { vcpus: 9 }, 'cpu.too_few'],
  ['F5, B08: a guest cell with six shared CPUs does not fit on a host cell with four', twoCells, guest(6), 'numa.too_few_cpus'],
  ['B08: a guest cell with eight shared CPUs does not fit on a host cell with four', twoCells, guest(8), 'numa.too_few_cpus'],
  ['B10: 20 GiB do not fit into the 8 GiB that are small pages', mostlyHuge, { memoryMb: 20_480 }, 'memory.huge_pages'],
  [
    'B10: a guest cell of 20 GiB without a page size does not fit into the 8 GiB of small pages',
    mostlyHuge,
    guestOf(2, 20_480),
    'numa.huge_pages',
  ],
  // Resource classes
  [
    'nova test_disk_filter: one disk of 150 GiB does not fit on 100 GiB with ratio 2',
    machine,
    { flavor: { vcpus: 1, memoryMb: 64, rootGb: 150 } } as never,
    'disk.too_little',
  ],
  [
    'nova test_ram_filter: reserved memory is not available',
    { ...machine, inventories: [{ resourceClass: 'MEMORY_MB', total: 32_768, reserved: 8_192, allocationRatio: 2 }] },
    { memoryMb: 30_000 },
    'memory.too_little',
  ],
  ['without a max_unit, one instance gets at most the total (placement)', inventory(), fpgas(5), 'class.too_little'],
  [
    'with the default max_unit of placement, one instance gets at most the total',
    inventory({ maxUnit: 2_147_483_647 }),
    fpgas(5),
    'class.too_little',
  ],
  ['with a max_unit below the total, one instance gets at most max_unit (placement)', inventory({ maxUnit: 2 }), fpgas(3), 'class.unit'],
  // NUMA cells
  [
    'nova hardware: a guest cell of 20 GiB does not fit on a host cell of 16 GiB with ratio 2',
    twoCells,
    guestOf(2, 20_480),
    'numa.too_little_memory',
  ],
  [
    'nova hardware: CPUs that are dedicated to others cannot be shared',
    { ...machine, numaCells: [cell({ pinnedCpus: [0, 1], cpuUsage: 0, memoryUsageMb: 0 })] },
    guest(3),
    'numa.too_few_cpus',
  ],
  [
    'nova hardware: a mixed guest shares only what is not dedicated',
    { ...machine, numaCells: [cell()] },
    guest(6, { cpuPolicy: 'mixed', dedicatedCpus: [0, 1] }),
    'numa.too_few_cpus',
  ],
  [
    'nova hardware: oversubscription is not possible with pinned instances',
    { ...machine, numaCells: [cell({ memoryUsageMb: 12_288, cpuUsage: 0, pinnedCpus: [] })] },
    guestOf(2, 8_192, { cpuPolicy: 'dedicated' }),
    'numa.pinned_memory',
  ],
  [
    'nova hardware: oversubscription is not possible for pinned instances with some shared CPUs',
    { ...machine, numaCells: [cell({ memoryUsageMb: 12_288, cpuUsage: 0, pinnedCpus: [] })] },
    guestOf(3, 8_192, { cpuPolicy: 'mixed', dedicatedCpus: [0] }),
    'numa.pinned_memory',
  ],
  // Huge and small pages
  [
    'nova hardware: small pages in use are not free',
    { ...mostlyHuge, numaCells: [cell({ memoryMb: 131_072, memoryUsageMb: 6_144, pages: hugePages(8_192, 56) })] },
    guestOf(2, 4_096),
    'numa.huge_pages',
  ],
  [
    'libvirt capabilities: if only huge pages are reported, only the rest of the memory is in small pages',
    { memoryMb: 65_536, numaCells: [cell({ memoryMb: 65_536, pages: [{ sizeKib: 2_048, total: 30_720 }] })] },
    { memoryMb: 8_192 },
    'memory.huge_pages',
  ],
  [
    'reserved_huge_pages: reserved pages are not small pages',
    {
      memoryMb: 65_536,
      numaCells: [
        cell({
          memoryMb: 65_536,
          pages: [
            { sizeKib: 4, total: 1_024 * 256 },
            { sizeKib: 1_048_576, total: 60, reserved: 60 },
          ],
        }),
      ],
    },
    { memoryMb: 8_192 },
    'memory.huge_pages',
  ],
  [
    'a guest cell does not fit if each of two host cells has too little memory',
    {
      memoryMb: 65_536,
      numaCells: [0, 1].map((id) => cell({ id, cpuset: [id * 4, id * 4 + 1], memoryMb: 32_768, pages: hugePages(4_096, 28) })),
    },
    guestOf(2, 6_000),
    'numa.huge_pages',
  ],
  [
    'memory in use outside of huge pages is not available',
    { memoryMb: 131_072, memoryMbUsed: 6_144, numaCells: [cell({ memoryMb: 131_072, pages: hugePages(8_192, 56) })] },
    { memoryMb: 4_096 },
    'memory.huge_pages',
  ],
])('%s', (_source, host, asks, code) => {
  const request = aRequest(asks)

  test.each(profiles.map((profile) => [profile.name, profile] as const))(
    'profile %s refuses an instance that is larger than the host',
    (_name, profile) => {
      expect(isPlaced(fleetAt(STRICT_CLAIMS, host), request, profile)).toBe(false)
    },
  )

  test('the reason of a refusal has the needed and the available amount, and the facts add the source of each', () => {
    const refused = refusals(fleetAt(STRICT_CLAIMS, host), request)
    const found = refused.find(({ reason }) => reason.code === code)
    expect(refused.map(({ reason }) => reason.code)).toContain(code)
    expect(found?.text).toContain(String(found?.reason.have))
    expect(found?.facts[0]).toMatchObject({ required: found?.reason.need, actual: found?.reason.have })
    expect(found?.facts[0]?.actualFrom.kind).toBe('report')
  })

  test('the judge refuses a grant that is larger than the host, which older feature levels allowed', () => {
    const old = fleetAt(STRICT_CLAIMS - 1, host)
    const overlay = openOverlay(old)
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    const [part] = decide(old, overlay, { ...asked, request, profile: profileNamed('first-fit') }).parts
    overlay.discard()
    expect(part === undefined).toBe(code === 'class.unit' || code === 'cpu.too_few')
    if (part === undefined) return
    for (const [level, verdict] of [
      [STRICT_CLAIMS, 'claim.no_room'],
      [STRICT_CLAIMS - 1, undefined],
    ] as const) {
      const log = aLog(new Fleet())
      log.append([{ type: 'feature', level }, aReport('h1', host)])
      expect([level, ...log.append([aClaim({ grants: part.grants })])]).toEqual([level, verdict])
    }
  })
})

test.each<readonly [source: string, host: HostShape, asks: Parameters<typeof aRequest>[0]]>([
  ['nova RamFilter: the total memory of the host', machine, { memoryMb: 32_768 }],
  ['nova CoreFilter: all CPUs of the host', machine, { vcpus: 8 }],
  ['nova hardware: as many shared CPUs as the cell has', twoCells, guest(4)],
  ['nova hardware: all memory of a cell', twoCells, guestOf(2, 16_384)],
  [
    'nova hardware: a pinned guest that needs all memory that is not in use',
    { ...machine, numaCells: [cell({ memoryUsageMb: 8_192 })] },
    guestOf(2, 8_192, { cpuPolicy: 'dedicated' }),
  ],
  ['placement: a max_unit above the total', inventory({ maxUnit: 8 }), fpgas(8)],
  ['huge pages for a guest that requests them', mostlyHuge, guestOf(2, 20_480, { pageSize: 'large' })],
  ['small pages for a guest that fits into them', mostlyHuge, { memoryMb: 8_192 }],
  ['a host that reports no pages', { memoryMb: 131_072, numaCells: [cell({ memoryMb: 131_072 })] }, { memoryMb: 20_480 }],
  [
    'a host without huge pages',
    { memoryMb: 131_072, numaCells: [cell({ memoryMb: 131_072, pages: [{ sizeKib: 4, total: 2_097_152 }] })] },
    { memoryMb: 20_480 },
  ],
  [
    'huge pages in use are not counted as small pages in use',
    {
      memoryMb: 131_072,
      memoryMbUsed: 57_344,
      numaCells: [
        cell({
          memoryMb: 131_072,
          memoryUsageMb: 57_344,
          pages: [
            { sizeKib: 4, total: 2_097_152 },
            { sizeKib: 1_048_576, total: 56, used: 56 },
          ],
        }),
      ],
    },
    { memoryMb: 8_192 },
  ],
])('placed: %s', (_source, host, asks) => {
  for (const profile of profiles)
    expect([profile.name, isPlaced(fleetAt(STRICT_CLAIMS, host), aRequest(asks), profile)]).toEqual([profile.name, true])
})

test('below feature level STRICT_CLAIMS, overcommit can give one instance more than the host has', () => {
  const old = fleetAt(STRICT_CLAIMS - 1, twoCells)
  for (const asks of [{ memoryMb: 40_000 }, guest(6)]) expect(isPlaced(old, aRequest(asks), profileNamed('default'))).toBe(true)
})

test('raising the feature level to STRICT_CLAIMS limits the inventories of hosts that reported earlier', () => {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level: STRICT_CLAIMS - 1 }, aReport('h1', twoCells)])
  expect(isPlaced(log.fleet, aRequest({ memoryMb: 40_000 }), profileNamed('default'))).toBe(true)
  log.append([{ type: 'feature', level: STRICT_CLAIMS }])
  for (const asks of [{ memoryMb: 40_000 }, guest(6)]) expect(isPlaced(log.fleet, aRequest(asks), profileNamed('default'))).toBe(false)
})
