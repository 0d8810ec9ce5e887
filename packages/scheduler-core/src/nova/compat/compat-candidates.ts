import { type Check, namedHosts, nameListsOf, namesOf, reasonOfNoneCommon, singleOf, whichIgnored } from '../../contracts/candidates.ts'
import type { Filter } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { reportOf } from '../../hosts/sources.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { fromRequest } from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { NovaRequest } from '../objects/request.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { novaRequestAt } from '../requests/own-request.ts'
import { candidatesOf } from './candidates.ts'

/** Passes the hosts that a request admits by Nova's rules. Names of ignored and forced hosts are compared without regard to case. */
export const novaCandidatesFilter: Filter = {
  name: 'Candidates',
  description: 'The request names this host or no host, and does not exclude this host. Names are compared as in Nova.',
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
    const isIgnored = isAlone(wanted, fleet)({ ignoreHosts })
    const named = novaNameLists(request, fleet)
    // Undefined until the first reason is requested. Null if some host satisfies all lists of names.
    let noneCommon: Reason | null | undefined
    const notNamed = (): Reason => {
      if (noneCommon === undefined) noneCommon = reasonOfNoneCommon(named, fleet)
      return noneCommon ?? { code: 'host.not_requested', need: names.slice(0, 5).join(', ') }
    }
    return {
      each: () => [
        ...named.map(({ which, isNames, passes }) => ({ which, isNames, passes })),
        ...(ignoreHosts?.length ? [{ which: whichIgnored(ignoreHosts), isExclusion: true as const, passes: isIgnored }] : []),
      ],
      passes: (host) => candidatesOf(wanted, [hostOf(host)]).hosts.length > 0,
      reason: (host) =>
        candidatesOf({ ...wanted, ignoreHosts: null }, [hostOf(host)]).hosts.length > 0
          ? { code: 'host.excluded', subject: 'ignoreHosts' }
          : notNamed(),
      facts(host) {
        const isExcluded = candidatesOf({ ...wanted, ignoreHosts: null }, [hostOf(host)]).hosts.length > 0
        return [
          {
            subject: isExcluded ? 'ignoreHosts' : 'host',
            ...(!isExcluded && { required: notNamed().need ?? '' }),
            actual: hostOf(host).host,
            requiredFrom: fromRequest(isExcluded ? 'ignoreHosts' : named.map(({ field }) => field).join(' and ')),
            actualFrom: reportOf(fleet.hosts.get(host)),
          },
        ]
      },
    }
  },
}

/** The lists of host names in a request that Nova checks before it calls Placement, each with a test of the hosts that the list admits. */
export function novaNameLists(request: RequestSpec, fleet: Fleet): readonly NameList[] {
  const wanted = novaRequestAt(fleet.featureLevel, request)
  const alone = isAlone(wanted, fleet)
  return (
    nameListsOf(request)
      // A destination with a node but no host is left out, because the filter PlacementDestination checks it.
      .filter(({ field }) => field !== 'requestedDestination' || wanted.requestedDestination?.host !== undefined)
      .map((list) => ({
        ...singleOf(list),
        field: list.field,
        passes: alone({ [list.field]: wanted[list.field] }),
        reason: { code: 'host.not_requested', need: namesOf(list).slice(0, 5).join(', ') },
      }))
  )
}

interface NameList extends Pick<Check, 'which' | 'passes' | 'reason' | 'field'> {
  readonly isNames: true
}

/** Returns a function that tests hosts by the fields in `asked` only, as if all other fields of the request named no hosts. */
function isAlone(wanted: NovaRequest, fleet: Fleet): (asked: Partial<NovaRequest>) => (host: HostIndex) => boolean {
  const hostOf = ownHostsOf(fleet)
  const nothing = { ...wanted, ignoreHosts: null, forceHosts: null, forceNodes: null, requestedDestination: null }
  return (asked) => (host) => candidatesOf({ ...nothing, ...asked }, [hostOf(host)]).hosts.length > 0
}
