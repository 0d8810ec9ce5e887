import { formatPercent, formatShare } from './format.ts'

/**
 * A share as a percentage, such as 0.8 %. It is 0 only if `some` is 0, and 100 only if `some` equals `all`. `-` if the total is 0.
 */
export function shareText(some: number, all: number): string {
  if (all === 0) return '-'
  const percent = (100 * some) / all
  if (some > 0 && percent < 0.1) return '< 0.1 %'
  if (some < all && percent > 99.9) return '> 99.9 %'
  return percent < 10 ? formatShare(some / all) : formatPercent(percent)
}
