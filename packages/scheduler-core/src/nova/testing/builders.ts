import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { importNovaRequest } from '../import/request.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaFlavor, NovaRequest } from '../objects/request.ts'

/** A versioned object of Nova in its wire format. */
export const wireObject = <Data extends object>(name: string, version: string, data: Data) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

/** Creates a HostState with plenty of free resources, for tests. `given` replaces fields. */
export function aHostState(given: Partial<HostState> = {}): HostState {
  return {
    host: 'h1',
    node: 'h1',
    cellUuid: undefined,
    uuid: undefined,
    freeRamMb: 65_536,
    totalUsableRamMb: 65_536,
    totalUsableDiskGb: 1000,
    diskMbUsed: 0,
    freeDiskMb: 1_024_000,
    vcpusTotal: 16,
    vcpusUsed: 0,
    numInstances: 0,
    numIoOps: 0,
    failedBuilds: 0,
    cpuAllocationRatio: 4,
    ramAllocationRatio: 1.5,
    diskAllocationRatio: 1,
    hypervisorType: 'QEMU',
    hypervisorVersion: 7_002_000,
    hypervisorHostname: 'h1',
    hostIp: '192.0.2.10',
    cpuInfo: null,
    stats: {},
    metrics: [],
    supportedInstances: [['x86_64', 'kvm', 'hvm']],
    numaTopology: null,
    pciPools: [],
    hasPciStats: true,
    aggregates: [],
    service: { disabled: false, disabledReason: null, forcedDown: false, heartbeatAt: null },
    instances: new Set(),
    ...given,
  }
}

/** Creates an aggregate with a name and metadata, for tests. */
export const anAggregate = (name: string, metadata: Readonly<Record<string, string>>): HostState['aggregates'][number] => ({
  uuid: name,
  name,
  metadata,
})

export type GivenRequest = Partial<Omit<NovaRequest, 'flavor'>> & { readonly flavor?: Partial<NovaFlavor> }

/** Creates a NovaRequest for one small instance, for tests. `given` replaces fields. */
export function aNovaRequest({ flavor, ...given }: GivenRequest = {}): NovaRequest {
  return {
    image: null,
    numaTopology: null,
    pciRequests: null,
    networkMetadata: undefined,
    limits: undefined,
    securityGroups: undefined,
    requestedResources: undefined,
    requestLevelParams: undefined,
    requestedNetworks: undefined,
    requestedPorts: [],
    projectId: 'p1',
    userId: 'u1',
    availabilityZone: null,
    numInstances: 1,
    instanceUuid: 'i1',
    ignoreHosts: null,
    forceHosts: null,
    forceNodes: null,
    requestedDestination: null,
    retry: null,
    instanceGroup: null,
    schedulerHints: {},
    isBfv: false,
    ...given,
    flavor: {
      name: 'm1.small',
      flavorid: '4',
      vcpus: 2,
      memoryMb: 2048,
      rootGb: 20,
      ephemeralGb: 0,
      swap: 0,
      extraSpecs: {},
      ...flavor,
    },
  }
}

/** A request that was imported from Nova's form: `spec` is a RequestSpec, and the uuids of its instances are sent in addition to it. */
export function importedRequest(spec: object, instanceUuids: readonly string[]): RequestSpec {
  const imported = importNovaRequest({ spec, instance_uuids: instanceUuids })
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}
