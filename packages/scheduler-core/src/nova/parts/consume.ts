import { consumeGuest } from '../hardware/consume-guest.ts'
import { consumePci } from '../hardware/pci.ts'
import { fitGuest, placesOf } from '../hardware/search/fit-guest.ts'
import type { NovaRequest } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'
import type { HostLimits } from './nova-filter.ts'
import type { NovaHost } from './nova-host.ts'

/**
 * Subtracts the resources of an instance from a host, as Nova's HostState.consume_from_request does. Returns the request for the next
 * instance, with the fitted topology and with the host in the server group. `limits` are the limits that the filters set for the host.
 */
export function consume(host: NovaHost, request: NovaRequest, uuid: string | null, packing: boolean, limits: HostLimits): NovaRequest {
  const { flavor } = request
  host.freeRamMb -= flavor.memoryMb
  host.freeDiskMb -= (flavor.rootGb + flavor.ephemeralGb) * 1_024
  host.vcpusUsed += flavor.vcpus
  host.numInstances += 1
  let next = request
  try {
    next = fitCells(host, request, packing, limits)
    takeCells(host, next)
    takeDevices(host, next)
    host.numIoOps += 1
  } catch (error) {
    // Nova ignores this error. Resources that were subtracted before the error stay subtracted.
    if (!(error instanceof NovaError)) throw error
  }
  return joinGroup(host, next, uuid)
}

/**
 * Returns the request with its guest cells assigned to cells of the host. If the guest cells do not fit, which is possible on a forced
 * host, the returned request has no cells.
 */
function fitCells(host: NovaHost, request: NovaRequest, packing: boolean, limits: HostLimits): NovaRequest {
  const { numaTopology: guest, pciRequests } = request
  if (host.numaTopology === null || !guest) return request
  const pci = host.hasPciStats ? { pci: { pools: host.pciPools, requests: pciRequests ?? [] } } : {}
  const fit = fitGuest(host.numaTopology, guest, { limits: limits.numaTopology ?? null, packing, ...pci })
  return { ...request, numaTopology: fit.ok ? fit.guest : null }
}

function takeCells(host: NovaHost, { numaTopology: guest }: NovaRequest): void {
  if (host.numaTopology !== null && guest) host.numaTopology = consumeGuest(host.numaTopology, guest)
}

/**
 * Takes the requested devices near the guest's cells. If a device request fails, the devices of earlier requests stay taken, as in Nova.
 */
function takeDevices(host: NovaHost, { numaTopology: guest, pciRequests }: NovaRequest): void {
  if (!host.hasPciStats || !pciRequests?.length) return
  const cells = guest?.cells.map(({ id }) => id)
  const result = consumePci(host.pciPools, pciRequests, cells && placesOf(host.numaTopology ?? { cells: [] }, cells))
  host.pciPools = result.pools
  if (!result.ok) throw new NovaError('PciDeviceRequestFailed', `${host.host} has too few devices`)
}

/** Adds the host to the request's server group, and the instance to the host, because the group's filters read both. */
function joinGroup(host: NovaHost, request: NovaRequest, uuid: string | null): NovaRequest {
  const { instanceGroup } = request
  if (instanceGroup === null || instanceGroup === undefined) return request
  if (instanceGroup.hosts === null)
    throw new NovaError('AttributeError', { subject: 'instance_group.hosts', need: 'a list of hosts', have: 'null' })
  if (uuid !== null) host.instances.add(uuid)
  const { hosts, unlistedAt } = instanceGroup
  return {
    ...request,
    instanceGroup: {
      ...instanceGroup,
      hosts: [...(hosts ?? []), host.host],
      unlistedAt: unlistedAt === undefined ? undefined : [...unlistedAt, host.host],
    },
  }
}
