const PATTERN = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Converts milliseconds to an ISO 8601 duration. */
export const toDuration = (ms: number): string => `PT${ms / 1_000}S`

/** Converts an ISO 8601 duration of days, hours, minutes and seconds to milliseconds. Throws RangeError for any other text. */
export function millisecondsOf(duration: string): number {
  const [, days, hours, minutes, seconds] = PATTERN.exec(duration) ?? []
  if ((days ?? hours ?? minutes ?? seconds) === undefined)
    throw new RangeError(`${JSON.stringify(duration)} is not a duration; it must be like PT2M, PT0.5S or P1DT12H`)
  const of = (text: string | undefined): number => Number(text ?? 0)
  return (((of(days) * 24 + of(hours)) * 60 + of(minutes)) * 60 + of(seconds)) * 1_000
}
