/** The mean of the values. NaN if there are none. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The standard deviation of a sample (n - 1). 0 for a single value. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}

/** The mean without the given share of values at each end. */
export function trimmedMean(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const cut = Math.floor(sorted.length * share)
  return mean(sorted.slice(cut, sorted.length - cut))
}
