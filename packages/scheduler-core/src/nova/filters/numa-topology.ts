import { z } from 'zod'
import { namedKeys } from '../../request/request-reads.ts'
import type { Reason } from '../../text/reason.ts'
import { IN_ALL_BEFORE_FREE } from '../../values/levels.ts'
import { checkHost } from '../hardware/check-host.ts'
import { createFitter } from '../hardware/search/fit-alike.ts'
import type { Shortfall } from '../hardware/shortfall.ts'
import type { HostCell, HostTopology, NumaLimits } from '../hardware/topology.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { type CheckContext, novaFilter, withLimits } from '../parts/nova-filter.ts'

/** True tries the fullest cells of a host first. */
export const PACKING = 'compute.packing_host_numa_cells_allocation_strategy'

const options = z.strictObject({ [PACKING]: z.boolean().default(false) })

/**
 * Every cell of the guest fits on a NUMA cell of the host, each on one of its own: memory or pages, shared or pinned CPUs with their threads,
 * PCI devices near by, and the networks.
 */
export const numaTopologyFilter = novaFilter({
  name: 'NUMATopologyFilter',
  description: 'Every guest cell fits on a NUMA cell of the host, each on one of its own.',
  reads: ['numaCells', 'tunneledCells'],
  readsRequest: {
    extraSpecs: namedKeys('hw:cpu_policy', 'hw:cpu_thread_policy'),
    imageProperties: namedKeys('hw_cpu_policy', 'hw_cpu_thread_policy'),
    fields: ['networks'],
  },
  options,
  prepare(request, { [PACKING]: packing }, context) {
    const { flavor, image, numaTopology: guest = null, pciRequests } = request
    const fitOn = guest && createFitter(guest)
    return withLimits(
      (host): Reason | undefined => {
        const { numaTopology: cells } = host
        const first = checkHost({
          host: cells,
          guest,
          extraSpecs: flavor.extraSpecs,
          imageProperties: image?.properties ?? null,
        })
        if (first.answer === 'refuse') return { subject: 'NUMA', ...first.why }
        if (first.answer === 'pass' || fitOn === null || cells === null) return undefined
        const pci = host.hasPciStats ? { pci: { pools: host.pciPools, requests: pciRequests ?? [] } } : {}
        const fit = fitOn(cells, { limits: numaLimitsOf(host, request), packing, ...pci })
        return fit.ok ? undefined : { subject: 'NUMA', ...inAll(fit.why(), cells, context) }
      },
      (host) => (guest === null || host.numaTopology === null ? {} : { numaTopology: numaLimitsOf(host, request) }),
    )
  },
})

/** The same for a guest cell for which no cell of the host is large enough in total, so that no release of resources helps. */
function inAll(why: Shortfall, { cells }: HostTopology, { featureLevel = IN_ALL_BEFORE_FREE }: CheckContext): Shortfall {
  if (featureLevel < IN_ALL_BEFORE_FREE) return why
  const most = (count: (cell: HostCell) => number): number => Math.max(...cells.map(count))
  const [memory, cpus] = [most((cell) => cell.memory), most(({ cpuset }) => cpuset.length)]
  const dedicated = most(({ cpuset, pcpuset = cpuset }) => pcpuset.length)
  if (why.code === 'numa.memory' && Number(why.need) > memory) return { ...why, code: 'numa.too_little_memory', have: memory }
  if (why.code === 'numa.cpus' && Number(why.need) > cpus) return { ...why, code: 'numa.too_few_cpus', have: cpus }
  if (why.code === 'numa.dedicated_cpus' && Number(why.need) > dedicated) return { ...why, code: 'numa.too_few_dedicated', have: dedicated }
  return why
}

/** The host's overcommit, and the networks that the request's cells must reach. */
const numaLimitsOf = (host: HostState, { networkMetadata }: NovaRequest): NumaLimits => ({
  cpuAllocationRatio: host.ratiosSet?.VCPU?.value ?? host.cpuAllocationRatio,
  ramAllocationRatio: host.ratiosSet?.MEMORY_MB?.value ?? host.ramAllocationRatio,
  ...(networkMetadata && { networkMetadata }),
})
