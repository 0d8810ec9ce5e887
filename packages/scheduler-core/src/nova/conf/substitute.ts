/** A value in which all references to other options are replaced, or the reason why this is not possible. */
export type Substituted = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

/** Finds an option by a reference, `name` or `group.name`. Undefined if the file does not set the option. */
export type Lookup = (reference: string) => { readonly key: string; readonly text: string } | undefined

const MAX_LENGTH = 65_536
const MAX_DEPTH = 100
const REFERENCE = /\\\$|\$(?:(\$)|([_a-z][._a-z0-9]*)|\{([_a-z][._a-z0-9]*)\})/gi

/**
 * Replaces references to options (`$name`, `${name}` and `$group.name`) by the values of the options. `$$` and `\$` become a dollar sign.
 * Options that refer to each other in a circle are refused.
 */
export function substitute(text: string, lookup: Lookup): Substituted {
  const known = new Map<string, Substituted>()
  const expand = (text: string, within: readonly string[]): Substituted => {
    let why: string | undefined
    let length = text.length
    const expanded = text.replace(REFERENCE, (whole: string, dollar?: string, plain?: string, braced?: string) => {
      const reference = plain ?? braced
      if (reference === undefined || why !== undefined) return whole === '\\$' || dollar !== undefined ? '$' : whole
      const found = textOf(reference, within)
      if (found.ok) length += found.text.length
      if (found.ok && length <= MAX_LENGTH) return found.text
      why = found.ok ? `it becomes longer than ${MAX_LENGTH} characters` : found.why
      return whole
    })
    return why === undefined ? { ok: true, text: expanded } : { ok: false, why }
  }
  const textOf = (reference: string, within: readonly string[]): Substituted => {
    const found = lookup(reference)
    if (found === undefined) return { ok: false, why: `it refers to $${reference}, which the file does not set` }
    if (within.includes(found.key)) return { ok: false, why: `it refers to itself by $${reference}` }
    if (within.length >= MAX_DEPTH) return { ok: false, why: `it refers to more than ${MAX_DEPTH} options, one by the other` }
    const before = known.get(found.key)
    if (before !== undefined) return before
    const value = expand(found.text, [...within, found.key])
    known.set(found.key, value)
    return value
  }
  return expand(text, [])
}
