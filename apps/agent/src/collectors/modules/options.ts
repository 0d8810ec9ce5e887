import { isObject } from '../json.ts'

/** The options of a collector that comes with the agent. Each function throws an error that names the option, the value and the rule. */
export interface Options {
  text(name: string, otherwise?: string): string
  /** A whole or fractional number in a range. */
  number(name: string, range: readonly [number, number], otherwise?: number): number
  texts(name: string, otherwise: readonly string[]): readonly string[]
  /** The options within an option that is an object. Undefined if it is absent. */
  object(name: string): Options | undefined
  has(name: string): boolean
  /** Throws an error if there is an option that none of the other functions was called for. */
  end(): void
  readonly names: readonly string[]
}

export function readOptions(given: unknown, at = 'options'): Options {
  if (!isObject(given)) throw new Error(`${at} is ${shown(given)}; it must be an object`)
  const asked = new Set<string>()
  const lookUp = (name: string): unknown => {
    asked.add(name)
    return given[name]
  }
  const wrong = (name: string, rule: string): Error => new Error(`${at}.${name} is ${shown(given[name])}; it must ${rule}`)
  return {
    names: Object.keys(given),
    has: (name) => lookUp(name) !== undefined,
    text(name, otherwise) {
      const value = lookUp(name) ?? otherwise
      if (typeof value === 'string' && value !== '') return value
      throw wrong(name, 'be a text')
    },
    number(name, [least, most], otherwise) {
      const value = lookUp(name) ?? otherwise
      if (typeof value === 'number' && value >= least && value <= most) return value
      throw wrong(name, `be a number of ${least} to ${most}`)
    },
    texts(name, otherwise) {
      const value = lookUp(name) ?? otherwise
      if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string')) return value
      throw wrong(name, 'be a list of texts')
    },
    object: (name) => (lookUp(name) === undefined ? undefined : readOptions(given[name], `${at}.${name}`)),
    end() {
      const unknown = Object.keys(given).find((name) => !asked.has(name))
      if (unknown !== undefined) throw wrong(unknown, `be left out: the options here are ${[...asked].join(', ')}`)
    },
  }
}

const shown = (value: unknown): string => (value === undefined ? 'absent' : (JSON.stringify(value) ?? String(value)).slice(0, 80))
