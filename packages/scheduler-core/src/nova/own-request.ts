import { memoByObject } from '../memo.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { NovaGroup, NovaImage, NovaRequest } from './objects/request.ts'
import { readImageProperties } from './text/image-properties.ts'

/**
 * A request of this service as Nova's rules read it, worked out once. Throws NovaError for an image property whose value Nova's image
 * objects refuse.
 */
export const novaRequestOf: (spec: RequestSpec) => NovaRequest = memoByObject((spec) => ({
  image: spec.image && imageOf(spec.image),
  flavor: {
    name: spec.flavor.name ?? '',
    flavorid: undefined,
    vcpus: spec.flavor.vcpus,
    memoryMb: spec.flavor.memoryMb,
    rootGb: spec.isBfv ? 0 : spec.flavor.rootGb,
    ephemeralGb: spec.flavor.ephemeralGb,
    swap: spec.flavor.swapMb,
    extraSpecs: spec.flavor.extraSpecs,
  },
  // cells and devices of the typed form are the resource kinds'
  numaTopology: null,
  pciRequests: null,
  networkMetadata: undefined,
  projectId: spec.projectId,
  userId: spec.userId,
  availabilityZone: spec.availabilityZone,
  numInstances: spec.numInstances,
  instanceUuid: spec.instanceUuids[0],
  ignoreHosts: spec.ignoreHosts,
  forceHosts: spec.forceHosts,
  forceNodes: spec.forceNodes,
  requestedDestination: null,
  retry: null,
  instanceGroup: spec.instanceGroup && groupOf(spec.instanceGroup),
  schedulerHints: spec.schedulerHints,
  isBfv: spec.isBfv,
  limits: undefined,
  securityGroups: undefined,
  requestedResources: undefined,
  requestLevelParams: undefined,
  requestedNetworks: undefined,
}))

const imageOf = ({ id, architecture, minRamMb, minDiskGb, properties }: NonNullable<RequestSpec['image']>): NovaImage => ({
  id,
  minRam: minRamMb,
  minDisk: minDiskGb,
  properties: readImageProperties(architecture === null ? properties : { architecture, ...properties }),
})

function groupOf({ uuid, policy, maxServerPerHost, hosts }: NonNullable<RequestSpec['instanceGroup']>): NovaGroup {
  const name = policy.toLowerCase().replaceAll('_', '-')
  return {
    uuid,
    policy: name,
    policies: [name],
    members: [],
    hosts,
    rules: maxServerPerHost === null ? {} : { max_server_per_host: String(maxServerPerHost) },
  }
}
