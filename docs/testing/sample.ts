import { expect } from 'vitest'

/** Numbers and times that are others each time. */
const VARYING = new Set(['fence', 'expiresAt'])

/**
 * Holds an answer against a sample of a page: `"abc..."` is a text that begins so, `, ...]` at the end of a list any further items, and of a
 * fence or a time only its type counts.
 */
export function expectSample(answer: string, sample: string): void {
  const want: unknown = JSON.parse(sample.replace(/,\s*\.\.\.\s*\]/g, ', "..."]'))
  expect(shapedBy(JSON.parse(answer), want)).toEqual(want)
}

/** The answer with what the sample leaves open as the sample has it. */
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
