import { describe, expect, test } from 'vitest'
import { audit } from '../../audit/index.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Grants } from '../../records/change.ts'
import type { Claim } from '../../records/claim.ts'
import { type Profile, profileSchema } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aMove, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import { OWN_UNITS } from '../../values/levels.ts'
import { resize } from '../testing/resize.ts'

/**
 * On a host whose use exceeds its capacity, OpenStack Placement allows writes that do not increase the excess. These tests check this rule
 * for cells, CPUs, GPUs, devices, pages, and resource classes that the host no longer reports.
 */

type Asks = Parameters<typeof aRequest>[0]

const profileNamed = (name: string): Profile => {
  const profile = builtInProfiles.find((known) => known.name === name)
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return profile
}
const solver = profileSchema.parse({ ...profileNamed('best-fit'), name: 'solver', number: 1, scheduler: 'solver' })
const novaUnits = profileSchema.parse({
  ...{ name: 'nova-units', number: 1, compat: 'nova', weighers: [] },
  filters: [{ name: 'NUMATopologyFilter' }, { name: 'PciPassthroughFilter' }],
})
const profiles = [...['default', 'nova', 'nova-compat', 'first-fit', 'best-fit'].map(profileNamed), solver, novaUnits]

/** A log in which the host reports `first`, the request `asks` gets a claim, and the host then reports `then`. */
function claimed(first: HostShape, asks: Asks, then: HostShape, level: number = OWN_UNITS, isListed = false): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', first)])
  const overlay = openOverlay(log.fleet)
  const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
  const { parts } = decide(log.fleet, overlay, { ...asked, request: aRequest(asks), profile: profileNamed('first-fit') })
  overlay.discard()
  const grants = parts[0]?.grants
  if (grants === undefined) throw new Error('the first request must fit')
  expect(log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants, instances: [aUuid(1)] })])).toEqual([undefined])
  log.append([aReport('h1', { ...then, ...(isListed && { instances: [aUuid(1)] }) }, 2)])
  return log
}

const move = (log: TestLog, grants: Grants): string | undefined => {
  const { id, fence, instance } = log.fleet.ledger.claims.get('a.0') as Claim
  return log.append([aMove({ source: { claim: id, fence }, intent: 'RESIZE', key: 'm', hosts: ['h1'], instances: [instance], grants })])[0]
}

/** The violations that the auditor finds in the fleet. */
const auditFleet = (fleet: Fleet) => [...audit(fleet)].flatMap(({ findings }) => findings)

const cellOf = (cpus: number, more: object = {}) => ({
  id: 0,
  cpuset: Array.from({ length: cpus }, (_, cpu) => cpu),
  memoryMb: 8_192,
  ...more,
})
const guest = (cpus: number, memoryMb: number, more: object = {}) => ({
  vcpus: cpus,
  memoryMb,
  numaTopology: { cells: [{ id: 0, cpus: Array.from({ length: cpus }, (_, cpu) => cpu), memoryMb, ...more }] },
})
const dedicated = { cpuPolicy: 'dedicated' as const }
const amount = (resourceClass: string, count: number) => ({
  requestedResources: [{ amounts: [{ resourceClass, amount: count }] }],
})
const nic = { vendorId: '8086', productId: '1572' }
const nics = (count: number) => ({ pciRequests: [{ count, specs: [{ vendor_id: '8086' }] }] })
const basic: HostShape = { vcpus: 8, memoryMb: 8_192 }
const shrunk: HostShape = { vcpus: 4, memoryMb: 8_192 }
const large = (memoryMb: number) => guest(2, memoryMb, { pageSize: 2_048 })

