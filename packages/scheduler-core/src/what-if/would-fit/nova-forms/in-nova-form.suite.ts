import { fromNova, wire } from '../../../nova/compat/testing/placement-rows.ts'
import { PAGES } from '../../../nova/hardware/topology.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { aUuid } from '../../../testing/index.ts'
import type { JsonObject } from '../../../values/json.ts'

/** Conditions that only a document in Nova's form has. */
export interface OnlyInDocument {
  readonly isInCell: boolean
  readonly imageTraits: readonly string[]
}

type Guest = NonNullable<RequestSpec['numaTopology']>

const cellOf = ({ id, cpus, memoryMb, pageSize, cpuPolicy }: Guest['cells'][number]): JsonObject =>
  wire('InstanceNUMACell', '1.5', {
    ...{ id, memory: memoryMb, cpu_policy: cpuPolicy === 'shared' ? null : cpuPolicy },
    cpuset: cpuPolicy === 'shared' ? [...cpus] : [],
    pcpuset: cpuPolicy === 'shared' ? [] : [...cpus],
    pagesize: typeof pageSize === 'string' ? PAGES[pageSize] : pageSize,
  })

/** The request as Nova sends it, with further conditions. Undefined if Nova's form cannot express the request. */
export function inNovaForm(request: RequestSpec, { isInCell, imageTraits }: OnlyInDocument): RequestSpec | undefined {
  const { flavor, image, instanceGroup, requestedDestination: place, numaTopology, pciRequests, requestedResources } = request
  if (request.gpus !== null || request.gang.length + request.topologySpread.length > 0 || image?.architecture) return undefined
  const traits = requestedResources.flatMap(({ requiredTraits }) => requiredTraits)
  const properties = { ...image?.properties, ...(imageTraits.length > 0 && { traits_required: [...imageTraits] }) }
  return fromNova({
    flavor: wire('Flavor', '1.2', {
      ...{ name: 'm1', vcpus: flavor.vcpus, memory_mb: flavor.memoryMb, extra_specs: { ...flavor.extraSpecs } },
      ...{ root_gb: flavor.rootGb, ephemeral_gb: flavor.ephemeralGb, swap: flavor.swapMb },
    }),
    num_instances: request.numInstances,
    image: wire('ImageMeta', '1.8', {
      ...{ id: 'i', min_ram: image?.minRamMb ?? 0, min_disk: image?.minDiskGb ?? 0 },
      properties: wire('ImageMetaProps', '1.34', properties),
    }),
    availability_zone: request.availabilityZone,
    force_hosts: [...request.forceHosts],
    force_nodes: [...request.forceNodes],
    ignore_hosts: [...request.ignoreHosts],
    instance_group:
      instanceGroup &&
      wire('InstanceGroup', '1.11', {
        uuid: instanceGroup.uuid,
        policy: instanceGroup.policy.toLowerCase().replaceAll('_', '-'),
        ...{ policies: [instanceGroup.policy.toLowerCase().replaceAll('_', '-')], members: [], hosts: [] },
      }),
    requested_destination: wire('Destination', '1.4', {
      ...{ host: place?.host ?? null, node: place?.node ?? null },
      ...(isInCell && { cell: wire('CellMapping', '1.1', { uuid: aUuid(40) }) }),
      aggregates: (place?.aggregates ?? []).length > 0 ? [(place?.aggregates ?? []).join(',')] : [],
      forbidden_aggregates: [...(place?.forbiddenAggregates ?? [])],
    }),
    numa_topology:
      numaTopology && wire('InstanceNUMATopology', '1.3', { cells: numaTopology.cells.map(cellOf), emulator_threads_policy: null }),
    pci_requests: pciRequests.map(({ count, specs, numaPolicy }) => ({
      ...{ count, numa_policy: numaPolicy },
      spec: specs.map((one) => ({ ...one })),
    })),
    requested_resources: traits.length > 0 ? [wire('RequestGroup', '1.3', { resources: {}, required_traits: traits, aggregates: [] })] : [],
  })
}
