import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../../examine/examine.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Grants, MoveIntent } from '../../records/change.ts'
import type { Claim } from '../../records/claim.ts'
import { type Profile, profileSchema } from '../../records/profile.ts'
import { decide, liftSource } from '../../schedulers/decide.ts'
import { aClaim, aLog, aMove, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import { reasonText } from '../../text/reason-text.ts'
import { STRICT_CLAIMS } from '../../values/levels.ts'
import { resize } from '../testing/resize.ts'

/**
 * On a host whose use exceeds its capacity, OpenStack Placement allows writes that do not increase the excess. Each row names the source of
 * its situation.
 */

const profileNamed = (name: string): Profile => {
  const profile = builtInProfiles.find((known) => known.name === name)
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return profile
}
const solver = profileSchema.parse({ ...profileNamed('best-fit'), name: 'solver', number: 1, scheduler: 'solver' })
const profiles = [...['default', 'nova', 'nova-compat', 'first-fit', 'best-fit'].map(profileNamed), solver]

const roomy: HostShape = {
  vcpus: 16,
  memoryMb: 65_536,
  inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 8, used: null }],
}
const claimed = { VCPU: 8, MEMORY_MB: 8_192, CUSTOM_FPGA: 4 }

/** A log in which two claims reserve half of a host each. The host then reports less capacity. */
function overFull(then: HostShape, level: number = STRICT_CLAIMS, grants: Grants = { classes: claimed }): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', roomy)])
  for (const key of ['a', 'b'])
    expect(log.append([aClaim({ key, mode: 'CONFIRM', grants, instances: [aUuid(key.charCodeAt(0))] })])).toEqual([undefined])
  log.append([aReport('h1', { ...roomy, ...then }, 2)])
  return log
}

const claimOf = (log: TestLog, id: string): Claim => log.fleet.ledger.claims.get(id) as Claim

const move = (log: TestLog, grants: Grants, intent: MoveIntent = 'RESIZE', host = 'h1') => {
  const { id, fence, instance } = claimOf(log, 'a.0')
  return log.append([aMove({ source: { claim: id, fence }, intent, key: 'm', hosts: [host], instances: [instance], grants })])[0]
}

const fpgas = (amount: number) => ({ requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount }] }] })

describe.each<readonly [source: string, then: HostShape, asks: object, grants: Record<string, number>]>([
  [
    'Z03a: 4 to 2 in place, where the host lacks more than the difference',
    { vcpus: 4 },
    { vcpus: 2, memoryMb: 64 },
    { VCPU: 2, MEMORY_MB: 64 },
  ],
  ['F8: 8 to 2', { vcpus: 4 }, { vcpus: 2, memoryMb: 64 }, { VCPU: 2, MEMORY_MB: 64 }],
  ['placement allocations PUT: the same amounts again', { vcpus: 4 }, { vcpus: 8, memoryMb: 8_192, ...fpgas(4) }, claimed],
  ['one class shrinks, the full class keeps its amount', { memoryMb: 4_096 }, { vcpus: 4, memoryMb: 8_192 }, { VCPU: 4, MEMORY_MB: 8_192 }],
  [
    'one class shrinks, another class with free capacity grows',
    { vcpus: 4 },
    { vcpus: 2, memoryMb: 16_384 },
    { VCPU: 2, MEMORY_MB: 16_384 },
  ],
  [
    'placement inventory shrinks: a custom class',
    { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2, used: null }] },
    { vcpus: 8, memoryMb: 8_192, ...fpgas(3) },
    { VCPU: 8, MEMORY_MB: 8_192, CUSTOM_FPGA: 3 },
  ],
  ['a lowered ratio', { cpuAllocationRatio: 0.25 }, { vcpus: 6, memoryMb: 64 }, { VCPU: 6, MEMORY_MB: 64 }],
  [
    'memory that was later reserved for huge pages',
    { numaCells: [{ id: 0, cpuset: [0], memoryMb: 65_536, pages: [{ sizeKib: 1_048_576, total: 60 }] }] },
    { vcpus: 8, memoryMb: 8_192 },
    { VCPU: 8, MEMORY_MB: 8_192 },
  ],
])('%s', (_source, then, asks, classes) => {
  test.each(profiles.map((profile) => [profile.name, profile] as const))('is granted by the profile %s', (_name, profile) => {
    expect(resize(overFull(then), asks, profile).parts).toMatchObject([{ host: 'h1', grants: { classes } }])
  })

  test('a rebuild on its own host is granted', () => {
    expect(resize(overFull(then), asks, profileNamed('default'), 'REBUILD').found).toBe(1)
  })

  test('the judge accepts the resize, and the host is not fuller afterwards', () => {
    const log = overFull(then)
    const free = () => ['VCPU', 'MEMORY_MB', 'CUSTOM_FPGA'].map((name) => Math.min(0, log.fleet.hosts.classColumns(name).free[0] ?? 0))
    const before = free()
    expect(move(log, { classes })).toBeUndefined()
    expect(free()).toEqual(before)
    const moved = claimOf(log, 'm.0')
    expect(log.append([{ type: 'confirm', claim: moved.id, fence: moved.fence }])).toEqual([undefined])
    for (const [i, left] of free().entries()) expect(left).toBeGreaterThanOrEqual(before[i] ?? 0)
  })

  test('below feature level STRICT_CLAIMS the resize is refused', () => {
    const log = overFull(then, STRICT_CLAIMS - 1)
    // below feature level STRICT_CLAIMS, huge pages do not reduce the plain memory
    if (then.numaCells !== undefined) return
    expect(resize(log, asks, profileNamed('default')).found).toBe(0)
    expect(move(log, { classes })).toBe('claim.no_room')
  })
})

