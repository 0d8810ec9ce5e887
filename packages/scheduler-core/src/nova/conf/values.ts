import { readFloat, readInt, trimBlanks } from '../../text/numbers.ts'
import { quote } from '../../text/problem.ts'
import { architectureName } from '../text/names.ts'
import { NovaError } from '../text/nova-error.ts'

export type OptionType =
  | { readonly is: 'whole' | 'number'; readonly least: number; readonly most: number }
  /** `list` is a list with commas. `texts` is an option that a file can set several times, with one list item each time. */
  | { readonly is: 'flag' | 'text' | 'list' | 'texts' | 'architecture' }

export type OptionValue = number | boolean | string | readonly string[]

export type ReadValue =
  | { readonly ok: true; readonly value: OptionValue }
  | { readonly ok: false; readonly found: string; readonly allowed: string }

const TRUE = ['true', '1', 'on', 'yes']
const FALSE = ['false', '0', 'off', 'no']

/** Parses a value as oslo.config does. If a number is expected, Nova reads empty text as None, but this function refuses empty text. */
export function readValue(type: OptionType, text: string): ReadValue {
  const refuse = (allowed: string): ReadValue => ({ ok: false, found: quote(text), allowed })
  switch (type.is) {
    case 'whole':
    case 'number': {
      const value = type.is === 'whole' ? readInt(text) : readFloat(text)
      return value !== undefined && value >= type.least && value <= type.most ? { ok: true, value } : refuse(rangeText(type))
    }
    case 'flag': {
      const word = text.toLowerCase()
      if (TRUE.includes(word)) return { ok: true, value: true }
      return FALSE.includes(word) ? { ok: true, value: false } : refuse(`one of ${[...TRUE, ...FALSE].join(', ')}`)
    }
    case 'list':
      return { ok: true, value: listOf(text) }
    case 'architecture':
      return architectureOf(text) ?? refuse("an architecture by Nova's name, such as x86_64")
    default:
      return { ok: true, value: text }
  }
}

/** Splits a list at commas. Commas at the end of the list add no empty items. */
export function listOf(text: string): readonly string[] {
  const stripped = trimBlanks(text)
  let end = stripped.length
  while (stripped.charAt(end - 1) === ',') end--
  const items = stripped.slice(0, end)
  return items === '' ? [] : items.split(',').map(trimBlanks)
}

function architectureOf(text: string): ReadValue | undefined {
  try {
    return { ok: true, value: architectureName(text) }
  } catch (error) {
    if (error instanceof NovaError) return undefined
    throw error
  }
}

function rangeText({ is, least, most }: Extract<OptionType, { readonly least: number }>): string {
  const noun = is === 'whole' ? 'a whole number' : 'a number'
  if (Number.isFinite(least) && Number.isFinite(most)) return `${noun} of ${least} to ${most}`
  return Number.isFinite(least) ? `${noun} of ${least} or more` : noun
}
