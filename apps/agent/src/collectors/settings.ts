import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isObject } from './json.ts'
import { type ModuleName, moduleNames } from './modules/names.ts'
import { wrongOption } from './modules/own-options.ts'
import { parseText } from './parse-text.ts'
import { effectiveCapabilities } from './processes/capabilities.ts'
import { kindOf, shown } from './shown.ts'
import { utf8 } from './text.ts'

/** The account as which a collector runs. */
export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** What a collector runs: a program with its arguments, a module of the operator, or a module that comes with the agent. */
export type Work =
  | { readonly kind: 'command'; readonly command: readonly [string, ...string[]] }
  | { readonly kind: 'module'; readonly file: string }
  | { readonly kind: 'own'; readonly name: ModuleName }

/** The settings of one collector. */
export interface CollectorSettings {
  readonly name: string
  /** The namespace whose documents it produces. */
  readonly namespace: string
  readonly work: Work
  /** Passed to the collector on its standard input. */
  readonly options: Readonly<Record<string, unknown>>
  /** Environment variables in addition to those of every collector. */
  readonly env: Readonly<Record<string, string>>
  /** The time between the end of a run and the start of the next one, in seconds. */
  readonly intervalSeconds: number
  /** How long a run may take, in seconds. */
  readonly timeoutSeconds: number
  /** How much memory the processes of a run may have together, in MiB. */
  readonly memoryMib: number
  /** Undefined if it runs as the user of the agent. */
  readonly user: User | undefined
  /** True if each run has a PID namespace of its own, where the agent may create one. */
  readonly pidNamespace: boolean
  /** What happens while no profile reads the namespace: the collector is not run, or it is run at the slow interval. */
  readonly whileUnread: 'pause' | 'slow'
  /** The interval while no profile reads the namespace and `whileUnread` is `slow`, in seconds. */
  readonly slowIntervalSeconds: number
}

/** Thrown if the settings of collectors are invalid. The message has one line for each error. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
}

/** What the settings are checked against. */
export interface Surroundings {
  /** The capabilities that the agent lacks to run a collector as another user, and to end it. */
  readonly lacks: () => readonly string[]
  /** The folder to which relative paths of modules refer. */
  readonly folder: string
  /** True if there is a file with this path. */
  readonly isFile: (path: string) => boolean
  /** Returns the contents of the file with the accounts (passwd(5)). */
  readonly accounts: () => string
}

/** At most this many collectors run on a host. */
export const MAX_COLLECTORS = 32

/** A name of a collector; the same rule is in the namespace `collectors` of the service. */
const NAME = /^[a-z][a-z0-9_-]{0,31}$/
const NAMESPACE = /^[a-z][a-z0-9._-]{0,62}$/
const ENV = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Namespaces that the agent itself reports. */
const OF_AGENT: readonly string[] = ['compute', 'collectors']

/** The settings that a collector can have, besides those of the file as a whole. */
const KEYS = [
  ...['name', 'namespace', 'command', 'module', 'collector', 'options', 'env', 'intervalSeconds', 'timeoutSeconds', 'memoryMib', 'user'],
  ...['pidNamespace', 'whileUnread', 'slowIntervalSeconds'],
]

const MAX_DEPTH = 64

/** The least memory in which Node runs a module, in MiB. */
const MODULE_MIB = 64

/** Reads the file with the settings of collectors, JSON or TOML by its name. Throws InvalidSettings, which names the file. */
export function readCollectorSettings(file: string): readonly CollectorSettings[] {
  const fail = (why: string): never => {
    throw new InvalidSettings(`${file}: ${why}`)
  }
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return fail(`the settings of collectors cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  let document: unknown
  try {
    document = parseText(utf8(bytes), { isToml: file.endsWith('.toml'), maxDepth: MAX_DEPTH })
  } catch (error) {
    return fail(`it must be a JSON document, or TOML if its name ends in .toml: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    return parseCollectorSettings(document, {
      lacks: lackingCapabilities,
      isFile: (one) => statSync(one, { throwIfNoEntry: false })?.isFile() ?? false,
      folder: path.dirname(path.resolve(file)),
      accounts: () => readFileSync('/etc/passwd', 'utf8'),
    })
  } catch (error) {
    if (error instanceof InvalidSettings) return fail(error.message)
    throw error
  }
}