test.each<readonly [string, HostShape, object, Record<string, number>, string]>([
  ['more of the class that is full', { vcpus: 4 }, { vcpus: 9, memoryMb: 64 }, { VCPU: 9 }, 'cpu.too_few'],
  ['more of a class that is full and large enough', { vcpus: 12 }, { vcpus: 9, memoryMb: 64 }, { VCPU: 9 }, 'cpu.short'],
  [
    'a unit rule that the report states: no step',
    { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2, stepSize: 2, used: null }] },
    { vcpus: 1, ...fpgas(3) },
    { CUSTOM_FPGA: 3 },
    'class.unit',
  ],
  [
    'a unit rule that the report states: too many',
    { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 8, maxUnit: 2, used: null }] },
    { vcpus: 1, ...fpgas(3) },
    { CUSTOM_FPGA: 3 },
    'class.unit',
  ],
  ['a class that the host no longer has', { inventories: [] }, { vcpus: 1, ...fpgas(3) }, { CUSTOM_FPGA: 3 }, 'class.not_reported'],
])('refused: %s', (_source, then, asks, classes, code) => {
  const log = overFull(then)
  for (const profile of profiles) expect([profile.name, resize(log, asks, profile).found]).toEqual([profile.name, 0])
  expect(move(log, { classes })).toBe('claim.no_room')
  const overlay = openOverlay(log.fleet)
  const request = aRequest(asks)
  liftSource(overlay, request, claimOf(log, 'a.0'))
  const reasons = prepareChecks(log.fleet, request, profileNamed('default'))
    .checksOf(0 as never, true)
    .flatMap(({ reason }) => reason ?? [])
  overlay.discard()
  expect(reasons.map((reason) => reason.code)).toContain(code)
  for (const reason of reasons) expect(reasonText(reason)).not.toContain('undefined')
})

test('the resources of a claim count as free only for its own move and only on its own host', () => {
  const log = overFull({ vcpus: 4 })
  log.append([aReport('h2', { vcpus: 1 })])
  expect(log.append([aClaim({ key: 'new', grants: { classes: { VCPU: 1 } } })])).toEqual(['claim.no_room'])
  expect(move(log, { classes: { VCPU: 2 } }, 'COLD_MIGRATE', 'h2')).toBe('claim.no_room')
  expect(move(log, { classes: { VCPU: 1 } }, 'COLD_MIGRATE', 'h2')).toBeUndefined()
})

test('after a decision or a judgement every claim is in the sums again', () => {
  const log = overFull({ vcpus: 4 })
  resize(log, { vcpus: 2, memoryMb: 64 }, profileNamed('default'))
  expect(log.fleet.hosts.mover).toBeNull()
  move(log, { classes: { VCPU: 9 } })
  expect(log.fleet.hosts.mover).toBeNull()
})

