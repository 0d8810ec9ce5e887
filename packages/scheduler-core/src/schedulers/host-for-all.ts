import type { Grants, GroupBinding } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import { TOGETHER_AT_ONCE } from '../fleet/levels.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { Steps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import { modelFits } from '../kinds/gpu/device.ts'
import { allot } from '../kinds/pci/allot.ts'
import { pciAskOf } from '../kinds/pci/ask.ts'
import { poolsOf } from '../kinds/pci/pool.ts'
import type { FilterStep } from '../pipeline/filter-step.ts'
import { passesSafely } from '../pipeline/run-filters.ts'
import { membersOf, sumsOf } from '../request/members.ts'
import type { GpuRequest, RequestSpec } from '../request/request-spec.ts'

/**
 * Whether the instances of a request go to one host together: several members of a server group with the policy AFFINITY. The best host for the
 * first of them may have no room for the others; then a host is looked for that holds all.
 */
export const goTogether = ({ instanceGroup, numInstances }: RequestSpec, { featureLevel }: Fleet): boolean =>
  featureLevel >= TOGETHER_AT_ONCE && instanceGroup?.policy === 'AFFINITY' && numInstances > 1

/** What decides whether an instance, by its number, may be on a host, and what it takes there. */
export interface InstanceAsk {
  readonly steps: readonly FilterStep[]
  readonly grantsOn: (host: HostIndex) => Grants
}

/** The first of some hosts on which all instances of a request have room together, one after the other; undefined: there is none. */
export function* findHostForAll(
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  askOf: (instance: number) => InstanceAsk,
  group: GroupBinding | null,
  hosts: Iterable<HostIndex>,
): Steps<HostIndex | undefined> {
  const isLarge = largeEnough(request, fleet)
  for (const host of hosts) {
    if (!isLarge(host)) continue
    const { host: name, node } = fleet.hosts.get(host)
    const before = overlay.size
    let placed = 0
    for (; placed < request.numInstances; placed++) {
      const { steps, grantsOn } = askOf(placed)
      if (!steps.every(({ prepared }) => prepared !== undefined && passesSafely(prepared, host) === true)) break
      overlay.hold({ claim: '', instance: null, host: name, node, grants: grantsOn(host) }, group)
    }
    overlay.rollback(before)
    if (placed === request.numInstances) return host
    yield
  }
  return undefined
}

/**
 * Whether a host has left in sum what all instances take together: amounts, memory of cells, shares of GPUs, PCI devices. Most hosts that do not hold all
 * are told apart by that; how it lies in cells and devices is found out by placing. Disk may lie in a pool: filters say.
 */
function largeEnough(request: RequestSpec, { hosts }: Fleet): (host: HostIndex) => boolean {
  const sums = sumsOf(request)
  sums.delete('DISK_GB')
  const needs = [...sums].map(([resourceClass, need]) => ({ need, free: hosts.classColumns(resourceClass).free }))
  const kinds = membersOf(request).map(({ count, request: { numaTopology, gpus, pciRequests } }) => ({
    gpus: gpus && { ...gpus, count: gpus.count * count },
    memoryMb: count * (numaTopology?.cells.reduce((sum, cell) => sum + cell.memoryMb, 0) ?? 0),
    devices: pciAskOf({ ...request, numaTopology: null, pciRequests: pciRequests.map((wish) => ({ ...wish, count: wish.count * count })) }),
  }))
  return (host) => {
    if (!needs.every(({ need, free }) => at(free, host) >= need)) return false
    const record = hosts.get(host)
    return kinds.every(
      ({ gpus, memoryMb, devices }) =>
        memoryMb <= record.cells.reduce((sum, { memoryFree }) => sum + Math.max(0, memoryFree), 0) &&
        (gpus === null || gpus.count <= sharesFree(record, gpus)) &&
        (devices === undefined || allot(poolsOf(record), devices, undefined).ok),
    )
  }
}

/** How many shares of the size are free on the GPUs of a host that would do. */
const sharesFree = ({ gpus }: HostRecord, ask: GpuRequest): number =>
  gpus.reduce((sum, gpu) => sum + (modelFits(gpu, ask) ? Math.max(0, Math.floor(gpu.freeMilli / ask.shareMilli)) : 0), 0)
