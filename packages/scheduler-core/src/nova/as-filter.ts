import { byCodeUnit } from '../canonical-json.ts'
import type { Code } from '../codes.ts'
import type { Filter } from '../filters/filter.ts'
import type { HostTable } from '../fleet/hosts.ts'
import type { HostIndex } from '../host-index.ts'
import type { KindName } from '../kinds/grants.ts'
import { allKinds, keptByMover, ownUnits } from '../kinds/index.ts'
import { checkOptions } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { novaFactsOf } from './facts.ts'
import type { NovaFilter } from './nova-filter.ts'
import { contextOf } from './own-context.ts'
import { ownHostsOf } from './own-hosts.ts'
import { novaRequestOn } from './own-request.ts'

const kindsByCode: Readonly<Record<string, KindName>> = { memory: 'classes', cpu: 'classes', disk: 'classes', numa: 'numa', pci: 'pci' }

/** The kind of resource that a reason says is short: its code begins with it. */
const kindOf = (code: Code): KindName | undefined => kindsByCode[code.split('.')[0] ?? '']

const kindsByFilter: Readonly<Record<string, 'numa' | 'pci'>> = { NUMATopologyFilter: 'numa', PciPassthroughFilter: 'pci' }

/** Whether the instance that moves may keep a part of what it holds on a host of the units that a filter looks at, whatever the host has by now. */
export function prepareKeepsOwn(filter: string, request: RequestSpec, hosts: HostTable): (host: HostIndex) => boolean {
  const name = kindsByFilter[filter]
  const kind = name === undefined ? undefined : allKinds.find((one) => one.name === name)
  const ask = hosts.mover === null ? undefined : kind?.ask(request)
  if (kind === undefined || ask === undefined) return () => false
  return (host) => ownUnits(kind, hosts, host, ask) !== undefined
}

/** One of Nova's filters over this service's own requests and reports. Where Nova raises, the host is refused with the verdict ERROR. */
export const asFilter = (filter: NovaFilter): Filter => ({
  name: filter.name,
  description: filter.description,
  reads: filter.reads,
  ...(filter.readsMetadata !== undefined && { readsMetadata: filter.readsMetadata }),
  ...(filter.readsRequest !== undefined && { readsRequest: filter.readsRequest }),
  ...(filter.admits !== undefined && { admits: filter.admits }),
  checkOptions: (options) => void checkOptions(filter.options, options),
  prepare(request, fleet, options) {
    const wanted = novaRequestOn(fleet, request)
    const check = filter.prepare(wanted, options, { now: fleet.now, ...contextOf(fleet) })
    if (check === undefined) return undefined
    const hostOf = ownHostsOf(fleet)
    const { each } = check
    const keepsOwn = prepareKeepsOwn(filter.name, request, fleet.hosts)
    return {
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
