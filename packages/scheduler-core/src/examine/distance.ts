import { shareMissing } from '../text/missing.ts'
import type { Reason } from '../text/reason.ts'
import type { Check } from './examine.ts'

/** One more refusing filter counts less than any noticeable shortfall. */
const PER_REFUSAL = 0.001

/**
 * How far a host is from passing; 0 means that it passes. The worst shortfall among the filters that refuse it, as a share of the needed
 * amount (8 GiB of 32 missing: 0.25), plus a thousandth for each further refusing filter. A demand that is not a number, such as a trait,
 * is missing as a whole: 1.
 */
export const distanceOf = (checks: readonly Check[]): number => distanceOfReasons(checks.flatMap(({ reason }) => reason ?? []))

/** The same distance, computed from the reasons alone. */
export function distanceOfReasons(reasons: readonly Reason[]): number {
  if (reasons.length === 0) return 0
  let worst = 0
  for (const reason of reasons) worst = Math.max(worst, shareMissing(reason))
  return distanceBy(worst, reasons.length)
}

/** The same distance, computed from the largest missing share and the number of refusing filters. */
export const distanceBy = (worst: number, refusals: number): number => (refusals === 0 ? 0 : worst + PER_REFUSAL * (refusals - 1))
