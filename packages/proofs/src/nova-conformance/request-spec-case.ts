import { type NovaRequest, readLegacyRequest, readNovaRequest } from '@gantt/scheduler-core/nova'
import { asList, asObject, asText } from './case-host.ts'
import type { Case } from './cases.ts'
import { type Difference, differenceOf } from './verdicts.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Checks a RequestSpec in one of its wire versions and, if the case has such data, in Nova's older dictionaries. Each form must be read as
 * the recorded request.
 */
export function judgeRequestSpecCase(given: Case): Difference | undefined {
  const expected = asObject(given.expected, 'expected')
  const { request, version, set } = readNovaRequest(given.primitive)
  const meaning: Json = { object_version: version, set_fields: [...set].sort(), ...meaningOf(request) }
  const difference = differenceOf(expected, only(meaning, Object.keys(expected)), 'expected')
  if (difference !== undefined || given.legacy_dicts === undefined) return difference
  const { request_spec, filter_properties } = asObject(given.legacy_dicts, 'legacy_dicts')
  // The older dictionaries have fields that the object of this version lacks, so only the fields that the object sets are compared.
  const known = asList(expected.set_fields, 'set_fields').map((field) => asText(field, 'set field'))
  const legacy = meaningOf(readLegacyRequest({ request_spec, filter_properties }))
  return differenceOf(withOnePolicy(only(expected, known)), withOnePolicy(only(legacy, known)), 'legacy')
}

/** A request in the form of a case, with null for unset values. */
function meaningOf(request: NovaRequest): Json {
  const { flavor, image, instanceGroup: group, limits, requestedDestination: destination, retry } = request
  return {
    num_instances: request.numInstances,
    instance_uuid: request.instanceUuid ?? null,
    project_id: request.projectId ?? null,
    user_id: request.userId ?? null,
    availability_zone: request.availabilityZone ?? null,
    is_bfv: request.isBfv ?? null,
    flavor: {
      name: flavor.name,
      flavorid: flavor.flavorid,
      vcpus: flavor.vcpus,
      memory_mb: flavor.memoryMb,
      root_gb: flavor.rootGb,
      ephemeral_gb: flavor.ephemeralGb,
      swap_mb: flavor.swap,
      extra_specs: flavor.extraSpecs ?? null,
    },
    image: image
      ? { id: image.id ?? null, min_ram: image.minRam ?? null, min_disk: image.minDisk ?? null, properties: image.properties }
      : null,
    scheduler_hints: request.schedulerHints ?? null,
    ignore_hosts: request.ignoreHosts ?? null,
    force_hosts: request.forceHosts ?? null,
    force_nodes: request.forceNodes ?? null,
    instance_group: group
      ? {
          uuid: group.uuid ?? null,
          policy: group.policy ?? null,
          policies: group.policies ?? null,
          members: group.members ?? null,
          hosts: group.hosts ?? null,
          rules: rulesOf(group.rules ?? {}),
        }
      : null,
    limits: limits
      ? { numa_topology: null, vcpu: limits.vcpu ?? null, disk_gb: limits.diskGb ?? null, memory_mb: limits.memoryMb ?? null }
      : null,
    requested_destination: destination
      ? {
          host: destination.host ?? null,
          node: destination.node ?? null,
          cell: destination.cellUuid ?? null,
          aggregates: destination.aggregates ?? null,
          allow_cross_cell_move: destination.allowCrossCellMove ?? null,
          forbidden_aggregates: destination.forbiddenAggregates ?? null,
        }
      : null,
    numa_topology:
      request.numaTopology?.cells.map((cell) => ({
        id: cell.id,
        cpuset: cell.cpuset,
        pcpuset: cell.pcpuset ?? null,
        memory_mb: cell.memory,
        pagesize: cell.pagesize,
        cpu_policy: cell.cpuPolicy,
        cpu_thread_policy: cell.cpuThreadPolicy,
      })) ?? null,
    pci_requests:
      request.pciRequests?.map(({ count, spec, alias, numaPolicy }) => ({
        count,
        spec,
        alias: alias ?? null,
        numa_policy: numaPolicy ?? null,
      })) ?? null,
    retry: retry ? { num_attempts: retry.numAttempts ?? null, hosts: retry.hosts.map(({ host, node }) => [host, node]) } : null,
    network_metadata: request.networkMetadata ?? null,
    security_groups: request.securityGroups ?? null,
    requested_resources: request.requestedResources?.length
      ? request.requestedResources.map(({ requesterId, resources, requiredTraits }) => ({
          requester_id: requesterId ?? null,
          resources,
          required_traits: requiredTraits,
        }))
      : null,
    request_level_params: request.requestLevelParams
      ? {
          root_required: request.requestLevelParams.rootRequired,
          root_forbidden: request.requestLevelParams.rootForbidden,
          same_subtree: request.requestLevelParams.sameSubtree,
        }
      : null,
    requested_networks: request.requestedNetworks ?? null,
  }
}

/**
 * Replaces the fields `policy` and `policies` of the group by one field `policy`, because versions of the object differ in these fields.
 */
function withOnePolicy(meaning: Json): Json {
  if (!meaning.instance_group) return meaning
  const { policy, policies, ...group } = asObject(meaning.instance_group, 'instance_group')
  return { ...meaning, instance_group: { ...group, policy: policy ?? (Array.isArray(policies) ? policies[0] : undefined) } }
}

/** The group's rules in the form of the case, in which the value of `max_server_per_host` is a number. */
const rulesOf = (rules: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(rules).map(([name, value]) => [name, name === 'max_server_per_host' ? Number(value) : value]))

const only = (value: Json, fields: readonly string[]): Json => Object.fromEntries(fields.map((field) => [field, value[field]]))
