import path from 'node:path'
import { isObject } from '../json.ts'
import { kindOf, shown } from '../shown.ts'

/** The options of a collector that comes with the agent. Each function throws an error that names the option, the value and the rule. */
export interface Options {
  text(name: string, otherwise?: string): string
  /** An absolute path. */
  path(name: string, otherwise?: string): string
  /** One of some texts. */
  oneOf<Text extends string>(name: string, texts: readonly Text[], otherwise: Text): Text
  /** A whole or fractional number in a range. */
  number(name: string, range: readonly [number, number], otherwise?: number): number
  texts(name: string, otherwise: readonly string[]): readonly string[]
  /** The options within an option that is an object. Undefined if it is absent. */
  object(name: string): Options | undefined
  has(name: string): boolean
  /** Throws an error if there is an option that none of the other functions was called for. */
  end(): void
  readonly names: readonly string[]
  /** An error that names an option and the rule. Only the kind of its value is shown, because it can contain a secret. */
  wrong(name: string, rule: string): Error
}

export function readOptions(given: unknown, at = 'options'): Options {
  if (!isObject(given)) throw new Error(`${at} is ${kindOf(given)}; it must be an object`)
  const asked = new Set<string>()
  const lookUp = (name: string): unknown => {
    asked.add(name)
    return given[name]
  }
  const wrong = (name: string, rule: string, show = shown): Error => new Error(`${at}.${name} is ${show(given[name])}; it must ${rule}`)
  return {
    names: Object.keys(given),
    has: (name) => lookUp(name) !== undefined,
    text(name, otherwise) {
      const value = lookUp(name) ?? otherwise
      if (typeof value === 'string' && value !== '') return value
      throw wrong(name, 'be a text')
    },
    path(name, otherwise) {
      const value = lookUp(name) ?? otherwise
      if (typeof value === 'string' && path.isAbsolute(value) && !value.includes('\0')) return value
      throw wrong(name, 'be an absolute path')
    },
    oneOf(name, texts, otherwise) {
      const value = lookUp(name) ?? otherwise
      const found = texts.find((one) => one === value)
      if (found !== undefined) return found
      throw wrong(name, `be one of ${texts.join(', ')}`)
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
    wrong: (name, rule) => wrong(name, rule, kindOf),
    object: (name) => (lookUp(name) === undefined ? undefined : readOptions(given[name], `${at}.${name}`)),
    end() {
      const unknown = Object.keys(given).find((name) => !asked.has(name))
      if (unknown !== undefined) throw wrong(unknown, `be left out: the options here are ${[...asked].join(', ')}`, kindOf)
    },
  }
}
