import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import { type GpuState, modelFits, WHOLE_GPU } from '../../hosts/gpu-device.ts'
import { membersAt } from '../../request/members.ts'
import { demandOf, type RequestSpec } from '../../request/request-spec.ts'
import { counted } from '../../text/amount-text.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { inSlices, type Steps } from '../../values/steps.ts'

/** The admitted hosts are too small for all instances of one kind, even with nothing else on them. */
export interface Room {
  /** The hosts together can take at most this many of the instances. */
  readonly most: number
  /** The count of instances of this kind in the request. */
  readonly asked: number
  readonly kind: string | null
  /** True if the request has further instances of other kinds. */
  readonly isPart: boolean
}

/** The generator yields after this many hosts. */
const SLICE = 128

/**
 * Compares all instances of the same kind as the instance with this index with the total amounts of the hosts: resource classes, and GPUs.
 * The result is an upper bound, because NUMA cells, PCI devices and disk pools are not counted. Null if there is only one instance of the
 * kind, or if the hosts are possibly large enough. Also null if no host can take even one instance, because the counts of refused hosts say
 * this already.
 */
export function* roomOf({ hosts: known }: Fleet, whole: RequestSpec, instance: number, hosts: readonly HostIndex[]): Steps<Room | null> {
  const { count: asked, name: kind, request } = membersAt(whole, instance)
  if (asked === 1) return null
  const amounts = Object.entries(demandOf(request).amounts)
    .filter(([, amount]) => amount > 0)
    .map(([resourceClass, amount]) => ({ resourceClass, amount, capacity: known.classColumns(resourceClass).capacity }))
  let most = 0
  for (const host of inSlices(hosts, SLICE)) {
    if (host === undefined) {
      yield
      continue
    }
    const { diskPools, gpus } = known.get(host)
    let fits = gpusFor(gpus, request)
    for (const { resourceClass, amount, capacity } of amounts) {
      if (resourceClass === 'DISK_GB' && diskPools.length > 0) continue
      fits = Math.min(fits, Math.max(0, Math.floor(at(capacity, host) / amount)))
    }
    most += fits
    if (most >= asked) return null
  }
  return most === 0 ? null : { most, asked, kind, isPart: asked < whole.numInstances }
}

/** For how many instances the GPUs of a host suffice when they are not in use. */
function gpusFor(gpus: readonly GpuState[], { gpus: ask }: RequestSpec): number {
  if (ask === null) return Number.POSITIVE_INFINITY
  const shares = gpus.filter((gpu) => modelFits(gpu, ask)).length * Math.floor(WHOLE_GPU / ask.shareMilli)
  return Math.floor(shares / ask.count)
}

/** A sentence with the count of instances that the hosts can take at most. */
export function roomText({ most, asked, kind, isPart }: Room, hosts: number): string {
  const which = kind !== null ? ` (${kind})` : isPart ? ' of this kind' : ''
  const these = hosts === 1 ? 'this host' : `these ${counted(hosts, 'host')}`
  return `Even with nothing else on ${hosts === 1 ? 'it' : 'them'}, ${these} could take at most ${most} of the ${asked} instances${which}.`
}
