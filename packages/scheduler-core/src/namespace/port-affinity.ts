import type { Affinity } from './affinity.ts'
import { ELSEWHERE } from './distance.ts'
import { type Network, network, type Port } from './network.ts'

/** Hosts that reach the physical networks of the ports that the hint `near_port` names. */
export const portAffinity: Affinity<Network, Port> = {
  namespace: network,
  hint: 'near_port',
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
