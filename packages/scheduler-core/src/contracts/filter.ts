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
 * The law:
 * - `prepare` runs once per request and reads the request; `undefined` means that the request asks nothing of this
 *   filter, and the record says NOT_ASKED. Where it throws, every host is refused with the verdict ERROR.
 * - `passes` runs once per host that is still in, only compares, and changes nothing. It must answer true or false:
 *   anything else, or a throw, refuses that host with the verdict ERROR.
 * - `reason` is called only for hosts where `passes` was false, before the view moves on.
 * - `facts` is called only for such hosts too, and only for those that somebody looks at: the numbers of the reason first, then every other
 *   that refuses the host, each with the inputs that both sides come from. Absent: the reason's numbers, from nowhere in particular.
 * - No floating-point number is compared to decide whether something fits.
 */
export interface Filter {
  /** Nova's registered name where Nova has the filter. */
  readonly name: string
  /** One sentence for people: what a host must have to pass. */
  readonly description: string
  /**
   * Which fields of a host's report it looks at. A host that leaves one of them out is refused with host.not_reported before the filter is
   * asked, and reporters are asked for them (report/stats-fields.ts).
   */
  readonly reads: Reads
  /**
   * The metadata of aggregates that it reads: operators see who reads a key, and keys that nobody reads. Keys that the
   * request names are a pattern (hosts/metadata-reads.ts). Absent: none; a part outside of this process sees none.
   */
  readonly readsMetadata?: MetadataReads
  /** Which extra specs, hints, image properties and optional fields it looks at: those that no part looks at are in `ignoredFields` of the answer. Absent: none. */
  readonly readsRequest?: RequestReadsBy<FilterOptions>
  /**
   * Present when the verdict of a host depends only on the request, on the options and on the host's own state (everything that raises its
   * version), whatever other hosts take: then it is asked once a request, and between the instances of one request only of hosts that changed.
   */
  readonly readsHostOnly?: true
  /**
   * Present when what other hosts take can change the verdict of a host: how much fits is then counted by placing one after another. Absent:
   * each host can be filled alone; but of a plug-in's filter that does not say `readsHostOnly` it is taken to be so.
   */
  readonly readsOtherHosts?: true
  /**
   * Present if the filter determines which hosts a request is about, regardless of free resources. The cause of a
   * refusal is about the hosts that these filters pass (cause/cause.ts). Absent: the filter checks the state of a host,
   * its free resources, or its instances.
   */
  readonly admits?: Admits
  /**
   * Present for a part that runs outside of this process: a plug-in in a thread, or an extender. Who decides asks it about the hosts before, and
   * the answers are an input of the decision (outside/): its own functions are never called. `by`: who answers, name@version.
   */
  readonly outside?: { readonly by: string }
  /**
   * The schema of its options, an object: they are checked when a profile is written, and `prepare` and `reads` get the
   * parsed options, defaults filled in. Absent: `checkOptions` checks them.
   */
  readonly parameters?: z.ZodType<FilterOptions>
  /** Throws RangeError for invalid options; runs when a profile is written. A filter without this and `parameters` takes no options. */
  checkOptions?(options: FilterOptions): void
  prepare(request: RequestSpec, fleet: Fleet, options: FilterOptions): PreparedFilter | undefined
}

/** The kind of a filter that decides which hosts a request is about. */
export interface Admits {
  /** `place`: those that it names by host, zone or aggregate. `property`: those of the kind that it asks for, or that are kept for such requests. */
  readonly by: 'place' | 'property'
  /** Present if the filter excludes hosts rather than selecting them. */
  readonly isExclusion?: true
  /** These hosts in words that follow "hosts": `in availability zone z1`. Called only for a request that asks something of the filter. */
  which(request: RequestSpec, fleet: Fleet): string
}

/** The first filter of every decision. */
export interface CandidatesFilter extends Filter {
  /**
   * The hosts that a request names, each once, in order of index: only these can pass, so that filters need not be called for others.
   * Undefined: it names none.
   */
  named?(request: RequestSpec, fleet: Fleet): readonly HostIndex[] | undefined
}

export type FilterOptions = Readonly<Record<string, unknown>>
