import { isObject } from './json.ts'
import type { CollectorSettings } from './settings.ts'
import { partsOfUrl, withoutUrlSecrets } from './urls.ts'

/** Replaces the secrets of a collector's settings in a text, so that the text can be logged and reported. */
export type Conceal = (text: string) => string

/** Shorter texts are not replaced: they are no secrets, and occur in many words. */
const LEAST = 4

/**
 * Creates the function that conceals the settings of a collector. The agent does not know which of them are secrets. So each text in the
 * options, each argument and each variable of the environment is replaced by the name of its setting. The options of the agent's own
 * collectors contain secrets only in URLs. User, password and query of a URL are removed from every text.
 */
export function concealing({ work, options, env }: Pick<CollectorSettings, 'work' | 'options' | 'env'>): Conceal {
  const args = work.kind === 'command' ? work.command.slice(1) : []
  const leaves = leavesOf(options, 'options')
  const known = [
    ...args.flatMap((arg, i) => formsOf(arg, `argument ${i + 1}`)),
    ...(work.kind === 'own'
      ? leaves.flatMap(([at, text]) => partsOfUrl(text).flatMap((part) => formsOf(part, at)))
      : leaves.flatMap(([at, text]) => formsOf(text, at))),
    ...Object.entries(env).flatMap(([name, text]) => formsOf(text, `env.${name}`)),
  ].sort(([one], [other]) => other.length - one.length)
  return (text) => known.reduce((rest, [secret, at]) => rest.replaceAll(secret, `[${at}]`), withoutUrlSecrets(text))
}

/** The forms in which a secret can occur in a message: as it is, each of its lines, what follows its equals sign, parts of a URL; and encoded. */
function formsOf(text: string, at: string): readonly (readonly [string, string])[] {
  const parts = [text, ...text.split(/\s*\n\s*/), text.slice(text.indexOf('=') + 1), ...partsOfUrl(text)]
  const forms = parts.flatMap((part) => [
    part,
    encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')),
    JSON.stringify(part).slice(1, -1),
  ])
  return [...new Set(forms)].filter((form) => form.length >= LEAST).map((form) => [form, at])
}

/** All texts in a value, each with its place. */
function leavesOf(value: unknown, at: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[at, value]]
  if (Array.isArray(value)) return value.flatMap((one, i) => leavesOf(one, `${at}.${i}`))
  return isObject(value) ? Object.entries(value).flatMap(([key, one]) => leavesOf(one, `${at}.${key}`)) : []
}
