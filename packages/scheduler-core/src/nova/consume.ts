import { NovaError } from './nova-error.ts'
import type { NovaHost } from './nova-host.ts'
import type { NovaRequest } from './objects/request.ts'

/**
 * Takes from a host what an instance needs, as Nova's HostState.consume_from_request, and gives the request as the next round sees it: with
 * the fitted topology, and with the host in its group. What fails half-way stays half done: Nova swallows the error, and what was taken
 * before stays taken.
 */
export function consume(host: NovaHost, request: NovaRequest, uuid: string | null): NovaRequest {
  const { flavor } = request
  host.freeRamMb -= flavor.memoryMb
  host.freeDiskMb -= (flavor.rootGb + flavor.ephemeralGb) * 1_024
  host.vcpusUsed += flavor.vcpus
  host.numInstances += 1
  host.numIoOps += 1
  return joinGroup(host, request, uuid)
}

/** The group knows the host from now on, and the host the instance: the group's filters look at both. */
function joinGroup(host: NovaHost, request: NovaRequest, uuid: string | null): NovaRequest {
  const { instanceGroup } = request
  if (instanceGroup === null || instanceGroup === undefined) return request
  if (instanceGroup.hosts === null)
    throw new NovaError('AttributeError', { subject: 'instance_group.hosts', need: 'a list of hosts', have: 'null' })
  if (uuid !== null) host.instances.add(uuid)
  return { ...request, instanceGroup: { ...instanceGroup, hosts: [...(instanceGroup.hosts ?? []), host.host] } }
}
