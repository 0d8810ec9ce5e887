import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { importLegacyRequest, importNovaRequest } from '../../nova/import/request.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aReport, aUuid, type HostShape } from '../../testing/index.ts'
import { type Cause, causeOf } from '../cause.ts'
import type { NearestHost } from '../refusal.ts'
import { type Shortfall, shortfallsOf, thingOf } from '../shortfalls.ts'

/** A randomly drawn host. It has few resources. Therefore hosts that almost fit a request are common, with every kind of shortfall. */
export interface HostDrawn {
  readonly name?: string
  readonly shape: HostShape
  readonly zone: 'z1' | 'z2' | null
  readonly rack: 'r1' | 'r2' | null
  readonly isFast: boolean
  readonly isDisabled: boolean
  /**
   * `isMember` is true if the host holds a member of the anti-affinity group. `isHome` is true if it holds a member of the affinity group.
   */
  readonly isMember: boolean
  readonly isHome: boolean
}

export const MIB = 1_024
export const APART = aUuid(71)
const TOGETHER = aUuid(72)
const FAST = aUuid(5)

export const profiles = ['default', 'nova', 'nova-compat', 'best-fit'].map(
  (name) => builtInProfiles.find((known) => known.name === name) as Profile,
)

export const cellsOf = (sizes: readonly { readonly cpus: number; readonly gib: number }[]) =>
  sizes.map(({ cpus, gib }, id) => ({ id, cpuset: Array.from({ length: cpus }, (_, i) => id * 100 + i), memoryMb: gib * MIB }))

export function fleetOf(drawn: readonly HostDrawn[]): Fleet {
  const log = aLog()
  const hosts = drawn.map((host, i) => ({ ...host, name: host.name ?? `h${i}` }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map(({ name, shape }) => aReport(name, shape))])
  const named = (isIn: (host: (typeof hosts)[number]) => boolean) => hosts.filter(isIn).map(({ name }) => name)
  const aggregates = [
    ...(['z1', 'z2'] as const).map((zone, i) => [aUuid(i + 1), zone, named((host) => host.zone === zone), { availability_zone: zone }]),
    ...(['r1', 'r2'] as const).map((rack, i) => [aUuid(i + 3), rack, named((host) => host.rack === rack), { rack }]),
    [FAST, 'fast', named(({ isFast }) => isFast), { ssd: 'true' }],
  ] as const
  log.append(
    aggregates.map(([uuid, name, members, metadata]) => ({
      type: 'aggregate' as const,
      uuid: uuid as string,
      expectedVersion: 0,
      next: { name: name as string, hosts: members as string[], metadata: metadata as Record<string, string> },
    })),
  )
  const apart = { uuid: APART, policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
  const together = { uuid: TOGETHER, policy: 'AFFINITY', maxServerPerHost: null } as const
  for (const name of named(({ isMember }) => isMember))
    log.append([aClaim({ key: `apart-${name}`, hosts: [name], grants: {}, group: apart })])
  const home = named(({ isHome }) => isHome)[0]
  if (home !== undefined) log.append([aClaim({ key: 'together', hosts: [home], grants: {}, group: together })])
  log.append(
    named(({ isDisabled }) => isDisabled).map((host) => ({
      ...{ type: 'status' as const, host, node: host, status: 'DISABLED' as const, reason: 'test' },
    })),
  )
  return log.fleet
}

/**
 * A randomly drawn request that can be written in three forms: the typed form, Nova's objects and Nova's older dictionaries. It has only
 * properties that all three forms can express.
 */
export interface RequestDrawn {
  readonly instances: number
  readonly vcpus: number
  readonly memoryMb: number
  readonly rootGb: number
  readonly zone: string | null
  readonly forceHosts: readonly string[]
  readonly ignoreHosts: readonly string[]
  readonly traits: readonly string[]
  readonly forbidden: readonly string[]
  readonly specs: Readonly<Record<string, string>>
  readonly group: 'anti-affinity' | 'affinity' | null
  readonly cells: readonly { readonly cpus: number; readonly gib: number; readonly isDedicated: boolean }[]
  readonly devices: readonly { readonly count: number; readonly vendor: string }[]
}

/** The numbers of the CPUs in the guest cell with index `i`. CPUs are numbered consecutively over all cells. */
const guestCpus = (cells: RequestDrawn['cells'], i: number): number[] => {
  const from = cells.slice(0, i).reduce((sum, { cpus }) => sum + cpus, 0)
  return Array.from({ length: cells[i]?.cpus ?? 0 }, (_, cpu) => from + cpu)
}

const extraSpecsOf = ({ specs, traits, forbidden }: RequestDrawn) => ({
  ...specs,
  ...Object.fromEntries([
    ...traits.map((trait) => [`trait:${trait}`, 'required']),
    ...forbidden.map((trait) => [`trait:${trait}`, 'forbidden']),
  ]),
})

function parsed(document: unknown): RequestSpec {
  const outcome = parseRequestSpec(document)
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join('; '))
  return outcome.value
}

