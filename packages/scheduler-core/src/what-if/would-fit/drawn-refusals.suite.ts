import fc from 'fast-check'
import type { Fleet } from '../../fleet/fleet.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec, RequestSpecInput } from '../../request/request-spec.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { inNovaForm } from './nova-forms/in-nova-form.suite.ts'

export const GIB = 1_024
export const profiles = ['default', 'nova', 'nova-compat', 'best-fit', 'random'].map(
  (name) => builtInProfiles.find((known) => known.name === name) as Profile,
)

interface HostDrawn {
  readonly shape: HostShape
  readonly zone: 'zone1' | 'zone2' | null
  readonly state: 'ENABLED' | 'DISABLED' | 'MAINTENANCE' | 'DRAINING' | 'DOWN'
  /** The claims on the host: memory in GiB, and lifetime in seconds. A lifetime of 0 stands for a confirmed claim. */
  readonly held: readonly (readonly [gib: number, seconds: number])[]
  readonly isMember: boolean
  /** The memory in MiB that an operator reserved (`reserved`), and the vCPU ratio that an operator set (`cpuRatio`). Null if not set. */
  readonly reserved: number | null
  readonly cpuRatio: number | null
}

export const hostDrawn: fc.Arbitrary<HostDrawn> = fc.record({
  shape: fc
    .record({
      vcpus: fc.integer({ min: 1, max: 8 }),
      gib: fc.integer({ min: 1, max: 8 }),
      localGb: fc.constantFrom(0, 20, 100),
      traits: fc.constantFrom<string[]>([], [], ['CUSTOM_FAST'], ['CUSTOM_FAST', 'CUSTOM_QUIET']),
      gpus: fc.integer({ min: 0, max: 2 }),
      gpuNode: fc.constantFrom(null, 0, 1),
      fpgas: fc.integer({ min: 0, max: 4 }),
      units: fc.constantFrom({}, {}, { stepSize: 2 }, { stepSize: 3 }, { minUnit: 2 }, { maxUnit: 2 }),
      cells: fc.integer({ min: 0, max: 2 }),
      pci: fc.integer({ min: 0, max: 2 }),
    })
    .map(
      ({ gib, gpus, gpuNode, fpgas, units, cells, pci, ...rest }): HostShape => ({
        ...rest,
        memoryMb: gib * GIB,
        supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }],
        gpus: Array.from({ length: gpus }, (_, index) => ({ index, model: 'A100', numaNode: gpuNode })),
        inventories: fpgas === 0 ? [] : [{ resourceClass: 'CUSTOM_FPGA', total: 3 * fpgas, ...units }],
        numaCells: Array.from({ length: cells }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 2 * GIB })),
        pciPools: pci === 0 ? [] : [{ vendorId: 'v', productId: 'p', total: pci }],
      }),
    ),
  zone: fc.constantFrom('zone1', 'zone2', null),
  state: fc.constantFrom('ENABLED', 'ENABLED', 'ENABLED', 'DISABLED', 'MAINTENANCE', 'DRAINING', 'DOWN'),
  held: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 60, 60, 120, 600)), { maxLength: 3 }),
  isMember: fc.boolean(),
  reserved: fc.constantFrom(null, GIB, 2 * GIB, 5 * GIB),
  cpuRatio: fc.constantFrom(null, null, 0.5, 2),
})

type Parts = Parameters<typeof aRequest>[0]
const group = { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' as const } }
const soft = { uuid: aUuid(8), policy: 'SOFT_ANTI_AFFINITY' as const }
const spreadBy = (spread: NonNullable<RequestSpecInput['topologySpread']>[number]): Parts => ({
  instanceGroup: soft,
  topologySpread: [spread],
})
export const inCell: Parts = { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: GIB }] } }
const unevenCells = (...mib: readonly number[]): Parts => ({
  numaTopology: { cells: mib.map((memoryMb, id) => ({ id, cpus: [id], memoryMb })) },
})
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
/**
 * Draws the usual value three times out of four. A request with many unusual requirements would need more than two changes, so nothing
 * would be proposed.
 */
