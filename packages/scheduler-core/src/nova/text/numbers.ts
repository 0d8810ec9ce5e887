/** Text as Python's int() reads it: blanks around, a sign, leading zeros, single underscores between digits; undefined where it refuses. */
export function readInt(text: string): number | undefined {
  const trimmed = text.trim()
  return /^[+-]?\d+(_\d+)*$/.test(trimmed) ? Number(trimmed.replaceAll('_', '')) : undefined
}

/** Text as Python's float() reads it, `1e1`, `inf` and `nan` included; undefined where it refuses. */
export function readFloat(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase()
  if (/^[+-]?nan$/.test(trimmed)) return Number.NaN
  const infinite = /^([+-]?)inf(inity)?$/.exec(trimmed)
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/.test(trimmed)
    ? Number(trimmed.replaceAll('_', ''))
    : undefined
}