function imported(outcome: ReturnType<typeof importNovaRequest>): RequestSpec {
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join('; '))
  return parsed(outcome.document)
}

export const typedForm = (drawn: RequestDrawn, more: object = {}): RequestSpec =>
  parsed({
    flavor: { vcpus: drawn.vcpus, memoryMb: drawn.memoryMb, rootGb: drawn.rootGb, extraSpecs: extraSpecsOf(drawn) },
    numInstances: drawn.instances,
    availabilityZone: drawn.zone,
    forceHosts: drawn.forceHosts,
    ignoreHosts: drawn.ignoreHosts,
    ...(drawn.group !== null && {
      instanceGroup: { uuid: groupUuid[drawn.group], policy: drawn.group === 'affinity' ? 'AFFINITY' : 'ANTI_AFFINITY' },
    }),
    ...(drawn.cells.length > 0 && {
      numaTopology: {
        cells: drawn.cells.map(({ gib, isDedicated }, id) => ({
          ...{ id, cpus: guestCpus(drawn.cells, id), memoryMb: gib * MIB, cpuPolicy: isDedicated ? 'dedicated' : 'shared' },
        })),
      },
    }),
    pciRequests: drawn.devices.map(({ count, vendor }) => ({ count, specs: [{ vendor_id: vendor }] })),
    ...more,
  })

const groupUuid = { affinity: TOGETHER, 'anti-affinity': APART }

const envelope = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

const novaFlavor = (drawn: RequestDrawn) => ({
  ...{ vcpus: drawn.vcpus, memory_mb: drawn.memoryMb, root_gb: drawn.rootGb, ephemeral_gb: 0, swap: 0, extra_specs: extraSpecsOf(drawn) },
})

const novaTopology = ({ cells }: RequestDrawn) =>
  cells.length === 0
    ? null
    : envelope('InstanceNUMATopology', '1.3', {
        cells: cells.map(({ gib, isDedicated }, id) => {
          const cpus = guestCpus(cells, id)
          const sides = isDedicated ? { cpuset: [], pcpuset: cpus, cpu_policy: 'dedicated' } : { cpuset: cpus, pcpuset: [] }
          return envelope('InstanceNUMACell', '1.5', { id, memory: gib * MIB, pagesize: null, ...sides })
        }),
        emulator_threads_policy: null,
      })

const novaDevices = ({ devices }: RequestDrawn) =>
  devices.length === 0
    ? null
    : envelope('InstancePCIRequests', '1.1', {
        requests: devices.map(({ count, vendor }) => envelope('InstancePCIRequest', '1.3', { count, spec: [{ vendor_id: vendor }] })),
      })