/** Checks the settings of collectors. Throws InvalidSettings with all errors. */
export function parseCollectorSettings(document: unknown, around: Surroundings): readonly CollectorSettings[] {
  const errors: string[] = []
  const wrong: Wrong = (at, found, rule, isSecret = false) => {
    errors.push(`${at} is ${isSecret ? kindOf(found) : shown(found)}; it must ${rule}`)
  }
  if (!isObject(document) || !Array.isArray(document.collectors))
    throw new InvalidSettings(`the document is ${kindOf(document)}; it must be an object with a list "collectors"`)
  const list: readonly unknown[] = document.collectors
  for (const key of Object.keys(document))
    if (key !== 'collectors' && key !== 'whileUnread')
      wrong(key, document[key], 'be left out: the document has only collectors and whileUnread', true)
  if (list.length > MAX_COLLECTORS) wrong('collectors', list, `have at most ${MAX_COLLECTORS} members`, true)
  const unread = unreadOf('whileUnread', document.whileUnread, 'pause', wrong)
  const read = list.map((one, i) => parseOne(`collectors.${i}`, one, unread, around, wrong))
  for (const key of ['name', 'namespace'] as const)
    for (const [i, one] of read.entries())
      if (one !== undefined && read.findIndex((other) => other?.[key] === one[key]) < i)
        wrong(
          `collectors.${i}.${key}`,
          one[key],
          key === 'name' ? 'be the name of one collector' : 'be the namespace of one collector: two would overwrite each other',
        )
  for (const [i, one] of read.entries()) {
    // a program and a module of the operator check their own options
    const why = one?.work.kind === 'own' ? wrongOption(one.work.name, one.options, `collectors.${i}.options`) : undefined
    if (why !== undefined) errors.push(why)
  }
  if (errors.length > 0) throw new InvalidSettings(errors.join('\n'))
  return read.filter((one) => one !== undefined)
}

/** Adds an error. `isSecret`: the value can contain a secret, so only its kind is named. */
type Wrong = (at: string, found: unknown, rule: string, isSecret?: boolean) => void

function parseOne(at: string, given: unknown, unread: 'pause' | 'slow', around: Surroundings, wrong: Wrong): CollectorSettings | undefined {
  if (!isObject(given)) {
    wrong(at, given, 'be an object', true)
    return undefined
  }
  for (const key of Object.keys(given))
    if (!KEYS.includes(key)) wrong(`${at}.${key}`, given[key], `be left out: a collector has ${KEYS.join(', ')}`, true)
  const { name, namespace } = given
  const isNamed = typeof name === 'string' && NAME.test(name)
  if (!isNamed) wrong(`${at}.name`, name, 'be a lower-case letter and up to 31 lower-case letters, digits, dashes and underscores')
  const isOfNamespace = typeof namespace === 'string' && NAMESPACE.test(namespace) && !OF_AGENT.includes(namespace)
  if (!isOfNamespace)
    wrong(
      `${at}.namespace`,
      namespace,
      `be a namespace that the service knows, other than ${OF_AGENT.join(' and ')}, which the agent itself reports`,
    )
  const seconds = (key: string, least: number, most: number, otherwise: number): number =>
    wholeNumber(`${at}.${key}`, given[key], { least, most, otherwise }, wrong)
  const work = workOf(at, given, around, wrong)
  const options = optionsOf(`${at}.options`, given.options, wrong)
  const intervalSeconds = seconds('intervalSeconds', 1, 86_400, 30)
  const leastMib = work === undefined || work.kind === 'command' ? 8 : MODULE_MIB
  const settings = {
    intervalSeconds,
    timeoutSeconds: seconds('timeoutSeconds', 1, 600, 10),
    memoryMib: wholeNumber(`${at}.memoryMib`, given.memoryMib, { least: leastMib, most: 65_536, otherwise: 256 }, wrong),
    slowIntervalSeconds: seconds('slowIntervalSeconds', intervalSeconds, 86_400, Math.max(600, intervalSeconds)),
    whileUnread: unreadOf(`${at}.whileUnread`, given.whileUnread, unread, wrong),
    user: userOf(`${at}.user`, given.user, around, wrong),
    pidNamespace: booleanOf(`${at}.pidNamespace`, given.pidNamespace, true, wrong),
    env: envOf(`${at}.env`, given.env, wrong),
  }
  if (!isNamed || !isOfNamespace || work === undefined || options === undefined) return undefined
  return { name, namespace, work, options, ...settings }
}

function optionsOf(at: string, given: unknown, wrong: Wrong): CollectorSettings['options'] | undefined {
  const options = given ?? {}
  if (isObject(options)) return options
  wrong(at, options, 'be an object', true)
  return undefined
}

