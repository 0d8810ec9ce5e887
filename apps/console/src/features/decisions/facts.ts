import { formatCount, formatMib } from '../../lib/format.ts'

/** The amounts that a filter compared on a host, as the API returns them. */
export interface Fact {
  readonly required: string | null
  readonly actual: string | null
  readonly shortfall: string | null
  readonly unit: string | null
}

/** The count as text: `1 host`, `10,000 hosts`. */
export const countHosts = (count: number): string => `${formatCount(count)} ${count === 1 ? 'host' : 'hosts'}`

/** A recorded amount with its unit: `262144 MiB`. */
export const exactAmount = (value: string | null | undefined, unit: string | null | undefined): string =>
  value === null || value === undefined ? '' : `${value}${unit ? ` ${unit}` : ''}`

/** A recorded amount in a readable form: `256 GiB`, `1,204`. Texts that are not amounts are returned unchanged. */
export function readableAmount(value: string | null, unit: string | null): string {
  if (value === null) return ''
  const number = Number(value)
  if (value.trim() === '' || Number.isNaN(number)) return value
  if (unit === 'MiB') return formatMib(number)
  if (unit === 'GiB') return formatMib(number * 1_024)
  return `${formatCount(number)}${unit ? ` ${unit}` : ''}`
}

/** The available share of the needed amount, 0 to 1. Undefined if the check is not about amounts. */
export function shareOf({ required, actual, shortfall }: Fact): number | undefined {
  if (shortfall === null || required === null || actual === null) return undefined
  const need = Number(required)
  const have = Number(actual)
  if (!(need > 0) || Number.isNaN(have)) return undefined
  return Math.max(0, Math.min(1, have / need))
}
