import type { Filter } from '../../contracts/filter.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { allKinds, keptByMover, ownUnits } from '../../kinds/index.ts'
import type { KindName } from '../../records/grants.ts'
import { checkOptions } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { Code } from '../../text/codes.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { contextOf } from '../own/own-context.ts'
import { cachedBy } from './cached-by.ts'
import { novaFactsOf } from './facts.ts'
import type { NovaFilter } from './nova-filter.ts'
import { type NovaView, presentView } from './nova-view.ts'

const kindsByCode: Readonly<Record<string, KindName>> = { memory: 'classes', cpu: 'classes', disk: 'classes', numa: 'numa', pci: 'pci' }

/** The resource kind of a reason, by the first word of its code. */
const kindOf = (code: Code): KindName | undefined => kindsByCode[code.split('.')[0] ?? '']

const kindsByFilter: Readonly<Record<string, 'numa' | 'pci'>> = { NUMATopologyFilter: 'numa', PciPassthroughFilter: 'pci' }

/**
 * For an instance that moves or is resized. Returns a function that is true for a host on which the instance already uses enough units
 * (NUMA cells or PCI devices) of the kind that the filter checks. The host then passes, even if no further units are free.
 */
export function prepareKeepsOwn(filter: string, request: RequestSpec, hosts: HostTable): (host: HostIndex) => boolean {
  const name = kindsByFilter[filter]
  const kind = name === undefined ? undefined : allKinds.find((one) => one.name === name)
  const ask = hosts.mover === null ? undefined : kind?.ask(request)
  if (kind === undefined || ask === undefined) return () => false
  return (host) => ownUnits(kind, hosts, host, ask) !== undefined
}

/**
 * Converts one of Nova's filters to a filter of this service, which reads requests and hosts of this service. If Nova's filter would raise
 * an exception on a host, the host is refused with the verdict ERROR. `viewOf` gives the request and the hosts that the filter reads.
 */
export const asFilter = (filter: NovaFilter, viewOf: NovaView = presentView): Filter => ({
  name: filter.name,
  description: filter.description,
  reads: filter.reads,
  ...(filter.readsMetadata !== undefined && { readsMetadata: filter.readsMetadata }),
  ...(filter.readsRequest !== undefined && { readsRequest: filter.readsRequest }),
  ...(filter.asksAges !== undefined && { asksAges: filter.asksAges }),
  ...(filter.canPassAgain !== undefined && { canPassAgain: filter.canPassAgain }),
  ...(filter.admits !== undefined && { admits: filter.admits }),
  ...(viewOf === presentView && cachedBy(filter)),
  checkOptions: (options) => void checkOptions(filter.options, options),
  prepare(request, fleet, options) {
    const { wanted, hostOf } = viewOf(fleet, request)
    const check = filter.prepare(wanted, options, { now: fleet.now, ...contextOf(fleet) })
    if (check === undefined) return undefined
    const { each, areJoint, which } = check
    const keepsOwn = prepareKeepsOwn(filter.name, request, fleet.hosts)
    return {
      ...(which !== undefined && { which }),
      ...(areJoint !== undefined && { areJoint }),
      ...(each !== undefined && {
        each: () =>
          [...each]
            .sort((a, b) => byCodeUnit(a.which, b.which))
            .map((one) => ({ which: one.which, passes: (host: HostIndex) => one.check(hostOf(host)) === undefined })),
      }),
      passes: (host) => check(hostOf(host)) === undefined || keepsOwn(host),
      reason(host) {
        const reason = check(hostOf(host)) ?? { code: 'filter.error' as const, subject: filter.name }
        const kind = kindOf(reason.code)
        return kind === undefined ? reason : { ...reason, ...keptByMover(fleet.hosts, host, kind) }
      },
      facts(index) {
        const host = hostOf(index)
        const reason = check(host)
        if (reason === undefined) return []
        return novaFactsOf({ filter: filter.name, reason, host, record: fleet.hosts.get(index), fleet, request: wanted })
      },
    }
  },
})
