import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { at } from '../hosts/columns.ts'
import { modelFits } from '../hosts/gpu-device.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { allot } from '../kinds/pci/allot.ts'
import { pciAskOf } from '../kinds/pci/ask.ts'
import { poolsOf } from '../kinds/pci/pool.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { passesSafely } from '../pipeline/filtering/passes-safely.ts'
import type { Grants, GroupBinding } from '../records/change.ts'
import { membersOf, sumsOf } from '../request/members.ts'
import type { GpuRequest, RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { TOGETHER_AT_ONCE } from '../values/levels.ts'
import type { Steps } from '../values/steps.ts'

/**
 * Returns true if the request has several instances of a server group with the policy AFFINITY. These instances must be placed on one host.
 * The best host for the first instance can be too small for all instances, so schedulers search a host on which all instances fit.
 */
export const goTogether = ({ instanceGroup, numInstances }: RequestSpec, { featureLevel }: Fleet): boolean =>
  featureLevel >= TOGETHER_AT_ONCE && instanceGroup?.policy === 'AFFINITY' && numInstances > 1

/** The filters for one instance of a request, and a function that chooses its grants on a host. */
export interface InstanceAsk {
  readonly steps: readonly FilterStep[]
  readonly grantsOn: (host: HostIndex) => Grants
}

/** Finds the first of the hosts on which all instances of a request fit together. Undefined if they fit together on none of the hosts. */
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
 * A quick check that excludes most hosts on which not all instances fit. Returns true if the host has enough free amounts of resource
 * classes for all instances, and enough free memory in NUMA cells, shares of GPUs and PCI devices for all instances of each single kind.
 * Disk space is left to the filters, because a host's disk can be in a pool.
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

/** Counts how many shares of the requested size are free on the host's GPUs of a suitable model. */
const sharesFree = ({ gpus }: HostRecord, ask: GpuRequest): number =>
  gpus.reduce((sum, gpu) => sum + (modelFits(gpu, ask) ? Math.max(0, Math.floor(gpu.freeMilli / ask.shareMilli)) : 0), 0)