const rarely = <Value>(usual: Value, ...others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const typedDrawn: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 9 }),
    gib: fc.integer({ min: 1, max: 10 }),
    rootGb: fc.constantFrom(0, 0, 30),
    numInstances: fc.constantFrom(1, 1, 1, 2, 3, 5),
    place: rarely<Parts>(
      {},
      { availabilityZone: 'zone1' },
      { availabilityZone: 'zne2' },
      { forceHosts: ['h0'] },
      { ignoreHosts: ['h0'] },
      { forceHosts: ['h0'], requestedDestination: { host: 'h1' } },
      { forceHosts: ['h0'], forceNodes: ['h1'] },
      { requestedDestination: { host: 'h1', aggregates: [aUuid(3)] } },
      { forceHosts: ['h0'], requestedDestination: { host: 'h1', aggregates: [aUuid(2)] } },
      { forceHosts: ['h0'], requestedDestination: { host: 'h1' }, availabilityZone: 'zone1' },
      { requestedDestination: { forbiddenAggregates: [aUuid(1), aUuid(2), aUuid(3)] } },
    ),
    image: rarely<Parts>(
      {},
      { image: { architecture: 'x86_64', properties: { img_hv_type: 'xen' } } },
      { image: { minRamMb: GIB } },
      { image: { minRamMb: 700, minDiskGb: 10 } },
      { image: { properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm', os_type: 'linux' } } },
    ),
    traits: rarely<string[]>([], ['CUSTOM_FAST'], ['CUSTOM_FSAT'], ['CUSTOM_NONE_SUCH'], ['CUSTOM_FSAT', 'CUSTOM_QUIET']),
    specs: rarely<Record<string, string>>(
      {},
      {},
      {},
      { 'resources:CUSTOM_FPGA': '3' },
      { 'resources:CUSTOM_FPGA': '8' },
      { ssd: 'true' },
      { sdd: 'true' },
      { ssd: 'treu' },
    ),
    devices: rarely<Parts>(
      {},
      { gpus: { count: 1 } },
      { gpus: { count: 2, models: ['A10'] } },
      { pciRequests: [{ count: 2, specs: [{ vendor_id: 'v' }] }] },
      { pciRequests: [1, 1].map((count) => ({ count, specs: [{ vendor_id: 'v' }] })) },
      { gpus: { count: 1 }, pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }], ...inCell },
      { gpus: { count: 1, numaPolicy: 'required' }, ...inCell },
      {
        gpus: { count: 1, shareMilli: 500, numaPolicy: 'required' },
        ...inCell,
        pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }],
      },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 3 * GIB, cpuPolicy: 'dedicated' }] } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1, 2], memoryMb: GIB, cpuPolicy: 'dedicated' }] } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: GIB, pageSize: 1_048_576 }] } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: GIB, pageSize: 'large', cpuPolicy: 'dedicated' }] } },
      unevenCells(3 * GIB, GIB),
      unevenCells(GIB, 2 * GIB),
      group,
      spreadBy({ topologyKey: 'host', maxPerDomain: 1 }),
      spreadBy({ topologyKey: 'host', maxSkew: 1 }),
      spreadBy({ topologyKey: 'availability_zone', maxSkew: 1, maxPerDomain: 2 }),
      spreadBy({ topologyKey: 'rack', maxSkew: 1 }),
    ),
    /** The vCPUs and the memory in GiB of one instance of another kind. */
    other: rarely<readonly [vcpus: number, gib: number] | null>(null, [2, 9], [9, 1], [1, 1]),
  })
  .map(({ vcpus, gib, rootGb, numInstances, place, image, traits, specs, devices, other }) => {
    // a guest with NUMA cells is accepted only if the flavor equals the sum of the cells
    const cells = devices?.numaTopology?.cells
    const size =
      cells === undefined
        ? { vcpus, memoryMb: gib * GIB }
        : { vcpus: sumOf(cells.map(({ cpus }) => cpus.length)), memoryMb: sumOf(cells.map(({ memoryMb }) => memoryMb)) }
    return aRequest({
      flavor: { ...size, rootGb, extraSpecs: specs },
      requestedResources: [{ amounts: [], requiredTraits: traits }],
      ...{ numInstances, ...place, ...image, ...devices },
      ...(other !== null &&
        numInstances > 1 && { gang: [{ name: 'other', instances: 1, flavor: { vcpus: other[0], memoryMb: other[1] * GIB } }] }),
    })
  })

/** Requests in Gantt's form and, where it can express them, in Nova's form with further conditions. */
export const requestDrawn: fc.Arbitrary<RequestSpec> = fc
  .record({
    request: typedDrawn,
    isNova: fc.boolean(),
    isInCell: rarely(false, true),
    imageTraits: rarely<string[]>([], ['CUSTOM_FAST'], ['CUSTOM_FSAT']),
  })
  .map(({ request, isNova, ...only }) => (isNova ? inNovaForm(request, only) : undefined) ?? request)

export function fleetOf(drawn: readonly HostDrawn[]): Fleet {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...drawn.map(({ shape }, i) => aReport(`h${i}`, shape))])
  const membersOf = (isIn: (host: HostDrawn, i: number) => boolean) => drawn.flatMap((host, i) => (isIn(host, i) ? [`h${i}`] : []))
  const aggregates = [
    { name: 'zone1', hosts: membersOf(({ zone }) => zone === 'zone1'), metadata: { availability_zone: 'zone1' } },
    { name: 'zone2', hosts: membersOf(({ zone }) => zone === 'zone2'), metadata: { availability_zone: 'zone2' } },
    { name: 'fast', hosts: membersOf((_, i) => i % 2 === 0), metadata: { ssd: 'true' } },
  ]
  log.append(aggregates.map((next, i) => ({ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next })))
  for (const [i, { held, isMember, state, reserved, cpuRatio }] of drawn.entries()) {
    const host = `h${i}`
    const set = { type: 'hostAllocation', host, node: host, by: 'op', reason: 'test' } as const
    if (reserved !== null) log.append([{ ...set, resourceClass: 'MEMORY_MB', reserved }])
    if (cpuRatio !== null) log.append([{ ...set, resourceClass: 'VCPU', ratio: cpuRatio }])
    for (const [j, [gib, seconds]] of held.entries()) {
      const grants = { classes: { MEMORY_MB: gib * GIB } }
      const mode = seconds === 0 ? 'CONFIRM' : 'RESERVE'
      log.append([aClaim({ key: `${host}-${j}`, hosts: [host], grants, mode, ttlMs: Math.max(1, seconds) * 1_000 })])
    }
    const binding = { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
    if (isMember && i % 2 === 0)
      log.append([
        aClaim({
          key: `${host}-soft`,
          hosts: [host],
          grants: {},
          mode: 'CONFIRM',
          group: { uuid: aUuid(8), policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null },
        }),
      ])
    if (isMember) log.append([aClaim({ key: `${host}-member`, hosts: [host], grants: {}, group: binding })])
    if (state === 'DOWN') log.append([{ type: 'liveness', host, node: host, state, reason: 'silent' }])
    else if (state !== 'ENABLED') log.append([{ type: 'status', host, node: host, status: state, reason: 'test' }])
  }
  return log.fleet
}
