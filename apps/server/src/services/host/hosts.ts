import {
  appendInSteps,
  type Change,
  copyFleet,
  type Fleet,
  type HostAllocationSet,
  type HostRecord,
  type HostStatus,
  hostAddress,
  hostOfKey,
  isLive,
  type NamedHost,
  nearSpellings,
  nodesNamed,
  type StatusSet,
  type UsedFrom,
  type UsedFromSet,
} from '@gantt/scheduler-core'
import type { HostOrder } from '@gantt/scheduler-core/query'
import { eachYielding, sortYielding } from '../../event-loop/lists.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import { type Invalid, invalid, issue, type NotFound, notFound } from '../calls/outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from '../calls/paging.ts'
import { checkText } from '../calls/text.ts'
import { isPresent, snapshotOf } from '../moments/snapshots.ts'
import { checkAllocation } from './class-allocation.ts'
import { compileHostFilter, type HostFilter } from './host-filter.ts'
import { compileHostOrder } from './host-order.ts'
import { compileHostQuery } from './host-query.ts'
import { capacityOf, type HostView, type PciPoolView, pciPoolViewsOf, viewHost } from './host-view.ts'

/** How a caller names a host. A name without a node means all nodes of the host or, where one node is needed, one of these nodes. */
export type HostNameInput = NamedHost

/** How many hosts and claims an operator's change affects. */
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
  /**
   * Finds a host by name. Without a node, the node with the host's own name is found, otherwise the host's first node. If no present host
   * has the name, a host that left the fleet is found. Undefined if no host with this name has ever reported. The host is searched in
   * `fleet`, or in the present fleet if `fleet` is absent.
   */
  find(name: HostNameInput, fleet?: Fleet): HostView | undefined
  /** Finds a host by the key of a `HostView`, as in global ids. */
  byKey(key: string): HostView | undefined
  /** Finds a host by the text that identifies it in a finding of the auditor: `host`, or `host/node`. */
  byText(text: string): HostView | undefined
  /**
   * Up to which time the ages of a host's reports are computed, in store time: the present time, or the time of a past fleet. The log of
   * the present fleet can be older than that, because nothing is written while all hosts are silent.
   */
  timeOf(host: HostView): number
  /** The PCI pools of a host in the order of the host's report. Equal pools are merged. */
  pciPoolsOf(host: HostView): readonly PciPoolView[]
  list(
    args: PageArgs & {
      filter?: HostFilter | null | undefined
      query?: string | null | undefined
      /** The sort order. Absent: the order in which hosts first reported. */
      orderBy?: readonly HostOrder[] | null | undefined
      /** True lists the hosts that left the fleet instead of the present hosts. */
      gone?: boolean | null | undefined
    },
    fleet?: Fleet,
  ): Promise<Page<HostView>>
  setStatus(input: {
    readonly hosts: readonly HostNameInput[]
    readonly status: HostStatus
    readonly reason: string
    readonly dryRun: boolean
  }): Promise<StatusSetOutcome | NotFound | Invalid>
  /**
   * Sets whether the usage of hosts is taken from their reports or computed from claims alone. A dry run returns warnings that state the
   * free amounts after the change.
   */
  setUsedFrom(input: {
    readonly hosts: readonly HostNameInput[]
    readonly usedFrom: UsedFrom
    readonly reason: string
    readonly dryRun: boolean
  }): Promise<StatusSetOutcome | NotFound | Invalid>
  /**
   * Sets the allocation ratio and the reserved amount of a class on hosts. They override the values in the hosts' reports. Null removes an
   * override.
   */
  setAllocation(input: {
    readonly hosts: readonly HostNameInput[]
    readonly resourceClass: string
    readonly ratio?: number | null | undefined
    readonly reserved?: number | null | undefined
    /** The account that sets the values. */
    readonly by: string
    readonly reason: string
    readonly dryRun: boolean
  }): Promise<StatusSetOutcome | NotFound | Invalid>
}

