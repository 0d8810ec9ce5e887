import { findUnplain, isPlain, isStorable, PLAIN_RULE } from '@gantt/scheduler-core'
import { type Issue, issue } from './outcome.ts'

interface Length {
  readonly min?: number
  readonly max?: number
}

/** Problems of a free text, such as a reason: a wrong length, or characters that no store accepts. */
export function checkText(path: readonly string[], text: string, { min = 1, max = 255 }: Length = {}): Issue[] {
  if (text.length < min || text.length > max)
    return [issue(path, text, min === max ? `be ${min} characters long` : `be ${min} to ${max} characters long, not ${text.length}`)]
  return isStorable(text) ? [] : [issue(path, text, 'be text without NUL and halves of surrogate pairs')]
}

/** Problems of a name. In addition to the rules of free text, a name must satisfy `PLAIN_RULE`. */
export function checkName(path: readonly string[], text: string, length: Length = {}): Issue[] {
  const issues = checkText(path, text, length)
  return issues.length > 0 || isPlain(text) ? issues : [issue(path, text, PLAIN_RULE, 'call.unplain_name')]
}

/**
 * Problems of an idempotency key. Only a new key must satisfy the rules of names. A key that an earlier release stored can contain other
 * characters, and a repeated call with that key still gets its answer.
 */
export const checkKey = (
  path: readonly string[],
  key: string,
  { isKept, max }: { readonly isKept: boolean; readonly max: number },
): Issue[] => (isKept ? checkText(path, key, { max }) : checkName(path, key, { max }))

/**
 * Errors in the name of a new host. In addition to the rules of names, a host name must not contain a slash, which separates host and node.
 * A host or node name must not begin or end with a space, because nobody sees such a space.
 */
export function checkHostName(
  path: readonly string[],
  { host, node }: { readonly host: string; readonly node?: string | null | undefined },
): Issue[] {
  const check = (part: string, text: string, hasSlash: boolean): Issue[] => {
    const issues = checkName([...path, part], text)
    if (issues.length > 0 || (text === text.trim() && !hasSlash)) return issues
    const rule =
      part === 'host'
        ? 'contain no slash, which separates a host from its node, and must not begin or end with blanks'
        : 'not begin or end with blanks'
    return [issue([...path, part], text, rule, 'call.unplain_name')]
  }
  return [...check('host', host, host.includes('/')), ...(typeof node === 'string' && node !== host ? check('node', node, false) : [])]
}

/** At most this many problems of one document are listed. */
const MAX_PROBLEMS = 100

/**
 * Checks that the keys and texts in a caller's document satisfy `PLAIN_RULE`. `isFree` returns whether free text is allowed at a path; such
 * a text is not checked. `path` is the path of the document in the call, or a function that converts each path in the document.
 */
export const checkNames = (
  path: readonly string[] | ((inner: readonly string[]) => readonly string[]),
  document: unknown,
  isFree?: Parameters<typeof findUnplain>[2],
): Issue[] =>
  findUnplain(document, MAX_PROBLEMS, isFree).map(({ path: inner, found }) =>
    issue((typeof path === 'function' ? path(inner) : [...path, ...inner]).map(shortened), found, PLAIN_RULE, 'call.unplain_name'),
  )

const shortened = (key: string): string => (key.length > 80 ? `${key.slice(0, 77)}...` : key)

/** Problems of a value that must be an integer within a range. */
export const checkRange = (path: readonly string[], value: number, min: number, max: number, unit = ''): Issue[] =>
  Number.isInteger(value) && value >= min && value <= max ? [] : [issue(path, value, `be ${min} to ${max}${unit}`)]
