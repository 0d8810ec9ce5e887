import { builtIn } from '../contracts/built-in.ts'
import type { Affinity } from './affinity.ts'
import { ELSEWHERE } from './facts/distance.ts'
import { type Network, network, type Port } from './facts/network.ts'

/**
 * Places instances on hosts that reach the physical networks of ports. The hint `near_port` names ports, and the instance can have its own
 * ports.
 */
export const portAffinity: Affinity<Network, Port> = {
  namespace: network,
  hint: 'near_port',
  field: 'ports',
  own: (request) => (request.nova === null ? request.ports : [...builtIn().documents.portsOf(request), ...request.ports]),
  unknown: 'port.unknown',
  far: 'port.far',
  find: ({ ports }, uuid) => ports.get(uuid),
  distance({ physicalNetwork, segment, here }, host, own, reporter) {
    if (here && host.index === reporter.index) return 0
    const reached = own?.physicalNetworks.get(physicalNetwork)
    if (reached === undefined) return ELSEWHERE
    return segment === null || reached.segments === null || reached.segments.includes(segment) ? reached.distance : ELSEWHERE
  },
  place: ({ physicalNetwork, segment }) => `physical network ${physicalNetwork}${segment === null ? '' : `, segment ${segment}`}`,
}