export function createHosts(replica: Replica): Hosts {
  const viewOf = (record: HostRecord): HostView => viewHost(replica.fleet, record)
  /** The present hosts that a name means; without a node, all nodes of the host. */
  const named = ({ host, node }: HostNameInput, { hosts }: Fleet = replica.fleet): HostRecord[] => {
    if (typeof node !== 'string') return hosts.nodesOf(host).map((index) => hosts.get(index))
    const record = hosts.find({ host, node })
    return record === undefined ? [] : [record]
  }
  /**
   * For a name that no present host has: the forgotten hosts with this name or, if there are none, the hosts that had this name before they
   * were replaced.
   */
  const left = ({ host, node }: HostNameInput, { hosts }: Fleet): HostRecord[] => {
    const forgotten = hosts.forgottenNodesOf(host).map((index) => hosts.get(index))
    const found = typeof node === 'string' ? forgotten.filter((record) => record.node === node) : forgotten
    if (found.length > 0) return found
    const renamed = hosts.renamedNodesOf(host).map((index) => hosts.get(index))
    const had = (record: HostRecord) => record.formerNames.some((former) => former.host === host && former.node === node)
    return typeof node === 'string' ? renamed.filter(had) : renamed
  }
  const find = (name: HostNameInput, fleet = replica.fleet): HostView | undefined => {
    const present = named(name, fleet)
    const records = present.length > 0 ? present : left(name, fleet)
    const record = records.find(({ host, node }) => host === node) ?? records[0]
    return record === undefined ? undefined : viewHost(fleet, record)
  }
  /** The hosts that an operator's edit names, or the errors in these names. */
  const toEdit = async (hosts: readonly HostNameInput[], reason: string): Promise<HostRecord[] | NotFound | Invalid> => {
    const issues = checkText(['reason'], reason, { max: 1_000 })
    if (hosts.length < 1 || hosts.length > 1_000) issues.push(issue(['hosts'], hosts, 'name 1 to 1000 hosts'))
    if (issues.length > 0) return invalid(issues)
    const meant = (name: HostNameInput): HostRecord[] => nodesNamed(replica.fleet.hosts, name)
    if (hosts.some((name) => meant(name).length === 0)) await replica.fresh()
    const missing = hosts.findIndex((name) => meant(name).length === 0)
    const lost = hosts[missing]
    if (lost !== undefined) return notFound('host', lost.node ? `${lost.host}/${lost.node}` : lost.host, ['hosts', String(missing)])
    return [...new Set(hosts.flatMap(meant))]
  }
  /** Writes an operator's edit. Returns an error if one of the hosts left or was replaced in the meantime. */
  const edit = async (changes: readonly (StatusSet | UsedFromSet | HostAllocationSet)[]): Promise<Invalid | undefined> => {
    const verdicts = await replica.propose(changes)
    const refused = verdicts.findIndex((verdict) => verdict.void !== undefined)
    const [code, change] = [verdicts[refused]?.void, changes[refused]]
    if (code === undefined || change === undefined) return undefined
    const done = verdicts.filter((verdict) => verdict.void === undefined).length
    const rest = done > 0 ? ` The other ${done} of ${changes.length} hosts are changed.` : ''
    const address = hostAddress(replica.fleet.hosts, change)
    const message = `${address} left or was replaced meanwhile: read the hosts again.${rest}`
    return invalid([{ code, path: ['hosts'], message, expected: 'a host that is there', actual: address }], 'CONFLICT')
  }
  return {
    find,
    byText(text) {
      const record = hostOfKey(replica.fleet.hosts, text)
      return record && viewOf(record)
    },
    byKey(key) {
      const [host, node = host] = parseKey(key)
      return typeof host === 'string' && typeof node === 'string' ? find({ host, node }) : undefined
    },
    timeOf: ({ fleet }) => (isPresent(fleet, replica) ? Math.max(fleet.now, replica.storeTime) : fleet.now),
    pciPoolsOf: (host) => pciPoolViewsOf(host, replica.fleet),
    async list({ filter, query, orderBy, gone, ...page }, fleet = snapshotOf(replica)) {
      const isAsked = compileHostQuery(query, ['query'], isPresent(fleet, replica) ? Date.now : () => fleet.now)
      const matches = filter ? compileHostFilter(filter) : undefined
      const list = listOf('hosts', [filter, query, orderBy, ...(gone ? ['gone'] : [])])
      const isEvery = !query && !filter
      const views: HostView[] = []
      const { present, records } = fleet.hosts
      await eachYielding(gone ? records.filter((record) => record.gone?.mergedInto === null) : present, (record) => {
        const view = viewHost(fleet, record)
        if (isEvery || (isAsked(view) && (!matches || matches(view)))) views.push(view)
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
      // the sort key of each host is computed only once, because a sort compares each host many times
      const keyed: { readonly view: HostView; readonly key: ReturnType<typeof keyFor> }[] = []
      await eachYielding(views, (view) => void keyed.push({ view, key: keyFor(view) }))
      const sorted = await sortYielding(keyed, (a, b) => compare(a.key, b.key))
      const { edges, ...rest } = pageOf(list, page, sorted, {
        types,
        keyFor: ({ key }) => key,
        isAfter: ({ key }, last: ReturnType<typeof keyFor>) => compare(key, last) > 0,
      })
      return { ...rest, edges: edges.map(({ cursor, node }) => ({ cursor, node: node.view })), asOf }
    },
    async setStatus({ hosts, status, reason, dryRun }) {
      const records = await toEdit(hosts, reason)
      if (!Array.isArray(records)) return records
      const impact = impactOn(records.map(viewOf), 0)
      const changes = records.map(({ host, node }): StatusSet => ({ type: 'status', host, node, status, reason }))
      const refusal = dryRun ? undefined : await edit(changes)
      if (refusal !== undefined) return refusal
      return { type: 'done', hosts: records.map(viewOf), impact, dryRun }
    },
    async setUsedFrom({ hosts, usedFrom, reason, dryRun }) {
      const records = await toEdit(hosts, reason)
      if (!Array.isArray(records)) return records
      const changes = records.map(({ host, node }): UsedFromSet => ({ type: 'usedFrom', host, node, usedFrom, reason }))
      const impact = impactOn(records.map(viewOf), 0, await changesOfFree(snapshotOf(replica), records, changes))
      const refusal = dryRun ? undefined : await edit(changes)
      if (refusal !== undefined) return refusal
      return { type: 'done', hosts: records.map(viewOf), impact, dryRun }
    },
    async setAllocation({ hosts, resourceClass, ratio, reserved, by, reason, dryRun }) {
      const issues = checkAllocation([], { resourceClass, ratio, reserved })
      if (ratio === undefined && reserved === undefined)
        issues.push(issue(['ratio'], null, 'be given, unless reserved is given; null removes the value'))
      if (issues.length > 0) return invalid(issues)
      const records = await toEdit(hosts, reason)
      if (!Array.isArray(records)) return records
      const changes = records.map(
        ({ host, node }): HostAllocationSet => ({
          ...{ type: 'hostAllocation', host, node, resourceClass, by, reason },
          ...(ratio !== undefined && { ratio }),
          ...(reserved !== undefined && { reserved }),
        }),
      )
      const warnings = [
        ...withoutClass(replica.fleet, records, resourceClass),
        ...(await changesOfFree(snapshotOf(replica), records, changes)),
      ]
      const impact = impactOn(records.map(viewOf), 0, warnings)
      const refusal = dryRun ? undefined : await edit(changes)
      if (refusal !== undefined) return refusal
      return { type: 'done', hosts: records.map(viewOf), impact, dryRun }
    },
  }
}

/** A warning if hosts do not report a class, because a value that is set for the class has no effect on these hosts now. */
function withoutClass({ hosts }: Fleet, records: readonly HostRecord[], resourceClass: string): readonly string[] {
  const lacking = records.filter(({ index }) => hosts.classes.get(resourceClass)?.reported[index] !== 1)
  const [first] = lacking
  if (first === undefined) return []
  const who =
    lacking.length === 1 ? `${hostAddress(hosts, first)} does` : `${hostAddress(hosts, first)} and ${lacking.length - 1} more hosts do`
  const near = nearSpellings(resourceClass, [...hosts.classes.keys()])
  const hint = near.length === 0 ? '' : `; a similar name is ${near.join(', ')}`
  return [`${who} not report ${resourceClass}: the setting takes effect when the class is reported${hint}`]
}

/** How many hosts and live claims a change affects. */
export function impactOn(views: readonly HostView[], zoneChanges: number, warnings: readonly string[] = []): Impact {
  const claims = views.reduce((sum, { record }) => sum + [...record.claims].filter(isLive).length, 0)
  return { hostsAffected: views.length, zoneChanges, claimsOnAffectedHosts: claims, warnings }
}

/** Sentences that state the free amounts after a change, class by class, for at most 20 hosts. */
export async function changesOfFree(fleet: Fleet, records: readonly HostRecord[], changes: readonly Change[]): Promise<string[]> {
  const listed = records.slice(0, MAX_LISTED)
  const copy = copyFleet(fleet)
  await answerYielding(appendInSteps(copy, changes))
  const sentences = listed.flatMap((record) => {
    const after = new Map(capacityOf(viewHost(copy, record)).map(({ resourceClass, free }) => [resourceClass, free]))
    return capacityOf(viewHost(fleet, record)).flatMap(({ resourceClass, free }) => {
      const next = after.get(resourceClass)
      return next === undefined || next === free ? [] : [`${hostAddress(fleet.hosts, record)}: ${resourceClass} free ${free}, then ${next}`]
    })
  })
  return records.length > MAX_LISTED ? [...sentences, `and what changes on ${records.length - MAX_LISTED} more hosts`] : sentences
}

const MAX_LISTED = 20

function parseKey(key: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(key)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
