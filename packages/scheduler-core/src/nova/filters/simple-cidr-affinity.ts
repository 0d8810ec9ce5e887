import { namedKeys } from '../../request/request-reads.ts'
import { isInNetwork, parseAddress, parseNetwork } from '../ip-network.ts'
import { NovaError } from '../nova-error.ts'
import { novaFilter } from '../nova-filter.ts'
import { hintOf, type NovaRequest } from '../objects/request.ts'

const NEAR = 'build_near_host_ip'

/** The address of the host is in the network around the address that the hint names. */
export const simpleCidrAffinityFilter = novaFilter({
  name: 'SimpleCIDRAffinityFilter',
  description: 'The address of the host is in the network that the hints name.',
  admits: {
    by: 'property',
    which: () => 'in the network of the hints',
  },
  reads: ['hostIp'],
  readsRequest: { schedulerHints: namedKeys(NEAR, 'cidr') },
  oncePerRequest: true,
  prepare(request) {
    if ((hintOf(request, NEAR) ?? '').length === 0) return undefined
    // the second hint brings its own slash: Nova only puts one text behind the other
    const need = textOf(request, NEAR) + textOf(request, 'cidr', '/24')
    const network = parseNetwork(need)
    return ({ hostIp }) =>
      isInNetwork(parseAddress(hostIp), network)
        ? undefined
        : { code: 'host.other_network', subject: 'address', need, have: hostIp ?? 'null', source: `hint ${NEAR}` }
  },
})

function textOf(request: NovaRequest, name: string, byDefault?: string): string {
  const value = hintOf(request, name) ?? byDefault
  if (typeof value === 'string') return value
  throw new NovaError('TypeError', { subject: `hint ${name}`, need: 'one text', have: `${value?.length ?? 0} texts` })
}
