/** A value in an error message, shortened. Only for values that are no secrets. */
export function shown(value: unknown): string {
  if (value === undefined) return 'absent'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** The kind of a value in an error message. Its content is not shown, because it can contain a secret. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return `a text of ${value.length} ${value.length === 1 ? 'character' : 'characters'}`
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return `an object with ${Object.keys(value).join(', ') || 'no members'}`
  return shown(value)
}
