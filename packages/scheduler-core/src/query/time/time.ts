/** Matches a day, or a day and a UTC time with up to three decimals of a second. */
const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z)?$/

/**
 * Converts an ISO 8601 time in UTC to milliseconds since 1970. A day without a time means the beginning of the day. Undefined for an
 * invalid time.
 */
export function timeOf(text: string): number | undefined {
  const found = WRITTEN.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => Number(part ?? 0))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, Number((found[7] ?? '').padEnd(3, '0')))
  // A day such as February 30 becomes another date, so the date is compared with the text.
  return date.toISOString().slice(0, 10) === text.slice(0, 10) && hour < 24 && minute < 60 && second < 60 ? date.getTime() : undefined
}

/** Writes a time in ISO 8601 and UTC. Milliseconds are left out if they are zero. */
export const printTime = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
