import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Reads } from '../report/stats-fields.ts'
import type { RequestReadsBy } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { PreparedFilter } from '../text/prepared-filter.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The result of a filter for a host. NOT_RUN: an earlier filter refused the host. NOT_ASKED: the filter does not apply to the request. */
export type Verdict = 'PASS' | 'FAIL' | 'ERROR' | 'NOT_RUN' | 'NOT_ASKED'

/**
 * A yes/no test of one host for one instance of a request.
 *
 * The rules:
 * - `prepare` runs once per request and reads the request. It returns `undefined` if the filter does not apply to the request; the record
 * then has the verdict NOT_ASKED. If it throws, every host is refused with the verdict ERROR.
 * - `passes` runs once for each host that passed the earlier filters. It only compares, and changes nothing. It must return true or false.
 * Any other value, or an exception, refuses that host with the verdict ERROR.
 * - `reason` is called only for hosts that `passes` refused, before the fleet changes.
 * - `facts` is called for refused hosts when a caller reads the facts. The first fact has the required and the actual value of the reason.
 * Further facts have other values for which the host is refused. Each fact names the sources of both values. Absent: the only fact has the
 * values of the reason, without sources.
 * - No floating-point number is compared to decide whether an amount fits.
 */
export interface Filter {
  /** The name of Nova's filter, if Nova has this filter. */
  readonly name: string
  /** One sentence for users: what a host must have to pass. */
  readonly description: string
  /**
   * The fields of a host's report that the filter reads. A host that leaves out one of these fields is refused with host.not_reported
   * before the filter is called. The API lists these fields as required for reporters (report/stats-fields.ts).
   */
  readonly reads: Reads
  /**
   * The metadata keys of aggregates that the filter reads. Operators can list the readers of each key, and keys that nothing reads. Keys
   * that come from the request are declared by a pattern (hosts/metadata-reads.ts). Absent: the filter reads no metadata. A filter outside
   * of this process gets no metadata.
   */
  readonly readsMetadata?: MetadataReads
  /**
   * The extra specs, hints, image properties and optional fields of a request that the filter reads. Fields of a request that no filter or
   * weigher reads are listed in `ignoredFields` of the answer. Absent: the filter reads none of these fields.
   */
  readonly readsRequest?: RequestReadsBy<FilterOptions>
  /**
   * Present if the filter compares the time of the decision with times in documents of the release's namespaces. Returns true for requests
   * for which it compares them. Before such a request is decided, the time of the log is moved forward. Not needed for namespaces of plug-ins.
   */
  asksAges?(request: RequestSpec): boolean
  /**
   * Present if the verdict for a host depends only on the request, the options and the host's own state, not on other hosts. Every change
   * of a host's own state increases the host's version number. For a further instance of a request, the filter is called again only for
   * hosts that changed since the previous instance.
   */
  readonly readsHostOnly?: true
  /**
   * Present if the verdict for a host depends only on the returned key, the options, the feature level and the host's own state, and not on
   * the time. The verdicts are then cached for each key and host, also for later requests, and the filter is called again only for hosts
   * that changed. If the key is undefined, the verdicts are not cached for this request. Verdicts for an instance that moves are never
   * cached. What `prepare` returns is also used for later requests that differ only in the UUIDs of instances, as long as only claims change,
   * so it can hold columns of the fleet, but nothing that it computed from claims. Not used for filters of plug-ins.
   */
  cacheKey?(request: RequestSpec, options: FilterOptions, fleet: Fleet): string | undefined
  /**
   * Present if claims on other hosts can change the verdict for a host. To count how many instances fit, the instances are then placed one
   * after another. Absent: the instances that fit are counted for each host separately. A plug-in's filter without `readsHostOnly` is
   * treated as if this property were present.
   */
  readonly readsOtherHosts?: true
  /**
   * Present if a host that refuses an instance can pass again when it has more instances, as for a query that excludes one amount of free
   * memory. Returns true for such requests. To count how many instances fit on a host, the host is then checked after each of them. Absent:
   * the host is not checked for counts that are surely below its free amounts.
   */
  canPassAgain?(request: RequestSpec): boolean
  /**
   * Present if the filter determines which hosts a request admits, regardless of free resources. The cause of a refusal considers only
   * hosts that pass these filters (cause/cause.ts). Absent: the filter checks the state of a host, its free resources, or its instances.
   */
  readonly admits?: Admits
  /**
   * Present if the filter runs outside of this process: a plug-in in a thread, or an extender. It is called before the decision, and its
   * answers are an input of the decision (outside/). The functions of this object are never called. `by` is the plug-in or extender that
   * answers, as name@version.
   */
  readonly outside?: { readonly by: string }
  /**
   * The schema of the filter's options, which must be an object. The options are checked when a profile is written. `prepare` and `reads`
   * get the parsed options with defaults. Absent: `checkOptions` checks the options.
   */
  readonly parameters?: z.ZodType<FilterOptions>
  /**
   * Throws RangeError for invalid options. Called when a profile is written. A filter without `checkOptions` and `parameters` has no
   * options.
   */
  checkOptions?(options: FilterOptions): void
  prepare(request: RequestSpec, fleet: Fleet, options: FilterOptions): PreparedFilter | undefined
}

/** Describes how a filter determines which hosts a request admits. */
export interface Admits {
  /**
   * `place`: by names of hosts, zones or aggregates in the request. `property`: by properties of hosts that the request requires, or by
   * aggregates that are reserved for such requests.
   */
  readonly by: 'place' | 'property'
  /** Present if the filter excludes hosts rather than selecting them. */
  readonly isExclusion?: true
  /**
   * Describes the admitted hosts. The text follows the word "hosts": `in availability zone z1`. Called only if the filter applies to the
   * request.
   */
  which(request: RequestSpec, fleet: Fleet): string
}

/** The first filter of every decision. It passes the hosts that the request admits. */
export interface CandidatesFilter extends Filter {
  /**
   * The hosts that a request names, without duplicates and sorted by index. Only these hosts can pass, so filters are not called for other
   * hosts. Undefined if the request names no hosts.
   */
  named?(request: RequestSpec, fleet: Fleet): readonly HostIndex[] | undefined
}

export type FilterOptions = Readonly<Record<string, unknown>>
