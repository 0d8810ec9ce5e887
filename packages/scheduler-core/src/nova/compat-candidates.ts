import { fromRequest } from '../evidence.ts'
import type { Filter } from '../filters/filter.ts'
import { reportOf } from '../fleet/sources.ts'
import { namedHosts } from '../pipeline/candidates.ts'
import { candidatesOf } from './candidates.ts'
import { ownHostsOf } from './own-hosts.ts'
import { novaRequestAt } from './own-request.ts'

/** What a request lets in at all, by Nova's rules: host names are compared without regard to case. */
export const novaCandidatesFilter: Filter = {
  name: 'Candidates',
  description: 'The request names the host, or names none, and does not exclude it; names are compared as Nova does.',
  admits: namedHosts,
  reads: [],
  prepare(request, fleet) {
    const wanted = novaRequestAt(fleet.featureLevel, request)
    const { requestedDestination, ignoreHosts, forceHosts, forceNodes } = wanted
    const lists = [ignoreHosts, forceHosts, forceNodes]
    if (requestedDestination?.host === undefined && lists.every((names) => !names?.length)) return undefined
    const hostOf = ownHostsOf(fleet)
    const all = [requestedDestination?.host, ...(forceHosts ?? []), ...(forceNodes ?? [])]
    const names = [...new Set(all)].filter((name) => typeof name === 'string')
    return {
      passes: (host) => candidatesOf(wanted, [hostOf(host)]).hosts.length > 0,
      reason: (host) =>
        candidatesOf({ ...wanted, ignoreHosts: null }, [hostOf(host)]).hosts.length > 0
          ? { code: 'host.excluded', subject: 'ignoreHosts' }
          : { code: 'host.not_requested', need: names.slice(0, 5).join(', ') },
      facts(host) {
        const isIgnored = candidatesOf({ ...wanted, ignoreHosts: null }, [hostOf(host)]).hosts.length > 0
        const fields = [
          ...(requestedDestination?.host === undefined ? [] : ['requestedDestination']),
          ...(forceHosts?.length ? ['forceHosts'] : []),
          ...(forceNodes?.length ? ['forceNodes'] : []),
        ]
        return [
          {
            subject: isIgnored ? 'ignoreHosts' : 'host',
            ...(!isIgnored && { required: names.slice(0, 5).join(', ') }),
            actual: hostOf(host).host,
            requiredFrom: fromRequest(isIgnored ? 'ignoreHosts' : fields.join(' and ')),
            actualFrom: reportOf(fleet.hosts.get(host)),
          },
        ]
      },
    }
  },
}
