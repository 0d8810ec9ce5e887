import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataReads } from '../fleet/metadata-reads.ts'
import type { Reads } from '../fleet/stats-fields.ts'
import type { HostIndex } from '../host-index.ts'
import type { RequestReads } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/**
 * Ranks hosts that passed the filters: a raw number in a stated unit, more is better. Scaling to 0..1 and multiplying
 * happen in run-weighers.
 *
 * The law: a weigher never drops a host; it uses + - * /, Math.sqrt, Math.min, Math.max and comparisons only, so that
 * every platform gets the same bits; an answer that is not a finite number counts as the least of the others.
 */
export interface Weigher {
  /** Nova's registered name where Nova has the weigher. */
  readonly name: string
  readonly description: string
  readonly unit: string
  /** Which fields of a host's report it looks at; a host that leaves one of them out has no number, which counts as the least. */
  readonly reads: Reads
  /** See Filter. */
  readonly readsMetadata?: MetadataReads
  /** See Filter. */
  readonly readsRequest?: RequestReads
  /** minmax normalisation measures the spread from here instead of from the least raw number, as some of Nova's do. */
  readonly minval?: number
  /**
   * Present when the raw number depends only on the request, on the options and on the host's own state (everything that raises its version):
   * between the instances of one request it is then worked out only for hosts that changed. A weigher with a `cacheKey` needs it not.
   */
  readonly readsHostOnly?: true
  /** See Filter. */
  readonly outside?: { readonly by: string }
  /**
   * The options that it takes, as the schema of an object: they are checked when a profile is written, and `prepare` and `reads` get what the
   * schema makes of them, defaults filled in. Absent: `checkOptions` says what it takes.
   */
  readonly parameters?: z.ZodType<WeigherOptions>
  /** Throws RangeError for options that it cannot take; runs when a profile is written. Absent, and no `parameters`: it takes none. */
  checkOptions?(options: WeigherOptions): void
  /** `multiplier` is the profile's, for the few whose raw number depends on whether it counts at all. */
  prepare(request: RequestSpec, fleet: Fleet, options: WeigherOptions, multiplier: number): (host: HostIndex) => number
  /** Present when a host may have another multiplier than the profile's. */
  multipliers?(fleet: Fleet, options: WeigherOptions, multiplier: number): Multipliers
  /**
   * Present when the raw number depends only on this key of the request, on the options and on the host's own state (everything that
   * raises its version): then it is kept per key and host, and worked out again only for hosts that changed. Undefined: not of this request.
   */
  cacheKey?(request: RequestSpec, options?: WeigherOptions): string | undefined
}

/** What the normalised numbers of a weigher are multiplied with; each is a finite number. */
export interface Multipliers {
  /** Of every host that has none of its own. */
  readonly usual: number
  /** Absent: no host has one of its own. Both depend only on the host's own state (everything that raises its version). */
  readonly own?: {
    of(host: HostIndex): number
    /** Who says so: `aggregate <name> <key>`; undefined where it is the usual one. */
    source(host: HostIndex): string | undefined
  }
}

export type WeigherOptions = Readonly<Record<string, unknown>>