/** `6 to 2 of 4` in a name means that an instance is resized from 6 to 2 on a host that then has only 4. */
const rows: readonly (readonly [name: string, first: HostShape, had: Asks, then: HostShape, less: Asks, more: Asks])[] = [
  [
    'shared CPUs of a cell: 6 to 2 of 4',
    { ...basic, numaCells: [cellOf(8)] },
    guest(6, 1_024),
    { ...shrunk, numaCells: [cellOf(4)] },
    guest(2, 1_024),
    guest(7, 1_024),
  ],
  [
    'dedicated CPUs: 6 to 2 of 4',
    { ...basic, numaCells: [cellOf(8)] },
    guest(6, 1_024, dedicated),
    { ...shrunk, numaCells: [cellOf(4)] },
    guest(2, 1_024, dedicated),
    guest(7, 1_024, dedicated),
  ],
  [
    'dedicated CPUs on separate cores',
    {
      ...basic,
      numaCells: [
        cellOf(8, {
          siblings: [
            [0, 4],
            [1, 5],
            [2, 6],
            [3, 7],
          ],
        }),
      ],
    },
    guest(4, 1_024, { ...dedicated, cpuThreadPolicy: 'isolate' }),
    {
      ...shrunk,
      numaCells: [
        cellOf(4, {
          siblings: [
            [0, 2],
            [1, 3],
          ],
        }),
      ],
    },
    guest(1, 1_024, { ...dedicated, cpuThreadPolicy: 'prefer' }),
    guest(5, 1_024, { ...dedicated, cpuThreadPolicy: 'isolate' }),
  ],
  [
    'memory of a cell',
    { ...basic, numaCells: [cellOf(8)] },
    guest(2, 6_144),
    { ...basic, numaCells: [cellOf(8, { memoryMb: 2_048 })] },
    guest(2, 4_096),
    guest(2, 6_145),
  ],
  [
    'cells that the host no longer reports',
    { ...basic, numaCells: [cellOf(8)] },
    guest(4, 1_024, dedicated),
    { ...shrunk, numaCells: [] },
    guest(2, 1_024, dedicated),
    guest(5, 1_024, dedicated),
  ],
  [
    'huge pages',
    {
      ...basic,
      numaCells: [
        cellOf(8, {
          pages: [
            { sizeKib: 4, total: 524_288 },
            { sizeKib: 2_048, total: 2_048 },
          ],
        }),
      ],
    },
    large(4_096),
    {
      ...basic,
      numaCells: [
        cellOf(8, {
          pages: [
            { sizeKib: 4, total: 524_288 },
            { sizeKib: 2_048, total: 512 },
          ],
        }),
      ],
    },
    large(2_048),
    large(4_098),
  ],
  [
    'GPUs: 2 to 1 of 1',
    { ...basic, gpus: [{ index: 0 }, { index: 1 }] },
    { gpus: { count: 2, shareMilli: 1_000 } },
    { ...basic, gpus: [{ index: 0 }] },
    { gpus: { count: 1, shareMilli: 1_000 } },
    { gpus: { count: 3, shareMilli: 1_000 } },
  ],
  [
    'shares of a GPU that is gone',
    { ...basic, gpus: [{ index: 0 }] },
    { gpus: { count: 1, shareMilli: 500 } },
    { ...basic, gpus: [] },
    { gpus: { count: 1, shareMilli: 250 } },
    { gpus: { count: 1, shareMilli: 501 } },
  ],
  [
    'PCI devices: 2 to 1 of 1',
    { ...basic, pciPools: [{ ...nic, total: 2 }] },
    nics(2),
    { ...basic, pciPools: [{ ...nic, total: 1 }] },
    nics(1),
    nics(3),
  ],
  ['PCI devices that are gone', { ...basic, pciPools: [{ ...nic, total: 2 }] }, nics(2), { ...basic, pciPools: [] }, nics(1), nics(3)],
  [
    'PCI devices near the cells of the guest',
    { ...basic, numaCells: [cellOf(8)], pciPools: [{ ...nic, numaNode: 0, total: 2 }] },
    { ...guest(4, 1_024, dedicated), pciRequests: [{ count: 2, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' as const }] },
    { ...shrunk, numaCells: [cellOf(4)], pciPools: [] },
    { ...guest(2, 1_024, dedicated), pciRequests: [{ count: 1, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' as const }] },
    { ...guest(2, 1_024, dedicated), pciRequests: [{ count: 3, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' as const }] },
  ],
  [
    'a class that the host no longer reports',
    { ...basic, inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 4 }] },
    amount('CUSTOM_FPGA', 3),
    { ...basic, inventories: [] },
    amount('CUSTOM_FPGA', 2),
    amount('CUSTOM_FPGA', 4),
  ],
]

describe.each(rows)('%s', (_name, first, had, then, less, more) => {
  test.each(profiles.map((profile) => [profile.name, profile] as const))(
    '%s: a smaller size is granted in place, and the same size to a rebuild',
    (_profile, profile) => {
      for (const isListed of [false, true]) {
        const log = claimed(first, had, then, OWN_UNITS, isListed)
        expect(resize(log, less, profile, 'RESIZE').found).toBe(1)
        expect(resize(log, had, profile, 'REBUILD').found).toBe(1)
        expect(resize(log, more, profile, 'RESIZE').found).toBe(0)
        expect(log.fleet.hosts.mover).toBeNull()
      }
    },
  )

  test('the judge accepts the decision, the host is not fuller afterwards, and a revert restores the former grants', () => {
    for (const asks of [less, had]) {
      const log = claimed(first, had, then)
      const [part] = resize(log, asks, profileNamed('default'), 'RESIZE').parts
      expect(move(log, part?.grants ?? {})).toBeUndefined()
      expect(auditFleet(log.fleet)).toEqual([])
      const moved = log.fleet.ledger.claims.get('m.0') as Claim
      expect(moved.extra).toEqual({ classes: {} })
      expect(log.append([{ type: 'release', claim: moved.id, fence: moved.fence, reason: null }])).toEqual([undefined])
      expect(auditFleet(log.fleet)).toEqual([])
    }
  })

  test('after the resize is confirmed, the claim holds the smaller size', () => {
    for (const isListed of [false, true]) {
      const log = claimed(first, had, then, OWN_UNITS, isListed)
      const [part] = resize(log, less, profileNamed('default'), 'RESIZE').parts
      expect(move(log, part?.grants ?? {})).toBeUndefined()
      const moved = log.fleet.ledger.claims.get('m.0') as Claim
      expect(log.append([{ type: 'confirm', claim: moved.id, fence: moved.fence }])).toEqual([undefined])
      expect(log.fleet.ledger.claims.get('a.0')?.state).toBe('RELEASED')
      expect(log.fleet.ledger.claims.get('m.0')?.grants).toEqual(part?.grants)
      expect(auditFleet(log.fleet)).toEqual([])
      log.append([aReport('h1', first, 3)])
      expect(auditFleet(log.fleet)).toEqual([])
    }
  })

  test('below feature level OWN_UNITS the resize is refused', () => {
    const log = claimed(first, had, then, OWN_UNITS - 1)
    const [part] = resize(claimed(first, had, then), less, profileNamed('default'), 'RESIZE').parts
    expect(resize(log, less, profileNamed('default'), 'RESIZE').found).toBe(0)
    expect(move(log, part?.grants ?? {})).toBe('claim.no_room')
  })

  test('another instance does not get the units that the resized instance may keep', () => {
    const log = claimed(first, had, then)
    const [part] = resize(log, less, profileNamed('default'), 'RESIZE').parts
    expect(log.append([aClaim({ key: 'new', grants: part?.grants ?? {} })])).toEqual(['claim.no_room'])
  })
})

describe('the CPUs that an instance can keep if it requires threads of one core', () => {
  test('a guest cell that does not require threads of one core keeps CPUs on cores with one thread', () => {
    const cells = [cellOf(2, { siblings: [[0, 1]] }), { ...cellOf(0), id: 1, cpuset: [2] }]
    const policies = ['require', 'prefer'] as const
    const asks = {
      ...{ vcpus: 2, memoryMb: 1_024 },
      numaTopology: { cells: policies.map((cpuThreadPolicy, id) => ({ id, cpus: [id], memoryMb: 512, ...dedicated, cpuThreadPolicy })) },
    }
    const log = claimed({ ...basic, numaCells: cells }, asks, { ...basic, numaCells: cells })
    const { parts } = resize(log, asks, profileNamed('default'), 'RESIZE')
    expect(parts[0]?.grants.numa?.map(({ pinned }) => pinned)).toEqual([[0], [2]])
  })

  const siblings = [
    [0, 1],
    [2, 3],
    [4, 5],
  ]
  const hostOf = (pinnedCpus: readonly number[]): HostShape => ({ ...basic, numaCells: [cellOf(6, { siblings, pinnedCpus })] })
  const guestOf = (cpus: number, cpuThreadPolicy: 'prefer' | 'require', emulatorThreadsPolicy: 'isolate' | null = null) => {
    const { numaTopology, ...others } = guest(cpus, 512, { ...dedicated, cpuThreadPolicy })
    return { ...others, numaTopology: { ...numaTopology, emulatorThreadsPolicy } }
  }

  test.each<[name: string, others: readonly number[], had: Asks, asks: Asks, pinned: readonly number[] | null]>([
    ['none of two CPUs on two cores', [1, 3, 5, 4], guestOf(2, 'prefer'), guestOf(2, 'require'), null],
    ['none of three CPUs on three cores', [1, 3, 5], guestOf(3, 'prefer'), guestOf(3, 'require'), null],
    ['one of two CPUs on two cores', [1, 3, 5, 4], guestOf(2, 'prefer'), guestOf(1, 'require'), [0]],
    ['both CPUs of one core', [1, 3], guestOf(4, 'prefer'), guestOf(2, 'require'), [4, 5]],
    ['both CPUs of one core and one other CPU', [1, 3], guestOf(4, 'prefer'), guestOf(3, 'require'), [4, 5, 0]],
    ['all three CPUs, two of them on one core', [], guestOf(3, 'require'), guestOf(3, 'require'), [0, 1, 2]],
    [
      'both CPUs of one core, with the emulator on another core',
      [3, 4, 5],
      guestOf(2, 'prefer', 'isolate'),
      guestOf(2, 'require', 'isolate'),
      [0, 1],
    ],
  ])('%s', (_name, others, had, asks, pinned) => {
    const log = claimed(hostOf(others), had, hostOf(others))
    for (const intent of ['RESIZE', 'REBUILD'] as const) {
      const { parts } = resize(log, asks, profileNamed('default'), intent)
      expect(parts[0]?.grants.numa?.[0]?.pinned ?? null).toEqual(pinned)
    }
  })
})

test('an instance cannot keep units that it does not hold', () => {
  const log = claimed(
    { ...basic, gpus: [{ index: 0 }, { index: 1 }] },
    { gpus: { count: 1, shareMilli: 1_000 } },
    { ...basic, gpus: [{ index: 0 }] },
  )
  expect(move(log, { gpu: [{ index: 1, milli: 1_000 }] })).toBe('claim.no_room')
  expect(
    move(log, {
      gpu: [
        { index: 0, milli: 500 },
        { index: 0, milli: 501 },
      ],
    }),
  ).toBe('claim.no_room')
  expect(
    move(log, {
      gpu: [
        { index: 0, milli: 500 },
        { index: 0, milli: 500 },
      ],
    }),
  ).toBeUndefined()
})

test('memory in huge pages is not granted as plain memory, which would increase the excess', () => {
  const pages = [
    { sizeKib: 4, total: 262_144 },
    { sizeKib: 2_048, total: 3_584 },
  ]
  const host = { ...basic, numaCells: [cellOf(8, { pages })] }
  const log = claimed(host, large(2_048), host)
  expect(resize(log, guest(2, 2_048), profileNamed('default'), 'RESIZE').found).toBe(0)
  expect(resize(log, { vcpus: 2, memoryMb: 2_048 }, profileNamed('default'), 'RESIZE').found).toBe(0)
  expect(move(log, { classes: { VCPU: 2, MEMORY_MB: 2_048 } })).toBe('claim.no_room')
})

describe('pages of a size that the host no longer reports', () => {
  const small = { sizeKib: 4, total: 262_144 }
  const before = { ...basic, ramAllocationRatio: 2, numaCells: [cellOf(8, { pages: [small, { sizeKib: 2_048, total: 3_584 }] })] }
  const after = { ...before, numaCells: [cellOf(8, { pages: [small, { sizeKib: 1_048_576, total: 7 }] })] }
  const gib = (count: number): Grants => ({
    numa: [{ guest: 0, cell: 0, cpus: 1, memoryMb: 1_024 * count, pages: { sizeKib: 1_048_576, count } }],
  })

  test.each([
    ['not listed', OWN_UNITS, false, 3],
    ['listed, and not counted by the report', OWN_UNITS, true, 3],
    ['below feature level OWN_UNITS', OWN_UNITS - 1, false, 7],
  ])('are held as pages of another size from feature level OWN_UNITS on: %s', (_name, level, isListed, most) => {
    const log = claimed(before, large(4_096), after, level, isListed)
    expect(log.append([aClaim({ key: 'more', grants: gib(most + 1) })])).toEqual(['claim.no_room'])
    expect(log.append([aClaim({ key: 'all', grants: gib(most) })])).toEqual([undefined])
    expect(auditFleet(log.fleet)).toEqual([])
    log.append([aReport('h1', before, 3)])
    expect(auditFleet(log.fleet)).toEqual([])
  })

  test('used pages of the other size in the report are not counted again for the claim', () => {
    const counted = { ...after, numaCells: [cellOf(8, { pages: [small, { sizeKib: 1_048_576, total: 7, used: 4 }] })] }
    const log = claimed(before, large(4_096), counted, OWN_UNITS, true)
    expect(log.append([aClaim({ key: 'all', grants: gib(3) })])).toEqual([undefined])
    expect(auditFleet(log.fleet)).toEqual([])
  })
})
