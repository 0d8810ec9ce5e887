import { expect } from 'vitest'
import { prepareChecks } from '../../../examine/examine.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { openOverlay } from '../../../fleet/overlay.ts'
import { builtInProfilesAt } from '../../../profiles/built-in.ts'
import { type PlacementRules, type Profile, type ProfileInput, profileSchema } from '../../../records/profile.ts'
import { parseRequestSpec } from '../../../request/parse.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { decide } from '../../../schedulers/decide.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../../testing/index.ts'
import type { JsonObject } from '../../../values/json.ts'
import { PLACEMENT_RULES } from '../../../values/levels.ts'
import type { Imported } from '../../import/import.ts'
import { importLegacyRequest, importNovaRequest } from '../../import/request.ts'

/*
 * The type of the rows in placement-tables.ts, and functions that evaluate them. The rows are about what Nova checks with Placement before
 * its own filters run. Each row is named after its case, or after Nova's own test of the same situation.
 */

type Asks = Parameters<typeof aRequest>[0]
type Aggregates = Readonly<Record<string, readonly [metadata: Record<string, string>, ...hosts: string[]]>>

export interface Row {
  /** The aggregates by name, each with its metadata and hosts. The first one has the uuid `aUuid(1)`, the second `aUuid(2)`, and so on. */
  readonly aggregates?: Aggregates
  readonly rules?: Partial<PlacementRules>
  /** The filters of the profile; absent: those of the profile nova-compat. */
  readonly filters?: ProfileInput['filters']
  readonly hosts?: Readonly<Record<string, HostShape>>
  readonly asks?: Asks | RequestSpec
  readonly disabled?: readonly string[]
  /** The expected result: the chosen host, or for each host the first filter that refuses it, with the code of the reason. */
  readonly gets: string | Readonly<Record<string, string>>
}

export const compatAt = (level: number): Profile => builtInProfilesAt(level).find(({ name }) => name === 'nova-compat') as Profile
export const withRules = (placement: Partial<PlacementRules>, filters?: Row['filters']): Profile =>
  profileSchema.parse({ ...compatAt(PLACEMENT_RULES), number: 1, nova: { placement }, ...(filters !== undefined && { filters }) })

/** The profile that decides a row. */
export const profileOf = ({ rules, filters }: Row, level: number): Profile => {
  if (level >= PLACEMENT_RULES && (rules !== undefined || filters !== undefined)) return withRules(rules ?? {}, filters)
  const shipped = compatAt(level)
  return filters === undefined ? shipped : profileSchema.parse({ ...shipped, number: 1, filters })
}

/** A fleet with hosts h1 and h2. Host h1 is chosen unless a filter refuses it, because it has more free memory. */
export function townOf({ aggregates = {}, hosts = {}, disabled = [] }: Row, level = PLACEMENT_RULES): Fleet {
  const log = aLog()
  const shapes: Record<string, HostShape> = { h1: { memoryMb: 131_072 }, h2: {}, ...hosts }
  log.append([
    { type: 'feature', level },
    ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape)),
    ...Object.entries(aggregates).map(([name, [metadata, ...members]], i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 1),
      expectedVersion: 0,
      next: { name, metadata, hosts: members },
    })),
    ...disabled.map((host) => ({ type: 'status' as const, host, node: host, status: 'DISABLED' as const, reason: 'fan' })),
  ])
  return log.fleet
}

const isRequest = (asks: Asks | RequestSpec): asks is RequestSpec => asks !== undefined && 'topologySpread' in asks && 'nova' in asks
export const requestOf = (asks: Asks | RequestSpec = {}): RequestSpec => (isRequest(asks) ? asks : aRequest(asks))

export function decided(fleet: Fleet, request: RequestSpec, profile: Profile) {
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      ...{ id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] },
      request,
      profile,
    })
  } finally {
    overlay.discard()
  }
}

