/** An ISO 8601 duration in words: "PT1M30S" becomes "1 min 30 s". */
export function inWords(duration: string): string {
  const parts = partsOf(duration).map(([count, unit]) => `${count} ${unit}`)
  return parts.join(' ') || duration
}

/** An ISO 8601 duration in milliseconds: "PT1M30S" becomes 90,000. 0 if the text is not a duration. */
export const millisecondsOf = (duration: string): number =>
  partsOf(duration).reduce((sum, [count, , ms]) => sum + Math.round(Number(count) * ms), 0)

function partsOf(duration: string): readonly (readonly [count: string, unit: string, ms: number])[] {
  const [, days, hours, minutes, seconds] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(duration) ?? []
  const parts = [
    [days, 'd', 86_400_000],
    [hours, 'h', 3_600_000],
    [minutes, 'min', 60_000],
    [seconds, 's', 1_000],
  ] as const
  return parts.flatMap(([count, unit, ms]) => (count === undefined ? [] : [[count, unit, ms] as const]))
}
