import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataReads } from '../fleet/metadata-reads.ts'
import type { Reads } from '../fleet/stats-fields.ts'
import type { PreparedFilter } from '../prepared-filter.ts'
import type { RequestReadsBy } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/** What became of a filter at a host. */
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
   * asked, and reporters are told that they are needed (fleet/stats-fields.ts).
   */
  readonly reads: Reads
  /**
   * Which metadata of aggregates it looks at: operators are told who reads a key, and that nobody does. Keys that the request names are
   * a pattern (fleet/metadata-reads.ts). Absent: none; a part outside of this process sees none.
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
   * Present where the filter says which hosts a request is about, whatever is free there. The cause of a refusal speaks of the hosts that
   * these filters let in (cause/cause.ts). Absent: about the state of a host, its room, or its instances.
   */
  readonly admits?: Admits
  /**
   * Present for a part that runs outside of this process: a plug-in in a thread, or an extender. Who decides asks it about the hosts before, and
   * the answers are an input of the decision (outside/): its own functions are never called. `by`: who answers, name@version.
   */
  readonly outside?: { readonly by: string }
  /**
   * The options that it takes, as the schema of an object: they are checked when a profile is written, and `prepare` and `reads` get what the
   * schema makes of them, defaults filled in. Absent: `checkOptions` says what it takes.
   */
  readonly parameters?: z.ZodType<FilterOptions>
  /** Throws RangeError for options that it cannot take; runs when a profile is written. Absent, and no `parameters`: it takes none. */
  checkOptions?(options: FilterOptions): void
  prepare(request: RequestSpec, fleet: Fleet, options: FilterOptions): PreparedFilter | undefined
}

/** Which hosts a request is about. */
export interface Admits {
  /** `place`: those that it names by host, zone or aggregate. `property`: those of the kind that it asks for, or that are kept for such requests. */
  readonly by: 'place' | 'property'
  /** Present where it says which hosts are left out, not which are meant. */
  readonly isExclusion?: true
  /** Which they are, in words that follow "hosts": `in availability zone z1`. Asked only of a request that asks something of the filter. */
  which(request: RequestSpec, fleet: Fleet): string
}

export type FilterOptions = Readonly<Record<string, unknown>>
