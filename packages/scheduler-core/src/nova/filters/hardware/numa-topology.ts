import { z } from 'zod'
import { namedKeys } from '../../../request/request-reads.ts'
import type { Reason } from '../../../text/reason.ts'
import { IN_ALL_BEFORE_FREE } from '../../../values/levels.ts'
import { memoByObject } from '../../../values/memo.ts'
import { checkHost } from '../../hardware/check-host.ts'
import { pinCpus } from '../../hardware/pin-cpus.ts'
import { createFitter } from '../../hardware/search/fit-alike.ts'
import type { FitResult } from '../../hardware/search/fit-guest.ts'
import type { Shortfall } from '../../hardware/shortfall.ts'
import {
  type GuestCell,
  type GuestTopology,
  type HostCell,
  type HostTopology,
  type NumaLimits,
  pinnedVcpus,
} from '../../hardware/topology.ts'
import type { HostState } from '../../objects/host-state.ts'
import type { NovaRequest } from '../../objects/request.ts'
import { type CheckContext, novaFilter, withLimits } from '../../parts/nova-filter.ts'

/** The name of the option. If it is true, the fullest NUMA cells of a host are tried first. */
export const PACKING = 'compute.packing_host_numa_cells_allocation_strategy'

const options = z.strictObject({ [PACKING]: z.boolean().default(false) })

/**
 * Passes hosts on which every guest cell fits on a separate NUMA cell. A guest cell needs memory or pages, and shared or pinned CPUs. The
 * chosen host cells must be near the requested PCI devices and networks.
 */
export const numaTopologyFilter = novaFilter({
  name: 'NUMATopologyFilter',
  description: 'Every guest cell fits on a separate NUMA cell of the host.',
  reads: ['numaCells', 'tunneledCells'],
  cachedBy: ['flavor', 'image', 'numaTopology', 'pciRequests', 'networkMetadata'],
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
        if (first.answer === 'pass' || guest === null || fitOn === null || cells === null) return undefined
        const pci = host.hasPciStats ? { pci: { pools: host.pciPools, requests: pciRequests ?? [] } } : {}
        const limits = numaLimitsOf(host, request)
        const fit = fitOn(cells, { limits, packing, ...pci })
        return fit.ok
          ? undefined
          : { subject: 'NUMA', ...inAll(fit.why(), { host: cells, guest, fitOn: (one) => fitOn(one, { limits }) }, context) }
      },
      (host) => (guest === null || host.numaTopology === null ? {} : { numaTopology: numaLimitsOf(host, request) }),
    )
  },
})

/**
 * If a guest cell fits on no host cell even when all host cells are empty, returns a shortfall that compares with totals instead of free
 * amounts, because freeing resources would not help. Otherwise returns `why` unchanged.
 */
function inAll(why: Shortfall, asked: Asked, { featureLevel = IN_ALL_BEFORE_FREE }: CheckContext): Shortfall {
  if (featureLevel < IN_ALL_BEFORE_FREE) return why
  const { cells } = asked.host
  const most = (count: (cell: HostCell) => number): number => Math.max(...cells.map(count))
  const [memory, cpus] = [most((cell) => cell.memory), most(({ cpuset }) => cpuset.length)]
  const dedicated = most(({ cpuset, pcpuset = cpuset }) => pcpuset.length)
  if (why.code === 'numa.memory' && Number(why.need) > memory) return { ...why, code: 'numa.too_little_memory', have: memory }
  if (why.code === 'numa.cpus' && Number(why.need) > cpus) return { ...why, code: 'numa.too_few_cpus', have: cpus }
  if (why.code === 'numa.dedicated_cpus' && Number(why.need) > dedicated) return { ...why, code: 'numa.too_few_dedicated', have: dedicated }
  return onEmptyHost.has(why.code) ? (pagesOrCoresInAll(asked) ?? why) : why
}

/** A guest, a host that was refused, and a function that fits the guest on a changed copy of the host. */
interface Asked {
  readonly host: HostTopology
  readonly guest: GuestTopology
  fitOn(host: HostTopology): FitResult
}

/** Refusals with these codes can have the cause that the host has too few pages or cores in total. */
const onEmptyHost: ReadonlySet<string> = new Set(['numa.pages', 'numa.threads', 'numa.dedicated_cpus'])

/** Fits the guest on the host as if the host were empty. Returns the shortfall if the host has too few pages, or too few cores. */
function pagesOrCoresInAll({ host, guest, fitOn }: Asked): Shortfall | undefined {
  const empty = emptied(host)
  const fit = fitOn(empty)
  const why = fit.ok ? undefined : fit.why()
  if (why?.code === 'numa.pages') return { ...why, code: 'numa.too_few_pages' }
  if (why?.code === 'numa.page_size' || why?.code === 'numa.page_multiple') return why
  const index = guest.cells.findIndex(({ id }) => id === why?.guestCell)
  const cell = guest.cells[index]
  if (why?.code !== 'numa.threads' || cell === undefined) return undefined
  const emulatorCpus = index === 0 && guest.emulatorThreadsPolicy === 'isolate' ? 1 : 0
  const need = pinnedVcpus(cell).length
  const have = Math.max(...empty.cells.map((one) => maxPinned(one, cell, emulatorCpus)))
  return have < need ? { ...why, code: 'numa.too_few_cores', need, have } : undefined
}

/** How many of a guest cell's CPUs can be pinned to a host cell by the guest's thread policy. */
function maxPinned(host: HostCell, guest: GuestCell, emulatorCpus: number): number {
  const vcpus = pinnedVcpus(guest)
  let most = vcpus.length
  while (most > 0 && pinCpus(host, { ...guest, pcpuset: vcpus.slice(0, most) }, emulatorCpus) === undefined) most--
  return most
}

const emptied = memoByObject(
  ({ cells }: HostTopology): HostTopology => ({
    cells: cells.map((cell) => ({
      ...{ ...cell, cpuUsage: 0, memoryUsage: 0, pinnedCpus: [] },
      mempages: cell.mempages.map((pages) => ({ ...pages, used: 0 })),
    })),
  }),
)

/** The allocation ratios of the host, and the networks that the guest's cells must reach. */
const numaLimitsOf = (host: HostState, { networkMetadata }: NovaRequest): NumaLimits => ({
  cpuAllocationRatio: host.ratiosSet?.VCPU?.value ?? host.cpuAllocationRatio,
  ramAllocationRatio: host.ratiosSet?.MEMORY_MB?.value ?? host.ramAllocationRatio,
  ...(networkMetadata && { networkMetadata }),
})
