/**
 * Computes floor((total - reserved) x ratio) with integers only; the ratio is in thousandths. The result is exact for totals up to 2^40 and
 * ratios up to 1000, and all replicas on all platforms compute the same capacity.
 */
export function capacityOf(total: number, reserved: number, ratioMilli: number): number {
  const rest = Math.max(0, total - reserved)
  const thousands = Math.floor(rest / 1_000)
  return thousands * ratioMilli + Math.floor(((rest - thousands * 1_000) * ratioMilli) / 1_000)
}

/** Converts a ratio to thousandths, rounded to an integer. */
export const toRatioMilli = (ratio: number): number => Math.round(ratio * 1_000)
