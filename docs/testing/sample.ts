import { expect } from 'vitest'

/** Fields with numbers and times that differ in every run. */
const VARYING = new Set(['fence', 'expiresAt'])

/**
 * Compares an answer with a sample of a page. `"abc..."` stands for a text that begins with `abc`, and `, ...]` at the end of a list stands
 * for any further items. If the value is a fence or a time, only its type is compared.
 */
export function expectSample(answer: string, sample: string): void {
  const want: unknown = JSON.parse(sample.replace(/,\s*\.\.\.\s*\]/g, ', "..."]'))
  expect(shapedBy(JSON.parse(answer), want)).toEqual(want)
}

/** The answer, in which everything that the sample leaves open is replaced by the sample's own form. */
function shapedBy(have: unknown, want: unknown): unknown {
  if (typeof want === 'string' && typeof have === 'string' && want.endsWith('...')) return have.startsWith(want.slice(0, -3)) ? want : have
  if (Array.isArray(want) && Array.isArray(have)) {
    const isOpen = want.at(-1) === '...'
    const shown = isOpen ? have.slice(0, want.length - 1) : have
    return [...shown.map((item, i) => shapedBy(item, want[i])), ...(isOpen ? ['...'] : [])]
  }
  if (!isRecord(want) || !isRecord(have)) return have
  return Object.fromEntries(
    Object.entries(have).map(([key, value]) => [
      key,
      VARYING.has(key) && typeof value === typeof want[key] ? want[key] : shapedBy(value, want[key]),
    ]),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
