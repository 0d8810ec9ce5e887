import { fromRequest } from '../evidence.ts'
import type { Filter } from '../filters/filter.ts'
import { reportOf } from '../fleet/sources.ts'
import type { HostIndex } from '../host-index.ts'
import { namedHosts, nameListsOf, singleOf, whichIgnored } from '../pipeline/candidates.ts'
import { candidatesOf } from './candidates.ts'
import type { NovaRequest } from './objects/request.ts'
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
    const nothing = { ...wanted, ignoreHosts: null, forceHosts: null, forceNodes: null, requestedDestination: null }
    const isIn = (asked: Partial<NovaRequest>) => (host: HostIndex) =>
      candidatesOf({ ...nothing, ...asked }, [hostOf(host)]).hosts.length > 0
    return {
      each: () => [
        ...nameListsOf(request)
          // Nova looks a node that is named without its host up before
          .filter(({ field }) => field !== 'requestedDestination' || requestedDestination?.host !== undefined)
          .map((list) => ({ ...singleOf(list), passes: isIn({ [list.field]: wanted[list.field] }) })),
        ...(ignoreHosts?.length ? [{ which: whichIgnored(ignoreHosts), isExclusion: true as const, passes: isIn({ ignoreHosts }) }] : []),
      ],
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
