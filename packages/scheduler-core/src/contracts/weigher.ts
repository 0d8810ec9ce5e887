import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Reads } from '../report/stats-fields.ts'
import type { RequestReadsBy } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * Ranks hosts that passed the filters: a raw number in a stated unit, more is better. Scaling to 0..1 and multiplying happen in
 * run-weighers. The rules: a weigher never drops a host; it uses + - * /, Math.sqrt, Math.min, Math.max and comparisons only, so that every
 * platform gets the same bits; a result that is not a finite number counts as the least of the others.
 */
export interface Weigher {
  /** Nova's registered name where Nova has the weigher. */
  readonly name: string
  readonly description: string
  readonly unit: string
  /** Which fields of a host's report it reads; a host that leaves one of them out has no number, which counts as the least. */
  readonly reads: Reads
  /** See Filter. */
  readonly readsMetadata?: MetadataReads
  /** See Filter. */
  readonly readsRequest?: RequestReadsBy<WeigherOptions>
  /** minmax normalisation measures the spread from here instead of from the least raw number, as for some of Nova's weighers. */
  readonly minval?: number
  /**
   * True when the raw number depends only on the request, on the options and on the host's own state (everything that raises its version):
   * between the instances of one request it is then computed again only for hosts that changed. A weigher with a `cacheKey` does not need
   * it.
   */
  readonly readsHostOnly?: true
  /** See Filter. */
  readonly outside?: { readonly by: string }
  /**
   * The options that it accepts, as the schema of an object: they are checked when a profile is written, and `prepare` and `reads` get the
   * parsed options, with defaults filled in. Absent: `checkOptions` checks them.
   */
  readonly parameters?: z.ZodType<WeigherOptions>
  /** Throws RangeError for invalid options; runs when a profile is written. Absent, and no `parameters`: it has no options. */
  checkOptions?(options: WeigherOptions): void
  /** `multiplier` is the profile's, for the few weighers whose raw number depends on whether it is 0. */
  prepare(request: RequestSpec, fleet: Fleet, options: WeigherOptions, multiplier: number): (host: HostIndex) => number
  /** Present when a host may have another multiplier than the profile's. */
  multipliers?(fleet: Fleet, options: WeigherOptions, multiplier: number): Multipliers
  /**
   * Present when the raw number depends only on this key of the request, on the options and on the host's own state (everything that raises
   * its version): then it is kept per key and host, and computed again only for hosts that changed. Undefined: not for this request.
   */
  cacheKey?(request: RequestSpec, options?: WeigherOptions): string | undefined
}

/** The factors of a weigher's normalised numbers; each is a finite number. */
export interface Multipliers {
  /** The factor of every host that has none of its own. */
  readonly usual: number
  /** Absent: no host has one of its own. Both depend only on the host's own state (everything that raises its version). */
  readonly own?: {
    of(host: HostIndex): number
    /** Where a host's factor comes from: `aggregate <name> <key>`; undefined where it is the usual one. */
    source(host: HostIndex): string | undefined
  }
}

export type WeigherOptions = Readonly<Record<string, unknown>>
