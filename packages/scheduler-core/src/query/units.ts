import type { QueryField } from './query.ts'
import { timeOf } from './time/time.ts'

const MEMORY: Readonly<Record<string, number>> = {
  mib: 1,
  mb: 1,
  m: 1,
  gib: 1_024,
  gb: 1_024,
  g: 1_024,
  tib: 1_048_576,
  tb: 1_048_576,
  t: 1_048_576,
}
const TIME: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * Reads the value of a number or time field. A number with a unit is converted to the field's unit, and a number without a unit is used
 * unchanged. A time is converted to milliseconds since 1970. Undefined for an invalid value.
 */
export function numberOf(text: string, { kind, unit }: Pick<QueryField, 'kind' | 'unit'>): number | undefined {
  if (kind === 'time') return timeOf(text)
  const found = /^(-?\d+(?:\.\d+)?)([A-Za-z%]*)$/.exec(text)
  if (found === null) return undefined
  const amount = Number(found[1])
  const written = (found[2] ?? '').toLowerCase()
  if (written === '') return amount
  switch (unit) {
    case 'MiB':
      return scaled(amount, MEMORY[written])
    case 'GiB':
      return scaled(amount, MEMORY[written], 1_024)
    case '%':
      return written === '%' ? amount : undefined
    case 's':
      return scaled(amount, TIME[written])
    default:
      return undefined
  }
}

const scaled = (amount: number, factor: number | undefined, by = 1): number | undefined =>
  factor === undefined ? undefined : (amount * factor) / by
