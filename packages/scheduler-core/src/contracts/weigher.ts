import type { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { Column } from '../hosts/column-memory.ts'
import { at } from '../hosts/columns.ts'
import type { MetadataReads } from '../hosts/metadata-reads.ts'
import type { Reads } from '../report/stats-fields.ts'
import type { RequestReadsBy } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * Gives each host that passed the filters a raw score in a fixed unit. A higher score is better. run-weighers.ts normalises the scores and
 * multiplies them by the multiplier. A weigher never removes a host. It must use only + - * /, Math.sqrt, Math.min, Math.max and
 * comparisons, so that every platform computes the same bits. A score that is not a finite number is replaced by the lowest score of the
 * other hosts.
 */
export interface Weigher {
  /** The name of Nova's weigher, if Nova has this weigher. */
  readonly name: string
  readonly description: string
  readonly unit: string
  /**
   * The fields of a host's report that the weigher reads. A host that leaves out one of these fields gets the lowest score of the other
   * hosts.
   */
  readonly reads: Reads
  /** See `Filter.readsMetadata`. */
  readonly readsMetadata?: MetadataReads
  /** See `Filter.readsRequest`. */
  readonly readsRequest?: RequestReadsBy<WeigherOptions>
  /**
   * For the normalisation `minmax`: the minimum that is used instead of the lowest raw score. Some of Nova's weighers have such a minimum.
   */
  readonly minval?: number
  /**
   * Present if the raw score depends only on the request, the options and the host's own state. Every change of a host's own state
   * increases the host's version number. For a further instance of a request, the score is computed again only for hosts that changed since
   * the previous instance. Not needed with a `cacheKey`.
   */
  readonly readsHostOnly?: true
  /** See `Filter.outside`. */
  readonly outside?: { readonly by: string }
  /**
   * The schema of the weigher's options, which must be an object. The options are checked when a profile is written. `prepare` and `reads`
   * get the parsed options with defaults. Absent: `checkOptions` checks the options.
   */
  readonly parameters?: z.ZodType<WeigherOptions>
  /**
   * Throws RangeError for invalid options. Called when a profile is written. A weigher without `checkOptions` and `parameters` has no
   * options.
   */
  checkOptions?(options: WeigherOptions): void
  /**
   * Returns the function for the raw scores. `columnScore` makes one that is faster if the score is the value of a column, and `noPreference`
   * is the function for a request on which the weigher has no effect. `multiplier` is the multiplier in the profile. Some of Nova's weighers
   * give different raw scores if the multiplier is 0. The result of `columnScore`, `noPreference` and the multipliers are also used for later
   * requests that differ only in the UUIDs of instances, as long as only claims change. Never for weighers of plug-ins.
   */
  prepare(request: RequestSpec, fleet: Fleet, options: WeigherOptions, multiplier: number): ScoreOf
  /**
   * Present if the weigher reads documents of other services by itself. Returns a function that says why the score of a host is not based
   * on a document of the host. Undefined if every host has such a document, or needs none. Explanations show this reason.
   */
  missing?(request: RequestSpec, fleet: Fleet, options: WeigherOptions): ((host: HostIndex) => Reason | undefined) | undefined
  /** Present if hosts can have a multiplier that differs from the multiplier in the profile. */
  multipliers?(fleet: Fleet, options: WeigherOptions, multiplier: number): Multipliers
  /**
   * Present if the raw score depends only on the returned key, the options and the host's own state. The score is then cached for each key
   * and host, and computed again only for hosts that changed. If the key is undefined, the score is not cached for this request.
   */
  cacheKey?(request: RequestSpec, options?: WeigherOptions): string | undefined
}

/** The multipliers for a weigher's normalised scores. Each multiplier is a finite number. */
export interface Multipliers {
  /** The multiplier for every host that has no multiplier of its own. */
  readonly usual: number
  /**
   * The multipliers of hosts that do not have the usual multiplier. Absent if there are no such hosts. Both functions must depend only on
   * the host's own state.
   */
  readonly own?: {
    of(host: HostIndex): number
    /** The source of a host's own multiplier: `aggregate <name> <key>`. Undefined if the host has the usual multiplier. */
    source(host: HostIndex): string | undefined
  }
}

/** A function that returns the raw score of a host. */
export type ScoreOf = (host: HostIndex) => number

/** The score of a host is its value in the column `values`, or `least` if that is more. */
export interface ColumnScore {
  readonly values: Column
  readonly least: number
}

const columnScores = new WeakMap<ScoreOf, ColumnScore>()

/** A score that is the value of a column, or `least` if that is more. Many hosts are then scored in one loop, without a call for each. */
export function columnScore(values: Column, least = Number.NEGATIVE_INFINITY): ScoreOf {
  if (!isColumn(values)) throw new TypeError(`the values are ${typeof values}; they must be a column of the fleet`)
  const scoreOf: ScoreOf = (host) => Math.max(least, at(values, host))
  columnScores.set(scoreOf, { values, least })
  return scoreOf
}

const isColumn = (values: unknown): values is Column =>
  [Float64Array, Int32Array, Uint16Array, Uint8Array].some((type) => values instanceof type)

/** The column of a score that `columnScore` made. Undefined for other scores. */
export const columnOf = (scoreOf: ScoreOf): ColumnScore | undefined => columnScores.get(scoreOf)

/**
 * The score 0 for every host. `prepare` returns this function for a request on which the weigher has no effect. Hosts are then not scored
 * one by one.
 */
export const noPreference: ScoreOf = () => 0

export type WeigherOptions = Readonly<Record<string, unknown>>