export function outcomeOf(row: Row, level?: number): Row['gets'] {
  const fleet = townOf(row, level)
  const profile = profileOf(row, fleet.featureLevel)
  const request = requestOf(row.asks)
  const [part] = decided(fleet, request, profile).parts
  if (part !== undefined) return part.host
  const { checksOf } = prepareChecks(fleet, request, profile)
  const present = Array.from(fleet.hosts.presentIndexes, (index) => fleet.hosts.get(index as never))
  return Object.fromEntries(
    present.map(({ index, host }) => {
      const refusal = checksOf(index).find(({ reason }) => reason !== undefined)
      for (const { requiredFrom, actualFrom } of refusal?.facts ?? []) expect([requiredFrom.ref, actualFrom.ref]).not.toContain('')
      expect(refusal?.facts?.length).toBeGreaterThan(0)
      return [host, `${refusal?.filter} ${refusal?.reason?.code}`]
    }),
  )
}

export const both = (said: string) => ({ h1: said, h2: said })

/** A host with the trait that Nova gives to disabled hosts. The host has more free memory than others. */
export const marked = (): HostShape => ({ memoryMb: 131_072, traits: ['COMPUTE_STATUS_DISABLED'] })

/** A versioned object of Nova. */
export const wire = (name: string, version: string, data: JsonObject): JsonObject => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
function read(imported: Imported): RequestSpec {
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseRequestSpec(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}
const flavor = { name: 'm1', vcpus: 1, memory_mb: 1_024, root_gb: 1, ephemeral_gb: 0, swap: 0 }
/** Creates a request from the fields of Nova's RequestSpec. */
export const fromNova = (data: JsonObject, extra_specs: Record<string, string> = {}): RequestSpec =>
  read(
    importNovaRequest(
      wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', { ...flavor, extra_specs }), num_instances: 1, ...data }),
    ),
  )
/** The fields of a request with this trait in `root_required`. */
export const rootTraits = (trait: string): JsonObject => ({
  request_level_params: wire('RequestLevelParams', '1.1', { root_required: [trait], root_forbidden: [] }),
})
export const bound = (data: JsonObject): RequestSpec => fromNova({ requested_destination: wire('Destination', '1.4', data) })
export const image = (disk_format: string, properties: JsonObject = {}) =>
  wire('ImageMeta', '1.8', { id: aUuid(9), disk_format, properties: wire('ImageMetaProps', '1.34', properties) })
/** Creates a request from the dictionaries that Nova used before RequestSpec existed. */
export const legacy = (instance: JsonObject, filter_properties: JsonObject = {}, more: JsonObject = {}): RequestSpec =>
  read(
    importLegacyRequest({
      request_spec: { instance_properties: instance, instance_type: { ...flavor, extra_specs: {} }, num_instances: 1, ...more },
      filter_properties,
    }),
  )
/** A ComputeNode with these fields. */
const computeNodeWith = (fields: JsonObject) =>
  wire('ComputeNode', '1.19', {
    ...{ vcpus: 16, vcpus_used: 0, memory_mb: 65_536, memory_mb_used: 0, local_gb: 1_024, local_gb_used: 0, free_ram_mb: 65_536 },
    ...{ free_disk_gb: 1_024, running_vms: 0, cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1 },
    ...fields,
  })
/** A host that reports a ComputeNode with these fields. */
export const nodeWith = (fields: JsonObject, cellUuid: string | null = null): HostShape => ({
  nova: { computeNode: computeNodeWith(fields), cellUuid },
})
export const inCell = (cellUuid: string | null): HostShape => nodeWith({}, cellUuid)
/** A host whose report says that an operator disabled its nova-compute service in Nova. */
export const reportedDisabled: HostShape = {
  nova: {
    computeNode: computeNodeWith({}),
    service: wire('Service', '1.22', { disabled: true, disabled_reason: 'fan', forced_down: false }),
  },
}
export const extra = (extraSpecs: Record<string, string>): Asks => ({ flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs } })
export const cellOf = (uuid: string) => wire('CellMapping', '1.1', { uuid })

export const zones: Aggregates = { a1: [{ availability_zone: 'z1' }, 'h1'], a2: [{ availability_zone: 'z2' }, 'h2'] }
