import type { JsonObject } from './json.ts'

// The service refuses a call, and not only the document, if a value in it cannot be stored or read by every program. So such a document is
// found before it is sent.

/** The maximum length of a document as JSON, in characters. The service has the same limit. */
export const MAX_CHARACTERS = 65_536
/** At most this many levels of lists and objects may be in a document. */
const MAX_DEPTH = 32

/** What is wrong with a document that the service cannot take, as a sentence. Undefined if it can be sent. */
export function unsendable(document: JsonObject): string | undefined {
  const waiting: { readonly value: unknown; readonly at: string; readonly depth: number }[] = [
    { value: document, at: 'document', depth: 0 },
  ]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, at, depth } = next
    if (typeof value === 'number' && !isSafe(value))
      return `${at} is ${value}; a number must be finite and between -(2^53 - 1) and 2^53 - 1`
    if (typeof value === 'string' && !isStorable(value)) return `${at} has a NUL character or half of a surrogate pair`
    if (typeof value !== 'object' || value === null) continue
    if (depth >= MAX_DEPTH) return `it has more than ${MAX_DEPTH} levels of lists and objects`
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__') return `${at} has a member __proto__`
      if (!isStorable(key)) return `${at} has a member whose name has a NUL character or half of a surrogate pair`
      waiting.push({ value: inner, at: `${at}.${key}`, depth: depth + 1 })
    }
  }
  const { length } = JSON.stringify(document)
  return length > MAX_CHARACTERS ? `it has ${length} characters of JSON, and may have ${MAX_CHARACTERS}` : undefined
}

const isSafe = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER

const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)