describe('cells, CPUs and devices on the same host', () => {
  const pinnedCells: HostShape = {
    vcpus: 4,
    memoryMb: 8_192,
    numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 8_192, memoryUsageMb: 0, pinnedCpus: [] }],
  }
  const cells = [{ id: 0, cpus: [0, 1, 2, 3], memoryMb: 4_096, cpuPolicy: 'dedicated' as const }]
  const pciPools = [{ vendorId: '8086', productId: '154d', total: 1 }]
  const alias = { count: 1, specs: [{ vendor_id: '8086', product_id: '154d' }] }

  /** A log with the claim `a` for this request. The claim fills the host. */
  function full(host: HostShape, asks: Parameters<typeof aRequest>[0], level: number = STRICT_CLAIMS) {
    const log = aLog(new Fleet())
    log.append([{ type: 'feature', level }, aReport('h1', host)])
    const overlay = openOverlay(log.fleet)
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    const [part] = decide(log.fleet, overlay, { ...asked, request: aRequest(asks), profile: profileNamed('first-fit') }).parts
    overlay.discard()
    log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants: part?.grants ?? {}, instances: [aUuid(1)] })])
    return log
  }

  /** The reasons, as sentences, of every filter that refuses the claim's own host. */
  function texts({ fleet }: TestLog, asks: Parameters<typeof aRequest>[0], profile = profileNamed('default')): string {
    const overlay = openOverlay(fleet)
    liftSource(overlay, aRequest(asks), fleet.ledger.claims.get('a.0') as Claim)
    const checks = prepareChecks(fleet, aRequest(asks), profile).checksOf(0 as never, true)
    const sentences = checks.flatMap(({ reason }) => (reason === undefined ? [] : [reasonText(reason)])).join(' ')
    overlay.discard()
    return sentences
  }

  test.each<readonly [string, HostShape, Parameters<typeof aRequest>[0]]>([
    ['A07b: a PCI device', { pciPools }, { pciRequests: [alias] }],
    ['pinned CPUs', pinnedCells, { vcpus: 4, memoryMb: 4_096, numaTopology: { cells } }],
    ['a GPU', { gpus: [{ index: 0 }] }, { gpus: { count: 1, shareMilli: 1_000 } }],
  ])('%s: a resize needs it twice, as its refusal explains, and a rebuild needs nothing more', (_name, host, asks) => {
    const log = full(host, asks)
    expect(resize(log, asks, profileNamed('default')).found).toBe(0)
    expect(texts(log, asks)).toMatch(/The instance keeps its resources on this host until its move ends/)
    expect(resize(log, asks, profileNamed('default'), 'REBUILD').found).toBe(1)
    const older = full(host, asks, STRICT_CLAIMS - 1)
    expect(texts(older, asks)).not.toMatch(/until its move ends/)
  })

  const novaPci = profileSchema.parse({ name: 'pci', number: 1, compat: 'nova', filters: [{ name: 'PciPassthroughFilter' }], weighers: [] })
  const novaNuma = profileSchema.parse({ name: 'numa', number: 1, compat: 'nova', filters: [{ name: 'NUMATopologyFilter' }], weighers: [] })
  test.each<readonly [string, Profile, HostShape, Parameters<typeof aRequest>[0]]>([
    ['A07b under compat: nova: a PCI device', novaPci, { pciPools }, { pciRequests: [alias] }],
    ['pinned CPUs', novaNuma, pinnedCells, { vcpus: 4, memoryMb: 4_096, numaTopology: { cells }, image: { properties: {} } }],
  ])('%s: the reason of a Nova filter also explains that a resize needs it twice', (_name, profile, host, asks) => {
    const log = full(host, asks)
    expect(resize(log, asks, profile).found).toBe(0)
    expect(texts(log, asks, profile)).toMatch(/The instance keeps its resources on this host until its move ends/)
  })

  test('a pinned guest can be rebuilt on a host whose report counts the CPUs of the guest and has less memory than before', () => {
    const asks = { vcpus: 4, memoryMb: 4_096, numaTopology: { cells } }
    const log = full(pinnedCells, asks)
    const [cell] = pinnedCells.numaCells ?? []
    const counted = { ...cell, id: 0, cpuset: [0, 1, 2, 3], memoryMb: 2_048, memoryUsageMb: 4_096, pinnedCpus: [0, 1, 2, 3] }
    log.append([aReport('h1', { ...pinnedCells, vcpusUsed: 4, memoryMbUsed: 4_096, numaCells: [counted], instances: [aUuid(1)] }, 2)])
    for (const profile of profiles.filter(({ compat }) => compat === null || compat === undefined))
      expect([profile.name, resize(log, asks, profile, 'REBUILD').found]).toEqual([profile.name, 1])
    expect(
      resize(
        log,
        { ...asks, numaTopology: { cells: cells.map((one) => ({ ...one, memoryMb: 4_097 })) } },
        profileNamed('default'),
        'REBUILD',
      ).found,
    ).toBe(0)
  })
})