export const novaForm = (drawn: RequestDrawn): RequestSpec =>
  imported(
    importNovaRequest(
      envelope('RequestSpec', '1.14', {
        flavor: envelope('Flavor', '1.2', novaFlavor(drawn)),
        num_instances: drawn.instances,
        availability_zone: drawn.zone,
        force_hosts: drawn.forceHosts.length === 0 ? null : drawn.forceHosts,
        ignore_hosts: drawn.ignoreHosts.length === 0 ? null : drawn.ignoreHosts,
        instance_group:
          drawn.group &&
          envelope('InstanceGroup', '1.11', {
            uuid: groupUuid[drawn.group],
            policy: drawn.group,
            policies: [drawn.group],
            members: [],
            hosts: [],
          }),
        numa_topology: novaTopology(drawn),
        pci_requests: novaDevices(drawn),
      }),
    ),
  )

export const legacyForm = (drawn: RequestDrawn): RequestSpec =>
  imported(
    importLegacyRequest({
      request_spec: {
        num_instances: drawn.instances,
        instance_type: novaFlavor(drawn),
        instance_properties: {
          availability_zone: drawn.zone,
          ...(drawn.cells.length > 0 && { numa_topology: novaTopology(drawn) }),
          ...(drawn.devices.length > 0 && { pci_requests: novaDevices(drawn) }),
        },
        image: {},
      },
      filter_properties: {
        ...(drawn.forceHosts.length > 0 && { force_hosts: drawn.forceHosts }),
        ...(drawn.ignoreHosts.length > 0 && { ignore_hosts: drawn.ignoreHosts }),
        ...(drawn.group !== null && {
          group_updated: true,
          group_uuid: groupUuid[drawn.group],
          group_policies: [drawn.group],
          group_members: [],
          group_hosts: [],
        }),
      },
    }),
  )

/** How many instances of a request are placed. */
export const foundOf = (fleet: Fleet, asked: RequestSpec, profile: Profile): number => afterFound(fleet, asked, profile, (found) => found)

export const refuses = (fleet: Fleet, asked: RequestSpec, profile: Profile): boolean => foundOf(fleet, asked, profile) < asked.numInstances

/** The cause for the first instance of a request that finds no host. */
export const causeIn = (fleet: Fleet, asked: RequestSpec, profile: Profile): Cause =>
  afterFound(fleet, asked, profile, (found, judged) => causeOf(fleet, asked, judged, found))

/** Calls `read` while the fleet holds the instances of a request that find a host. `found` is their count, and `judged` the profile that explains the next one. */
export function afterFound<T>(fleet: Fleet, asked: RequestSpec, profile: Profile, read: (found: number, judged: Profile) => T): T {
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: asked.numInstances }, (_, i) => `c${i}`)
  const input = {
    id: 'd',
    request: asked,
    profile,
    seed: 's',
    attempt: 1,
    alternatesPerInstance: 0,
    allOrNothing: false,
    claimIds,
    isExplained: true,
  }
  try {
    const { found, judged } = decide(fleet, overlay, input)
    return read(found, judged)
  } finally {
    overlay.discard()
  }
}

/** The codes of refusals that can be resolved by more resources on the host or by a different setting of the host. */
const mendable = /^(?:memory|cpu|disk|class|numa|pci|gpu)\.|^host\.disabled$|^zone\.other$|^trait\.|^aggregate\.extra_spec$/

/**
 * The host with exactly the shortfalls resolved that are listed for `nearest`. Undefined if a shortfall cannot be resolved by changing the
 * host.
 */
