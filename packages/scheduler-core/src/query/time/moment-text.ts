/** The time zone in which a date or time without a zone is read: the zone of this machine, or UTC. */
export type MomentZone = 'local' | 'utc'

/** The result of reading a moment that a user typed: the moment in the form that URLs use, or the reason why the text is not a moment. */
export type MomentRead = { readonly at: string } | { readonly problem: string }

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const revisionForm = /^(?:revision\s+)?(\d{1,3}(?:,\d{3})+|\d{1,15})$/i
const agoForm = /^-\s*(\d{1,9}(?:\.\d{1,3})?)\s*(s|min|m|h|d|w)$/i
const exactForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i
const dateForm = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*(Z|UTC)?$/i
const clockForm = /^(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC)?$/i

/**
 * Reads a moment: a revision (`88123`), an age (`-15m`), a date with or without a time, or a time in the last 24 hours (`09:14`). Dates and
 * times are in the zone `zone` unless they end with UTC. `nowMs` is the time of the service's clock, in milliseconds since 1970.
 */
export function readMoment(text: string, nowMs: number, zone: MomentZone): MomentRead {
  const given = text.trim()
  const [, revision] = revisionForm.exec(given) ?? []
  if (revision !== undefined) return { at: String(Number(revision.replaceAll(',', ''))) }
  const ms = timeOf(given, nowMs, zone)
  if (ms === undefined)
    return {
      problem:
        'Write a revision (88123), a time before now (-15m, -2h, -1d), or a time (09:14, 2026-11-20 09:14, both with UTC after it if it is not local time).',
    }
  // A Date cannot represent times beyond this many milliseconds.
  if (Math.abs(ms) > 8.64e15) return { problem: 'There is no such time.' }
  if (ms > nowMs) return { problem: 'This time is in the future.' }
  return { at: new Date(ms).toISOString() }
}

function timeOf(text: string, nowMs: number, zone: MomentZone): number | undefined {
  const [, amount, unit = ''] = agoForm.exec(text) ?? []
  if (amount !== undefined) return nowMs - Number(amount) * (units[unit.toLowerCase()] ?? Number.NaN)
  if (exactForm.test(text)) return known(Date.parse(text))
  const date = dateForm.exec(text)
  if (date !== null) {
    const [, year, month, day, hours, minutes, seconds, utc] = date
    return inZone(utc === undefined ? zone : 'utc', [year, month, day, hours, minutes, seconds].map(Number0))
  }
  const clock = clockForm.exec(text)
  if (clock === null) return undefined
  const [, hours, minutes, seconds, utc] = clock
  const own = utc === undefined ? zone : 'utc'
  const today = new Date(nowMs)
  const [year, month, day] =
    own === 'utc'
      ? [today.getUTCFullYear(), today.getUTCMonth() + 1, today.getUTCDate()]
      : [today.getFullYear(), today.getMonth() + 1, today.getDate()]
  const at = inZone(own, [year, month, day, ...[hours, minutes, seconds].map(Number0)])
  // A time without a date means this time today, or yesterday if the time today is in the future.
  return at !== undefined && at > nowMs ? inZone(own, [year, month, day - 1, ...[hours, minutes, seconds].map(Number0)], true) : at
}

const Number0 = (digits: string | undefined): number => Number(digits ?? 0)

/**
 * The time of a date in a zone. Undefined if the date does not exist. `isLoose` allows day 0, which is the last day of the month before.
 */
function inZone(zone: MomentZone, parts: readonly number[], isLoose = false): number | undefined {
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const date =
    zone === 'utc'
      ? new Date(Date.UTC(year, month - 1, day, hours, minutes, seconds))
      : new Date(year, month - 1, day, hours, minutes, seconds)
  const isThere =
    zone === 'utc' ? date.getUTCMonth() + 1 === month && date.getUTCDate() === day : date.getMonth() + 1 === month && date.getDate() === day
  return isThere || isLoose ? date.getTime() : undefined
}

const known = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)
