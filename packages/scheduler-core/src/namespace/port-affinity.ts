import { NovaError } from '../nova/nova-error.ts'
import { novaRequestOf } from '../nova/own-request.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Affinity } from './affinity.ts'
import { ELSEWHERE } from './distance.ts'
import { type Network, network, type Port } from './network.ts'

/** The ports that a document of Nova's names. One that cannot be read says nothing here: the candidates refuse every host for it. */
function portsOfNova(request: RequestSpec): readonly string[] {
  try {
    return novaRequestOf(request).requestedPorts
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return []
  }
}

/** Hosts that reach the physical networks of the ports that the hint `near_port` names, and of those that the instance is given. */
export const portAffinity: Affinity<Network, Port> = {
  namespace: network,
  hint: 'near_port',
  field: 'ports',
  own: (request) => (request.nova?.form === 'RequestSpec' ? [...portsOfNova(request), ...request.ports] : request.ports),
  unknown: 'port.unknown',
  far: 'port.far',
  find: ({ ports }, uuid) => ports.get(uuid),
  distance({ physicalNetwork, segment, here }, host, own, teller) {
    if (here && host.index === teller.index) return 0
    const reached = own?.physicalNetworks.get(physicalNetwork)
    if (reached === undefined) return ELSEWHERE
    return segment === null || reached.segments === null || reached.segments.includes(segment) ? reached.distance : ELSEWHERE
  },
  place: ({ physicalNetwork, segment }) => `physical network ${physicalNetwork}${segment === null ? '' : `, segment ${segment}`}`,
}
