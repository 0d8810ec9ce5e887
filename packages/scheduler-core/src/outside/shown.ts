import { canonicalJson } from '../canonical-json.ts'
import { at } from '../fleet/columns.ts'
import type { HostTable } from '../fleet/hosts.ts'
import type { Read, StatsField } from '../fleet/stats-fields.ts'
import type { HostIndex } from '../host-index.ts'
import { memoByObject } from '../memo.ts'
import type { NamespaceDocument } from '../namespace/contract.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/**
 * What a part outside of this process is shown of a request: what one instance asks for. Which hosts it may go to, how many there are and
 * what they are called is this service's own affair, and none of it changes an answer.
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

/** The request wherever it may go: what is answered about it counts for all requests with its key, so none of their hosts may be left out. */
export const anywhere = (request: RequestSpec): RequestSpec => ({
  ...request,
  ...{ ignoreHosts: [], forceHosts: [], forceNodes: [], requestedDestination: null },
})

/** Two requests with the same key get the same answers. */
export const requestKey = memoByObject((request: RequestSpec): string => canonicalJson(shownRequest(request)))

/** What a part outside of this process is shown of a host: what it is called, where it stands, and of the rest what the part reads. */
export interface ShownHost {
  readonly host: string
  readonly node: string
  readonly zone: string
  /** UUIDs of its aggregates, in their order. */
  readonly aggregates: readonly string[]
  readonly traits: readonly string[]
  /** Instances on it: as reported, plus claims that the report does not count yet. */
  readonly instances: number
  /** Input/output-heavy operations, counted alike. */
  readonly ioOps: number
  /** What is free of each resource class that it reports, all claims counted; negative where a report shrank the host. */
  readonly free: Readonly<Record<string, number>>
  /** Of its last report, the fields that the part reads. */
  readonly stats: Readonly<Partial<Record<StatsField, unknown>>>
  /** Of other services' documents, those that the part reads of, whole, by namespace. */
  readonly namespaces: Readonly<Record<string, Pick<NamespaceDocument, 'version' | 'document'>>>
}

/** Shows hosts to a part that reads these. */
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
        classes.flatMap(([name, { reported, free }]) => (at(reported, index) === 1 ? [[name, at(free, index)]] : [])),
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
