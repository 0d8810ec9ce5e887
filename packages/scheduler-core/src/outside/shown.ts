import { classValue } from '../hosts/classes/sparse-columns.ts'
import { at } from '../hosts/columns.ts'
import type { HostTable } from '../hosts/hosts.ts'
import type { NamespaceDocument } from '../records/namespace-document.ts'
import type { Read, StatsField } from '../report/stats-fields.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * The fields of a request that are sent to a filter or weigher outside of this process. They describe the demands of one instance. Fields
 * about allowed hosts, and the count and names of instances, are left out, because only this service uses them.
 */
export type ShownRequest = Omit<
  RequestSpec,
  | 'numInstances'
  | 'instanceUuids'
  | 'gang'
  | 'topologySpread'
  | 'ignoreHosts'
  | 'forceHosts'
  | 'forceNodes'
  | 'forceVerify'
  | 'requestedDestination'
  | 'nova'
>

export const shownRequest = memoByObject((request: RequestSpec): ShownRequest => {
  const {
    numInstances: _n,
    instanceUuids: _u,
    gang: _g,
    topologySpread: _t,
    ignoreHosts: _i,
    forceHosts: _h,
    forceNodes: _o,
    forceVerify: _v,
    requestedDestination: _d,
    nova: _a,
    ...shown
  } = request
  return shown
})

/**
 * The request without its restrictions to named hosts. An answer is reused for all requests with the same `requestKey`, so it must include
 * the hosts of all these requests.
 */
export const anywhere = (request: RequestSpec): RequestSpec => ({
  ...request,
  ...{ ignoreHosts: [], forceHosts: [], forceNodes: [], requestedDestination: null },
})

/** The key of a request for answers. Requests with the same key have the same answers. */
export const requestKey = memoByObject((request: RequestSpec): string => canonicalJson(shownRequest(request)))

/**
 * The data about a host that is sent to a filter or weigher outside of this process. `stats` and `namespaces` have only the fields that the
 * filter or weigher declares in `reads`.
 */
export interface ShownHost {
  readonly host: string
  readonly node: string
  readonly zone: string
  /** UUIDs of the host's aggregates, in ascending order. */
  readonly aggregates: readonly string[]
  readonly traits: readonly string[]
  /** Count of the instances: the instances in the report, plus the claims that the report does not include yet. */
  readonly instances: number
  /** Count of the I/O-heavy operations: the operations in the report, plus one for each claim that the report does not include yet. */
  readonly ioOps: number
  /** The free amount of each resource class that the host reports, after all claims. Negative if claims exceed the capacity. */
  readonly free: Readonly<Record<string, number>>
  /** The declared fields of the host's last report. */
  readonly stats: Readonly<Partial<Record<StatsField, unknown>>>
  /** The documents of other services, by namespace. A document is complete if at least one of its fields is declared. */
  readonly namespaces: Readonly<Record<string, Pick<NamespaceDocument, 'version' | 'document'>>>
}

/** Returns a function that builds the data of a host for a filter or weigher with the declared fields `reads`. */
export function showHosts(hosts: HostTable, reads: readonly Read[]): (index: HostIndex) => ShownHost {
  const { columns } = hosts
  const classes = [...hosts.classes]
  const fields = reads.filter((read): read is StatsField => !read.includes('.'))
  const namespaces = [...new Set(reads.filter((read) => read.includes('.')).map((read) => read.slice(0, read.indexOf('.'))))]
  return (index) => {
    const { host, node, zone, aggregates, traits, stats, namespaces: documents } = hosts.get(index)
    return {
      ...{ host, node, zone, aggregates },
      traits: [...traits],
      instances: at(columns.instances, index),
      ioOps: at(columns.ioOps, index),
      free: Object.fromEntries(
        classes.flatMap(([name, own]) => (classValue(own, 'reported', index) === 1 ? [[name, classValue(own, 'free', index)]] : [])),
      ),
      stats: Object.fromEntries(fields.map((field) => [field, stats[field]])),
      namespaces: Object.fromEntries(
        namespaces.flatMap((name) => {
          const known = documents.get(name)
          return known === undefined ? [] : [[name, { version: known.version, document: known.document }]]
        }),
      ),
    }
  }
}