function workOf(at: string, given: Readonly<Record<string, unknown>>, { folder, isFile }: Surroundings, wrong: Wrong): Work | undefined {
  const { command, module, collector } = given
  const count = [command, module, collector].filter((one) => one !== undefined).length
  if (count !== 1) {
    wrong(at, given, 'have exactly one of command (a program), module (a file) and collector (one that comes with the agent)', true)
    return undefined
  }
  if (collector !== undefined) {
    const name = moduleNames.find((one) => one === collector)
    if (name === undefined) wrong(`${at}.collector`, collector, `be one of ${moduleNames.join(', ')}`)
    return name && { kind: 'own', name }
  }
  if (module !== undefined) {
    if (typeof module !== 'string' || module === '' || module.includes('\0')) {
      wrong(`${at}.module`, module, 'be the path of a JavaScript module')
      return undefined
    }
    const file = path.resolve(folder, module)
    if (!isFile(file)) wrong(`${at}.module`, module, `be the path of a JavaScript module; there is no file ${file}`)
    return { kind: 'module', file }
  }
  const words = Array.isArray(command) ? command.filter((word): word is string => typeof word === 'string' && !word.includes('\0')) : []
  const [program, ...args] = words
  if (Array.isArray(command) && words.length === command.length && program !== undefined && path.isAbsolute(program))
    return { kind: 'command', command: [program, ...args] }
  wrong(`${at}.command`, command, 'be a list of texts: the absolute path of a program, and its arguments; no shell reads them', true)
  return undefined
}

function userOf(at: string, user: unknown, { lacks, accounts }: Surroundings, wrong: Wrong): User | undefined {
  if (user === undefined) return undefined
  if (typeof user !== 'string' || user === '') {
    wrong(at, user, 'be the name of a user of this machine')
    return undefined
  }
  const lacking = lacks()
  if (lacking.length > 0) {
    const rule = `be left out: to run a collector as another user, and to end it, the agent needs ${CAPABILITIES.map(([name]) => name).join(', ')}, and it lacks ${lacking.join(', ')}`
    wrong(at, user, `${rule}. Run the agent as root, or leave this setting out`)
    return undefined
  }
  const [, , id, group] =
    accounts()
      .split('\n')
      .map((line) => line.split(':'))
      .find(([name]) => name === user) ?? []
  if (id !== undefined && group !== undefined && /^\d+$/.test(id) && /^\d+$/.test(group))
    return { name: user, uid: Number(id), gid: Number(group) }
  wrong(at, user, 'be the name of a user in /etc/passwd')
  return undefined
}

function envOf(at: string, env: unknown, wrong: Wrong): Readonly<Record<string, string>> {
  if (env === undefined) return {}
  if (!isObject(env)) {
    wrong(at, env, 'be an object of texts', true)
    return {}
  }
  const pairs = Object.entries(env).flatMap(([name, value]): (readonly [string, string])[] => {
    if (!ENV.test(name) || name.startsWith('GANTT'))
      wrong(`${at}.${name}`, value, 'have a name of letters, digits and _, which does not begin with GANTT', true)
    else if (typeof value !== 'string' || value.includes('\0')) wrong(`${at}.${name}`, value, 'be a text without NUL', true)
    else return [[name, value]]
    return []
  })
  return Object.fromEntries(pairs)
}

function unreadOf(at: string, value: unknown, otherwise: 'pause' | 'slow', wrong: Wrong): 'pause' | 'slow' {
  if (value === undefined) return otherwise
  if (value === 'pause' || value === 'slow') return value
  wrong(at, value, 'be "pause" or "slow"')
  return otherwise
}

function booleanOf(at: string, value: unknown, otherwise: boolean, wrong: Wrong): boolean {
  if (value === undefined) return otherwise
  if (typeof value === 'boolean') return value
  wrong(at, value, 'be true or false')
  return otherwise
}

function wholeNumber(
  at: string,
  value: unknown,
  { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number },
  wrong: Wrong,
): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  wrong(at, value, `be a whole number of ${least} to ${most}`)
  return otherwise
}

/** The capabilities that are needed to run a process as another user and to end it (capabilities(7)): names, and numbers of their bits. */
const CAPABILITIES = [
  ['CAP_SETUID', 7n],
  ['CAP_SETGID', 6n],
  ['CAP_KILL', 5n],
] as const

/** Which of these capabilities this process lacks. */
function lackingCapabilities(): readonly string[] {
  const held = effectiveCapabilities()
  return CAPABILITIES.flatMap(([name, bit]) => ((held >> bit) & 1n ? [] : [name]))
}
