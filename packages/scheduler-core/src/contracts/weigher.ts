import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Reads } from '../report/stats-fields.ts'
import type { RequestReadsBy } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * Gives each host that passed the filters a raw score in a fixed unit; a higher score is better. run-weighers scales the scores to 0..1 and
 * multiplies them. The rules: a weigher never removes a host. It uses only + - * /, Math.sqrt, Math.min, Math.max and comparisons, so that
 * every platform computes the same bits. A result that is not a finite number is replaced by the lowest score of the other hosts.
 */
export interface Weigher {
  /** The name of Nova's weigher, if Nova has this weigher. */
  readonly name: string
  readonly description: string
  readonly unit: string
  /** The fields of a host's report that the weigher reads. A host that leaves one of them out gets the lowest score of the other hosts. */
  readonly reads: Reads
  /** See `Filter.readsMetadata`. */
  readonly readsMetadata?: MetadataReads
  /** See `Filter.readsRequest`. */
  readonly readsRequest?: RequestReadsBy<WeigherOptions>
  /** With minmax, the lower end of the range in place of the lowest raw number. Some of Nova's weighers have this. */
  readonly minval?: number
  /**
   * True if the raw score depends only on the request, the options and the host's own state (everything that raises its version). Between
   * the instances of one request, the score is then computed again only for changed hosts. Not needed with a `cacheKey`.
   */
  readonly readsHostOnly?: true
  /** See `Filter.outside`. */
  readonly outside?: { readonly by: string }
  /**
   * The schema of the weigher's options, which are an object. They are checked when a profile is written. `prepare` and `reads` get the
   * parsed options with defaults filled in. Absent: `checkOptions` checks them.
   */
  readonly parameters?: z.ZodType<WeigherOptions>
  /** Throws RangeError for invalid options; runs when a profile is written. A weigher without this and `parameters` has no options. */
  checkOptions?(options: WeigherOptions): void
  /** `multiplier` is the multiplier in the profile. A few weighers give different raw scores if it is 0. */
  prepare(request: RequestSpec, fleet: Fleet, options: WeigherOptions, multiplier: number): (host: HostIndex) => number
  /** Present if hosts can have a multiplier that differs from the profile's. */
  multipliers?(fleet: Fleet, options: WeigherOptions, multiplier: number): Multipliers
  /**
   * Present if the raw score depends only on this key of the request, the options and the host's own state (everything that raises its
   * version). The score is then cached per key and host, and computed again only for changed hosts. Undefined: not cached for this request.
   */
  cacheKey?(request: RequestSpec, options?: WeigherOptions): string | undefined
}

/** The multipliers of a weigher's normalised scores. Each is a finite number. */
export interface Multipliers {
  /** The multiplier of every host that has no multiplier of its own. */
  readonly usual: number
  /**
   * Absent: no host has a multiplier of its own. Both functions depend only on the host's own state (everything that raises its version).
   */
  readonly own?: {
    of(host: HostIndex): number
    /** The source of a host's own multiplier: `aggregate <name> <key>`. Undefined if the host has the usual multiplier. */
    source(host: HostIndex): string | undefined
  }
}

export type WeigherOptions = Readonly<Record<string, unknown>>
