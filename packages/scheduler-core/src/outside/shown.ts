import { at } from '../hosts/columns.ts'
import type { HostTable } from '../hosts/hosts.ts'
import type { NamespaceDocument } from '../records/namespace-document.ts'
import type { Read, StatsField } from '../report/stats-fields.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * What a filter or weigher outside of this process sees of a request: what one instance asks for. Which hosts it may go to, how many
 * instances there are and what they are called is handled by this service alone, and changes no answer.
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
 * The request without any limits on hosts: an answer counts for all requests with the same key, so no host of theirs may be left out of the
 * question.
 */
export const anywhere = (request: RequestSpec): RequestSpec => ({
  ...request,
  ...{ ignoreHosts: [], forceHosts: [], forceNodes: [], requestedDestination: null },
})

/** Two requests with the same key get the same answers. */
export const requestKey = memoByObject((request: RequestSpec): string => canonicalJson(shownRequest(request)))

/**
 * What a filter or weigher outside of this process sees of a host: its names, its zone and aggregates, and the fields that it declares to
 * read.
 */
export interface ShownHost {
  readonly host: string
  readonly node: string
  readonly zone: string
  /** UUIDs of its aggregates, in ascending order. */
  readonly aggregates: readonly string[]
  readonly traits: readonly string[]
  /** Instances on it: as reported, plus claims that the report does not count yet. */
  readonly instances: number
  /** Operations that load its disks: as reported, plus claims that the report does not count yet. */
  readonly ioOps: number
  /** The free amount of each resource class that it reports, with all claims subtracted; negative where a report shrank the host. */
  readonly free: Readonly<Record<string, number>>
  /** The declared fields of its last report. */
  readonly stats: Readonly<Partial<Record<StatsField, unknown>>>
  /** Documents of other services whose fields are declared, whole, by namespace. */
  readonly namespaces: Readonly<Record<string, Pick<NamespaceDocument, 'version' | 'document'>>>
}

/** Builds the view of hosts for a filter or weigher that reads these fields. */
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
