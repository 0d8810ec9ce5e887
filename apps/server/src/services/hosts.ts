import { type Change, type Fleet, type HostRecord, type HostStatus, isLive } from '@gantt/scheduler-core'
import type { HostOrder } from '@gantt/scheduler-core/query'
import { eachInPieces, sortInPieces } from '../replica/in-pieces.ts'
import type { Replica } from '../replica/replica.ts'
import { checkFilter, type HostFilter, matchesHost } from './host-filter.ts'
import { compileHostOrder } from './host-order.ts'
import { compileHostQuery } from './host-query.ts'
import { type HostView, type PciPoolView, pciPoolViewsOf, viewHost } from './host-view.ts'
import { type Invalid, invalid, issue, type NotFound, notFound } from './outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from './paging.ts'
import { isPresent, snapshotOf } from './snapshots.ts'
import { checkText } from './text.ts'

/** A host as a caller names it; without a node, the one node or all nodes of that name. */
export interface HostNameInput {
  readonly host: string
  readonly node?: string | null | undefined
}

/** What an operator's change would touch. */
export interface Impact {
  readonly hostsAffected: number
  readonly zoneChanges: number
  readonly claimsOnAffectedHosts: number
  readonly warnings: readonly string[]
}

export interface StatusSetOutcome {
  readonly type: 'done'
  readonly hosts: readonly HostView[]
  readonly impact: Impact
  readonly dryRun: boolean
}

export interface Hosts {
  /** Without a node: the host's own node, else its first. Undefined when no host of that name has reported. `fleet`, here and below: the present one. */
  find(name: HostNameInput, fleet?: Fleet): HostView | undefined
  /** By the key of a `HostView`, as in global ids. */
  byKey(key: string): HostView | undefined
  /** Its PCI pools, those alike together, in the order of its report. */
  pciPoolsOf(host: HostView): readonly PciPoolView[]
  list(
    args: PageArgs & {
      filter?: HostFilter | null | undefined
      query?: string | null | undefined
      /** None: in the order of first sight. */
      orderBy?: readonly HostOrder[] | null | undefined
    },
    fleet?: Fleet,
  ): Promise<Page<HostView>>
  setStatus(input: {
    readonly hosts: readonly HostNameInput[]
    readonly status: HostStatus
    readonly reason: string
    readonly dryRun: boolean
  }): Promise<StatusSetOutcome | NotFound | Invalid>
}

export function createHosts(replica: Replica): Hosts {
  const viewOf = (record: HostRecord): HostView => viewHost(replica.fleet, record)
  /** Every node that a name means. */
  const named = ({ host, node }: HostNameInput, { hosts }: Fleet = replica.fleet): HostRecord[] => {
    if (typeof node !== 'string') return hosts.nodesOf(host).map((index) => hosts.get(index))
    const record = hosts.find({ host, node })
    return record === undefined ? [] : [record]
  }
  const find = (name: HostNameInput, fleet = replica.fleet): HostView | undefined => {
    const records = named(name, fleet)
    const record = records.find(({ host, node }) => host === node) ?? records[0]
    return record === undefined ? undefined : viewHost(fleet, record)
  }
  return {
    find,
    byKey(key) {
      const [host, node = host] = parseKey(key)
      return typeof host === 'string' && typeof node === 'string' ? find({ host, node }) : undefined
    },
    pciPoolsOf: (host) => pciPoolViewsOf(host, replica.fleet),
    async list({ filter, query, orderBy, ...page }, fleet = snapshotOf(replica)) {
      const list = listOf('hosts', [filter, query, orderBy])
      const isAsked = compileHostQuery(query, ['query'], isPresent(fleet, replica) ? Date.now : () => fleet.now)
      if (filter) checkFilter(filter)
      const isEvery = !query && !filter
      const views: HostView[] = []
      await eachInPieces(fleet.hosts.records, (record) => {
        const view = viewHost(fleet, record)
        if (isEvery || (isAsked(view) && (!filter || matchesHost(view, filter)))) views.push(view)
      })
      const asOf = fleet.place.revision
      if (!orderBy || orderBy.length === 0)
        return {
          ...pageOf(list, page, views, {
            types: ['number'],
            keyFor: ({ record }) => [record.index] as const,
            isAfter: ({ record }, [index]) => record.index > index,
          }),
          asOf,
        }
      const { types, keyFor, compare } = compileHostOrder(orderBy, fleet)
      // each key is read once: a sort compares a host with many others
      const keyed: { readonly view: HostView; readonly key: ReturnType<typeof keyFor> }[] = []
      await eachInPieces(views, (view) => void keyed.push({ view, key: keyFor(view) }))
      const sorted = await sortInPieces(keyed, (a, b) => compare(a.key, b.key))
      const { edges, ...rest } = pageOf(list, page, sorted, {
        types,
        keyFor: ({ key }) => key,
        isAfter: ({ key }, last: ReturnType<typeof keyFor>) => compare(key, last) > 0,
      })
      return { ...rest, edges: edges.map(({ cursor, node }) => ({ cursor, node: node.view })), asOf }
    },
    async setStatus({ hosts, status, reason, dryRun }) {
      const issues = checkText(['reason'], reason, { max: 1_000 })
      if (hosts.length < 1 || hosts.length > 1_000) issues.push(issue(['hosts'], hosts, 'name 1 to 1000 hosts'))
      if (issues.length > 0) return invalid(issues)
      if (hosts.some((name) => named(name).length === 0)) await replica.fresh()
      const missing = hosts.findIndex((name) => named(name).length === 0)
      const lost = hosts[missing]
      if (lost !== undefined) return notFound('host', lost.node ? `${lost.host}/${lost.node}` : lost.host, ['hosts', String(missing)])
      const records = [...new Set(hosts.flatMap((name) => named(name)))]
      const impact = impactOn(records.map(viewOf), 0)
      if (!dryRun) await replica.propose(records.map(({ host, node }): Change => ({ type: 'status', host, node, status, reason })))
      return { type: 'done', hosts: records.map(viewOf), impact, dryRun }
    },
  }
}

/** How many hosts and live claims a change touches. */
export function impactOn(views: readonly HostView[], zoneChanges: number, warnings: readonly string[] = []): Impact {
  const claims = views.reduce((sum, { record }) => sum + [...record.claims].filter(isLive).length, 0)
  return { hostsAffected: views.length, zoneChanges, claimsOnAffectedHosts: claims, warnings }
}

function parseKey(key: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(key)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
