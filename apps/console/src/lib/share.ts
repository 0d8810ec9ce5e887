import { formatPercent, formatShare } from './format.ts'

/** Which share of all some are: 0.8 %, never 0 where there are some, nor 100 where there are others; `-` of none. */
export function shareText(some: number, all: number): string {
  if (all === 0) return '-'
  const percent = (100 * some) / all
  if (some > 0 && percent < 0.1) return '< 0.1 %'
  if (some < all && percent > 99.9) return '> 99.9 %'
  return percent < 10 ? formatShare(some / all) : formatPercent(percent)
}
