import { shareMissing } from '../text/missing.ts'
import type { Reason } from '../text/reason.ts'
import type { Check } from './examine.ts'

/** Added to the distance for each refusing filter after the first. It is so small that the shortfall decides the order of hosts. */
const PER_REFUSAL = 0.001

/**
 * The distance of a host from passing all filters. 0 means that the host passes. The distance is the largest shortfall among the refusing
 * filters, as a share of the needed amount (0.25 if 8 of 32 GiB are missing), plus 0.001 for each refusing filter after the first. For a
 * missing demand that is not an amount, such as a trait, the share is 1.
 */
export const distanceOf = (checks: readonly Check[]): number => distanceOfReasons(checks.flatMap(({ reason }) => reason ?? []))

/** The distance of a host from passing all filters (`distanceOf`), computed from its reasons. */
export function distanceOfReasons(reasons: readonly Reason[]): number {
  if (reasons.length === 0) return 0
  let worst = 0
  for (const reason of reasons) worst = Math.max(worst, shareMissing(reason))
  return distanceBy(worst, reasons.length)
}

/**
 * The distance of a host from passing all filters (`distanceOf`), computed from the largest missing share and the count of refusing
 * filters.
 */
export const distanceBy = (worst: number, refusals: number): number => (refusals === 0 ? 0 : worst + PER_REFUSAL * (refusals - 1))
