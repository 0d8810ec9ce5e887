import { type Choice, preference, usePreference } from './browser/preferences.ts'

/**
 * This module formats numbers and times in a short form. If the short form is not exact, the title of the element should contain the exact
 * value.
 */

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

/** Formats a number with thousands separators: 12,345. The minus of a negative number is the character U+2212, not a hyphen. */
export const formatCount = (value: number): string => withMinus(count.format(value))

/** Formats a number with at most this many significant digits: 0.0001235. The default is 15 digits. */
export const formatNumber = (value: number, digits = 15): string => withMinus(exact.format(Number(value.toPrecision(digits))))

/** A number with exactly this many decimals: 0.2500. */
export const formatFixed = (value: number, decimals: number): string => withMinus(value.toFixed(decimals))

const exact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 17 })

const withMinus = (text: string): string => text.replace('-', '−')

/** Formats a number with a plus or minus sign: +12, −3, 0. The minus is the character U+2212, not a hyphen. */
export function formatSigned(value: number, format: (magnitude: number) => string = formatCount): string {
  const text = format(Math.abs(value))
  return value === 0 || text === '0' ? '0' : `${value < 0 ? '−' : '+'}${text}`
}

const BINARY = ['MiB', 'GiB', 'TiB', 'PiB'] as const

/** Formats MiB in the largest binary unit with a value of at least 1: 250880 -> 245 GiB. If the operator prefers exact units, in MiB. */
export function formatMib(mib: number): string {
  return preference('units') === 'exact' ? `${formatCount(mib)} MiB` : scaled(mib)
}

function scaled(mib: number): string {
  let value = mib
  let unit = 0
  while (Math.abs(value) >= 1_024 && unit < BINARY.length - 1) {
    value /= 1_024
    unit++
  }
  return `${formatCount(Number(value.toFixed(Math.abs(value) >= 100 ? 0 : 1)))} ${BINARY[unit]}`
}

/** Formats GiB in the largest binary unit with a value of at least 1. If the operator prefers exact units, in GiB. */
export const formatGib = (gib: number): string => (preference('units') === 'exact' ? `${formatCount(gib)} GiB` : scaled(gib * 1_024))

/** A percentage, 0..100, without decimals. */
export const formatPercent = (percent: number): string => `${Math.round(percent)} %`

/** Formats a share (0 to 1) as a percentage, rounded to a tenth: 99.2 %. */
export const formatShare = (share: number): string => `${formatCount(Number((share * 100).toFixed(1)))} %`

/** An amount of a resource class, with its unit if it has one. */
export function formatAmount(resourceClass: string, amount: number): string {
  if (resourceClass === 'MEMORY_MB') return formatMib(amount)
  if (resourceClass === 'DISK_GB') return formatGib(amount)
  return formatCount(amount)
}

/** Formats a duration that is given in milliseconds: 4 ms, 1.2 s, 5 min, 3 h, 2 d. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${formatCount(Number(seconds.toFixed(1)))} s`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`
  if (seconds < 86_400) return `${formatCount(Number((seconds / 3_600).toFixed(1)))} h`
  return `${formatCount(Number((seconds / 86_400).toFixed(1)))} d`
}

/** Formats the duration of a computation. Below 100 ms it has tenths of a millisecond: 0.4 ms, 12.3 ms, 1.2 s. */
export const formatTook = (ms: number): string => (ms < 100 ? `${formatCount(Number(ms.toFixed(1)))} ms` : formatDuration(ms))

/** Converts a duration in the API's form (PT3.2S, P1DT2H) to milliseconds. 0 if the text is invalid. */
export function readDuration(text: string): number {
  const [, days, hours, minutes, seconds] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text) ?? []
  return (((Number(days ?? 0) * 24 + Number(hours ?? 0)) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000
}

/** The time zone for all times of the console. */
export type TimeZoneChoice = Choice<'timezone'>

/** A hook for components that show times. They are rendered again when the operator selects another time zone. */
export const useTimeZone = (): TimeZoneChoice => usePreference('timezone')

const times: Readonly<Record<TimeZoneChoice, Intl.DateTimeFormat>> = {
  local: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }),
  utc: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' }),
}

/** A time in the chosen zone: 2026-11-20 09:14:02. */
export const formatTime = (iso: string, choice: TimeZoneChoice): string => times[choice].format(new Date(iso))

/** A time in both zones, for titles. */
export const titleOfTime = (iso: string): string => `${formatTime(iso, 'local')} local, ${formatTime(iso, 'utc')} UTC`
