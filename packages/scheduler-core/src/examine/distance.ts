import { shareMissing } from '../text/missing.ts'
import type { Reason } from '../text/reason.ts'
import type { Check } from './examine.ts'

/** The additional distance for each further filter that refuses the host. It is smaller than any noticeable shortfall. */
const PER_REFUSAL = 0.001

/**
 * The distance of a host from passing; 0 means that it passes. It is the worst shortfall among the filters that refuse the host, as a share
 * of the needed amount (8 GiB of 32 missing: 0.25), plus a thousandth for each further refusing filter. A demand that is not a number, such
 * as a trait, is missing as a whole, which counts as 1.
 */
export const distanceOf = (checks: readonly Check[]): number => distanceOfReasons(checks.flatMap(({ reason }) => reason ?? []))

/** The distance of a host from passing (`distanceOf`), computed from its reasons. */
export function distanceOfReasons(reasons: readonly Reason[]): number {
  if (reasons.length === 0) return 0
  let worst = 0
  for (const reason of reasons) worst = Math.max(worst, shareMissing(reason))
  return distanceBy(worst, reasons.length)
}

/** The distance of a host from passing (`distanceOf`), computed from the largest missing share and the number of refusing filters. */
export const distanceBy = (worst: number, refusals: number): number => (refusals === 0 ? 0 : worst + PER_REFUSAL * (refusals - 1))
