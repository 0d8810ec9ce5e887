/** A day, or a day and a time of it to the millisecond, in UTC. */
const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z)?$/

/**
 * Milliseconds since 1970 of a time of ISO 8601 in UTC; of a day, its begin. Undefined for an invalid time, such as the 30th of February.
 */
export function timeOf(text: string): number | undefined {
  const found = WRITTEN.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => Number(part ?? 0))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, Number((found[7] ?? '').padEnd(3, '0')))
  // A value beyond its month, day or hour has become another time.
  return date.toISOString().slice(0, 10) === text.slice(0, 10) && hour < 24 && minute < 60 && second < 60 ? date.getTime() : undefined
}

/** The shortest text that reads as the same time: without milliseconds where they are zero. */
export const printTime = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
