import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Reads } from '../report/stats-fields.ts'
import type { RequestReadsBy } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { PreparedFilter } from '../text/prepared-filter.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The result of a filter for a host. */
export type Verdict = 'PASS' | 'FAIL' | 'ERROR' | 'NOT_RUN' | 'NOT_ASKED'

/**
 * A yes/no test of one host for one instance of a request.
 *
 * The rules:
 * - `prepare` runs once per request and reads the request. It returns `undefined` if the request needs nothing from this filter; the record
 * then has the verdict NOT_ASKED. If it throws, every host is refused with the verdict ERROR.
 * - `passes` runs once for each host that passed the earlier filters. It only compares, and changes nothing. It must return true or false.
 * Any other value, or an exception, refuses that host with the verdict ERROR.
 * - `reason` is called only for hosts that `passes` refused, before the fleet changes.
 * - `facts` is called for such hosts too, but only when a caller reads the facts. The numbers of the reason come first, then other numbers
 * that refuse the host, each with the sources of both sides. Absent: the facts are the numbers of the reason, without a source.
 * - No floating-point number is compared to decide whether an amount fits.
 */
export interface Filter {
  /** The name of Nova's filter, if Nova has this filter. */
  readonly name: string
  /** One sentence for users: what a host must have to pass. */
  readonly description: string
  /**
   * The fields of a host's report that the filter reads. A host that leaves one of them out is refused with host.not_reported before the
   * filter is called. The API lists these fields as required for reporters (report/stats-fields.ts).
   */
  readonly reads: Reads
  /**
   * The metadata of aggregates that the filter reads. Operators see the readers of each key, and keys without a reader. Keys that come from
   * the request are declared by a pattern (hosts/metadata-reads.ts). Absent: none. A filter outside of this process gets no metadata.
   */
  readonly readsMetadata?: MetadataReads
  /**
   * The extra specs, hints, image properties and optional fields of a request that the filter reads. Fields of a request that no filter or
   * weigher reads are listed in `ignoredFields` of the answer. Absent: the filter reads none of these fields.
   */
  readonly readsRequest?: RequestReadsBy<FilterOptions>
  /**
   * Present if the verdict of a host depends only on the request, the options and the host's own state (everything that raises its
   * version), not on other hosts. The verdicts of such a filter are computed once per request. Between the instances of the request they
   * are computed again only for changed hosts.
   */
  readonly readsHostOnly?: true
  /**
   * Present if claims on other hosts can change the verdict of a host. The number of instances that fit is then counted by placing one
   * after another. Absent: each host can be filled alone. A plug-in's filter without `readsHostOnly` is treated as if this were present.
   */
  readonly readsOtherHosts?: true
  /**
   * Present if the filter determines which hosts a request is about, regardless of free resources. The cause of a
   * refusal is about the hosts that these filters pass (cause/cause.ts). Absent: the filter checks the state of a host,
   * its free resources, or its instances.
   */
  readonly admits?: Admits
  /**
   * Present if the filter runs outside of this process: a plug-in in a thread, or an extender. It is called before the decision, and its
   * answers are an input of the decision (outside/). Its own functions are never called. `by` is the plug-in or extender that answers, as
   * name@version.
   */
  readonly outside?: { readonly by: string }
  /**
   * The schema of the filter's options, which are an object. They are checked when a profile is written. `prepare` and `reads` get the
   * parsed options with defaults filled in. Absent: `checkOptions` checks them.
   */
  readonly parameters?: z.ZodType<FilterOptions>
  /** Throws RangeError for invalid options; runs when a profile is written. A filter without this and `parameters` takes no options. */
  checkOptions?(options: FilterOptions): void
  prepare(request: RequestSpec, fleet: Fleet, options: FilterOptions): PreparedFilter | undefined
}

/** How a filter selects the hosts that a request admits. */
export interface Admits {
  /**
   * `place`: hosts that the request names by host, zone or aggregate. `property`: hosts of the requested type, or hosts that are reserved
   * for such requests.
   */
  readonly by: 'place' | 'property'
  /** Present if the filter excludes hosts rather than selecting them. */
  readonly isExclusion?: true
  /** The hosts as text that follows "hosts": `in availability zone z1`. Called only if the request needs something from the filter. */
  which(request: RequestSpec, fleet: Fleet): string
}

/** The first filter of every decision. */
export interface CandidatesFilter extends Filter {
  /**
   * The hosts that a request lists, each once, sorted by index. Only these hosts can pass, so filters are not called for other hosts.
   * Undefined if the request lists no hosts.
   */
  named?(request: RequestSpec, fleet: Fleet): readonly HostIndex[] | undefined
}

export type FilterOptions = Readonly<Record<string, unknown>>