export function mend(host: HostDrawn, nearest: NearestHost, { cells }: RequestDrawn): HostDrawn | undefined {
  if (nearest.refusals.some(({ reason }) => !mendable.test(reason.code))) return undefined
  let { shape, zone, isDisabled, isFast } = host
  for (const { reason } of nearest.refusals) {
    if (reason.code === 'host.disabled') isDisabled = false
    if (reason.code === 'zone.other') zone = reason.need as 'z1'
    if (reason.code === 'aggregate.extra_spec') isFast = true
  }
  const shortfalls = shortfallsOf(nearest)
  shape = withAmounts(shape, shortfalls)
  // resolving the largest shortfall of GPUs resolves the other shortfalls of GPUs too
  const gpusMissing = Math.max(
    0,
    ...shortfalls.map(({ unit, required, actual }) => (unit === 'GPUs' ? Number(required) - Number(actual) : 0)),
  )
  if (gpusMissing > 0) shape = { ...shape, gpus: withGpus(shape, gpusMissing) }
  for (const { subject, required, actual, unit } of shortfalls) {
    const missing = Number(required) - Number(actual)
    if (subject === 'trait' && required !== undefined) shape = { ...shape, traits: [...(shape.traits ?? []), String(required)] }
    if (subject === 'trait' && required === undefined)
      shape = { ...shape, traits: (shape.traits ?? []).filter((trait) => trait !== actual) }
    if (subject === 'GPU model') shape = { ...shape, gpus: (shape.gpus ?? []).map((gpu) => ({ ...gpu, model: String(required) })) }
    if (unit === 'devices' && missing > 0) shape = { ...shape, pciPools: withDevices(shape, subject, missing) }
    if (subject === 'NUMA' && unit === 'cells' && missing > 0) shape = { ...shape, numaCells: withCells(shape, missing, cells) }
    const cellId = / on cell (\d+) of the host/.exec(subject)?.[1]
    if (cellId !== undefined && missing > 0) shape = { ...shape, numaCells: withLargerCell(shape, Number(cellId), missing, unit) }
  }
  return { ...host, shape, zone, isDisabled, isFast }
}

/** Raises the total of each resource class by the largest shortfall of the class. This raises the free amount by the same amount. */
function withAmounts(shape: HostShape, shortfalls: readonly Shortfall[]): HostShape {
  const missingOf = (thing: string): number =>
    Math.max(
      0,
      ...shortfalls
        .filter(({ subject }) => thingOf(subject) === thing)
        .map(({ required, actual, unit }) => (Number(required) - Number(actual)) / (thing === 'DISK_GB' && unit === 'MiB' ? MIB : 1)),
    )
  return {
    ...shape,
    vcpus: (shape.vcpus ?? 0) + missingOf('VCPU'),
    memoryMb: (shape.memoryMb ?? 0) + missingOf('MEMORY_MB'),
    localGb: (shape.localGb ?? 0) + Math.ceil(missingOf('DISK_GB')),
  }
}

/** Adds the missing GPUs. They have the model A, the only model that requests name. */
const withGpus = ({ gpus = [] }: HostShape, missing: number) => [
  ...gpus,
  ...Array.from({ length: missing }, (_, i) => ({ index: gpus.length + i, model: 'A' })),
]

/** Adds the missing PCI devices of the vendor in the subject. */
function withDevices({ pciPools = [] }: HostShape, subject: string, missing: number): NonNullable<HostShape['pciPools']> {
  const wanted = /vendor (\w+)/.exec(subject)?.[1]
  if (wanted === undefined) throw new Error(`the subject of missing PCI devices must name their vendor; found ${subject}`)
  return ['v1', 'v2'].map((vendorId) => ({
    ...{ vendorId, productId: 'p' },
    total: pciPools.reduce((sum, pool) => sum + (pool.vendorId === vendorId ? pool.total : 0), vendorId === wanted ? missing : 0),
  }))
}

const withCells = ({ numaCells = [] }: HostShape, missing: number, guests: RequestDrawn['cells']) =>
  cellsOf([
    ...numaCells.map(({ cpuset, memoryMb }) => ({ cpus: cpuset.length, gib: memoryMb / MIB })),
    ...Array.from({ length: missing }, () => ({
      cpus: Math.max(...guests.map(({ cpus }) => cpus)),
      gib: Math.max(...guests.map(({ gib }) => gib)),
    })),
  ])

/** Adds the missing CPUs or memory to the cell with this id. */
const withLargerCell = ({ numaCells = [] }: HostShape, id: number, missing: number, unit: string | undefined) =>
  cellsOf(
    numaCells.map((cell) => ({
      cpus: cell.cpuset.length + (cell.id === id && unit !== 'MiB' ? missing : 0),
      gib: (cell.memoryMb + (cell.id === id && unit === 'MiB' ? missing : 0)) / MIB,
    })),
  )
