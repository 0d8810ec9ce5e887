import { builtIn } from '../../../../contracts/built-in.ts'
import { restated } from '../../../../contracts/restated.ts'
import type { Fleet } from '../../../../fleet/fleet.ts'
import type { RequestSpec } from '../../../../request/request-spec.ts'
import { misspeltBefore, type Name, withKey } from './name.ts'

const SCOPE = 'capabilities:'

const looked = new WeakMap<Fleet, { readonly revision: number; readonly byPath: Map<string, ReadonlySet<string>> }>()

/** The names that hosts have after these steps. Cached for one revision of the fleet, because many hosts are refused for the same name. */
function namesAt(fleet: Fleet, steps: readonly string[]): ReadonlySet<string> {
  const { revision } = fleet.place
  const cached = looked.get(fleet)
  const byPath = cached?.revision === revision ? cached.byPath : new Map<string, ReadonlySet<string>>()
  looked.set(fleet, { revision, byPath })
  const path = steps.join(':')
  const names = byPath.get(path) ?? builtIn().capabilities.namesAt(fleet, steps)
  byPath.set(path, names)
  return names
}

/** Matches a value that can be a name. Numbers, and values with an operator, are amounts and not names. */
const WORD = /^(?=.*[a-z])[\w.+-]+$/i

/**
 * The name in an extra spec for a capability of hosts that is corrected: the first part of the key that no host has, otherwise the value.
 * `path` is the key without the scope.
 */
export function capabilityNames(fleet: Fleet, { flavor: { extraSpecs } }: RequestSpec, path: string): readonly Name[] {
  const steps = path.split(':')
  const key = SCOPE + path
  const unknown = steps.findIndex((step, i) => !namesAt(fleet, steps.slice(0, i)).has(step))
  if (unknown === -1 || !Object.hasOwn(extraSpecs, key)) return valueNames(fleet, extraSpecs, path)
  const before = steps.slice(0, unknown)
  const prefix = SCOPE + before.map((step) => `${step}:`).join('')
  const words = Object.keys(extraSpecs).flatMap((spec) => (spec.startsWith(prefix) ? spec.slice(prefix.length).split(':').slice(0, 1) : []))
  const word = steps[unknown] ?? ''
  const renamed = (to: string): string => prefix + [to, ...steps.slice(unknown + 1)].join(':')
  return [
    {
      ...{ kind: `capability ${prefix}`, subject: `key of extra spec ${key}`, word },
      known: () => namesAt(fleet, before),
      others: words,
      misspeltBefore: (there) => misspeltBefore(words, word, there),
      rename: (one, to) => restated(one, { flavor: { ...one.flavor, extraSpecs: withKey(one.flavor.extraSpecs, key, renamed(to)) } }),
    },
  ]
}

/** The value of an extra spec for a capability, whose key can have the scope. */
function valueNames(fleet: Fleet, extraSpecs: RequestSpec['flavor']['extraSpecs'], path: string): readonly Name[] {
  return [path, SCOPE + path].flatMap((key) => {
    const word = extraSpecs[key]
    if (word === undefined || !WORD.test(word)) return []
    return {
      ...{ kind: `value of capability ${path}`, subject: `extra spec ${key}`, word },
      known: () => [...builtIn().capabilities.valuesAt(fleet, path.split(':'))].filter((value) => WORD.test(value)),
      misspeltBefore: () => 0,
      rename: (one: RequestSpec, to: string) =>
        restated(one, { flavor: { ...one.flavor, extraSpecs: { ...one.flavor.extraSpecs, [key]: to } } }),
    }
  })
}
