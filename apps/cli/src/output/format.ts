const UNITS_OF_MIB = ['MiB', 'GiB', 'TiB', 'PiB'] as const

/** A number with at most three significant digits. */
const short = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3, useGrouping: false })

/** An amount: an integer if it is 100 or more, three significant digits if it is 1 or more, and otherwise two decimals. */
const rounded = (value: number): string => {
  if (Math.abs(value) >= 100) return String(Math.round(value))
  return Math.abs(value) >= 1 ? short(value) : String(Number(value.toFixed(2)))
}

/** Two amounts of MiB, both in the unit that suits the second: "5.4/64 GiB". */
export function mibPair(free: number, total: number): string {
  const step = stepOf(total)
  return `${rounded(free / 1_024 ** step)}/${rounded(total / 1_024 ** step)} ${UNITS_OF_MIB[step]}`
}

/** An amount of MiB in a suitable unit: "64 GiB". */
export function mib(amount: number): string {
  const step = stepOf(Math.abs(amount))
  return `${rounded(amount / 1_024 ** step)} ${UNITS_OF_MIB[step]}`
}

/** Two amounts of GiB, both in the unit that suits the second. */
export const gibPair = (free: number, total: number): string => mibPair(free * 1_024, total * 1_024)

const stepOf = (amount: number): number => (amount < 1_024 ? 0 : Math.min(Math.floor(Math.log2(amount) / 10), UNITS_OF_MIB.length - 1))

/** A short duration: "0.4 ms", "120 ms". */
export const took = (ms: number): string => `${ms < 100 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`

/** The time between `time` and now as one number with its unit: "4 s", "12 min", "3 h", "9 d". "never" if `time` is null. */
export function age(time: string | null, nowMs: number): string {
  if (time === null) return 'never'
  return span(Math.abs(nowMs - Date.parse(time)))
}

/** A duration in milliseconds as one number with a suitable unit. */
export function span(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** A number without the digits that only come from floating-point arithmetic. */
export const decimal = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 4, useGrouping: false })

/** Integers as ranges: "0-3,8". */
export function ranges(numbers: readonly number[]): string {
  const parts: [number, number][] = []
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last !== undefined && last[1] + 1 === number) last[1] = number
    else parts.push([number, number])
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',') || '-'
}

/** A count with its noun: "1 host", "3 hosts". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
