export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Describes at which position a text is not JSON. The parser's message is not shown, because it can quote a part of the text, in which
 * secrets are not recognised.
 */
export function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const [, position] = /at position (\d+)/.exec(message) ?? []
  if (/end of JSON|Unterminated/.test(message)) return ': it ends too early'
  return position === undefined ? '' : `: it is wrong at character ${Number(position) + 1}`
}
