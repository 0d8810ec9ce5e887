import { withTimes } from '@gantt/scheduler-core/query'
import { formatCount, formatDuration, formatSigned, readDuration } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { shareText } from '../../lib/share.ts'
import type { ACTIVITY, FITS, FLAVORS, FLEET } from './documents.ts'

export type Activity = ResultOf<typeof ACTIVITY>['activity']
export type Step = Activity['steps'][number]
export type Flavor = ResultOf<typeof FLAVORS>['activity']['flavors'][number]
export type FleetNow = ResultOf<typeof FLEET>
export type Zone = FleetNow['fleet']['totals'][number]
export type Capacity = ResultOf<typeof FITS>['capacity']

/** The filter that finds decisions in which at least one instance was not placed. */
export const FAILED = 'outcome:PARTIAL,NO_VALID_HOST'

/**
 * The filter that finds the decisions of a period, with further terms. The filter has the exact times, so it finds the same decisions
 * later.
 */
export const queryOf = ({ since, until }: Pick<Activity, 'since' | 'until'>, terms = ''): string =>
  withTimes(terms, Date.parse(since), Date.parse(until))

/** The average number of decisions per minute in the period, rounded to two significant digits. */
export function perMinute({ decisions, since, until }: Pick<Activity, 'decisions' | 'since' | 'until'>): string {
  const minutes = (Date.parse(until) - Date.parse(since)) / 60_000
  return formatCount(Number((decisions / minutes).toPrecision(2)))
}

/** The share of failed decisions. */
export const failedShare = ({ decisions, failed }: Pick<Activity, 'decisions' | 'failed'>): string => shareText(failed, decisions)

/** The relative change, such as +3 % or ±0 %. Undefined if the former value is 0. */
export function changeOf(now: number, before: number): string | undefined {
  return before === 0 ? undefined : `${signed((100 * (now - before)) / before)} %`
}

/** The change of the share of failed decisions in percentage points: +0.3 points. Undefined if one of the periods has no decisions. */
export function shareChangeOf(
  now: Pick<Activity, 'decisions' | 'failed'>,
  before: Pick<Activity, 'decisions' | 'failed'>,
): string | undefined {
  if (now.decisions === 0 || before.decisions === 0) return undefined
  return `${signed(100 * (now.failed / now.decisions - before.failed / before.decisions))} points`
}

function signed(number: number): string {
  const rounded = Number(Math.abs(number).toFixed(Math.abs(number) < 10 ? 1 : 0))
  if (rounded === 0) return '±0'
  return formatSigned(number < 0 ? -rounded : rounded)
}

/** The count of live replicas and their largest lag, in one line. */
export function replicasLine(replicas: FleetNow['replicas']): { readonly value: string; readonly isBad: boolean } {
  const live = replicas.filter((one) => one.live)
  const lagMs = Math.max(0, ...live.map(({ lag }) => readDuration(lag)))
  return {
    value: `${live.length} of ${replicas.length}, lag ${formatDuration(lagMs)}`,
    isBad: live.length < replicas.length || live.some(({ violations }) => violations > 0),
  }
}

export interface Fits {
  readonly fits: number
  readonly exact: boolean
  /**
   * Of the instances that would fit if all free amounts of each zone were on one host, the share that does not fit, 0 to 1. Undefined if no
   * instance would fit, or if the counts are not exact.
   */
  readonly fragmentation: number | undefined
  readonly byZone: ReadonlyMap<string, number>
}

/** How many instances fit now, and the share of instances that is lost because free amounts are spread over several hosts. */
export function fitsOf({ fits, exact, groups }: Capacity): Fits {
  const pooled = groups.reduce((sum, { fitsIfPooled }) => sum + (fitsIfPooled ?? 0), 0)
  return {
    fits,
    exact,
    fragmentation: pooled === 0 || !exact ? undefined : 1 - fits / pooled,
    byZone: new Map(groups.map(({ key, fits: there }) => [key, there])),
  }
}
