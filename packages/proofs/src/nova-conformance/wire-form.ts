import type { NumaLimits } from '@gantt/scheduler-core/nova'

/** A versioned object in the form in which Nova sends it. */
export const wireOf = (name: string, version: string, data: object): Readonly<Record<string, unknown>> => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

export const numaLimitsOf = ({ cpuAllocationRatio, ramAllocationRatio, networkMetadata }: NumaLimits): Readonly<Record<string, unknown>> =>
  wireOf('NUMATopologyLimits', '1.1', {
    cpu_allocation_ratio: cpuAllocationRatio,
    ram_allocation_ratio: ramAllocationRatio,
    ...(networkMetadata && {
      network_metadata: wireOf('NetworkMetadata', '1.0', { physnets: networkMetadata.physnets, tunneled: networkMetadata.tunneled }),
    }),
  })
