import { namedKeys } from '../../../request/request-reads.ts'
import { hintOf, type NovaRequest } from '../../objects/request.ts'
import { isInNetwork, parseAddress, parseNetwork } from '../../parts/ip-network.ts'
import { novaFilter } from '../../parts/nova-filter.ts'
import { NovaError } from '../../text/nova-error.ts'

const NEAR = 'build_near_host_ip'

/** Passes hosts whose IP address is in a network. The scheduler hints give an address in the network and the prefix length. */
export const simpleCidrAffinityFilter = novaFilter({
  name: 'SimpleCIDRAffinityFilter',
  description: 'The IP address of the host is in the network that the scheduler hints define.',
  admits: {
    by: 'property',
    which: () => `in the network of the hints ${NEAR} and cidr`,
  },
  reads: ['hostIp'],
  cachedBy: ['schedulerHints'],
  readsRequest: { schedulerHints: namedKeys(NEAR, 'cidr') },
  oncePerRequest: true,
  prepare(request) {
    if ((hintOf(request, NEAR) ?? '').length === 0) return undefined
    // The hint `cidr` starts with a slash, because Nova only concatenates the two hints.
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
