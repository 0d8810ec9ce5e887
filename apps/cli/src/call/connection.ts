import {
  type CallOptions,
  createClient,
  createGantt,
  createRetry,
  type Gantt,
  type GanttOptions,
  graphql,
  type TypedDocument,
  textOf,
  UnreachableError,
} from '@gantt/client'
import { GANTT } from '../output/called.ts'
import { note } from '../output/output.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { CommandFailure, EXIT, toFailure } from './failure.ts'

/** The options of every command that calls the service. */
export interface ConnectionFlags {
  readonly url?: string
  readonly key?: string
}

export const DEFAULT_URL = 'http://127.0.0.1:4400/graphql'

interface Setting {
  readonly value: string
  /** Where the value was set (option, environment or config file), for error messages. */
  readonly from: string
}

/** The type of a call's variables as commands pass them: lists may be read-only, and undefined values are not sent. */
export type Sent<Input> = Input extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Input extends object
    ? {
        readonly [Name in keyof Input]: Partial<Pick<Input, Name>> extends Pick<Input, Name>
          ? Sent<Input[Name]> | undefined
          : Sent<Input[Name]>
      }
    : Input

/** Typed calls of the service: the GraphQL document determines the types of the variables and of the answer. */
export interface ServiceClient {
  request<Data, Input extends Readonly<Record<string, unknown>>>(
    document: TypedDocument<Data, Input>,
    ...variables: Partial<Input> extends Input ? [variables?: Sent<NoInfer<Input>>] : [variables: Sent<NoInfer<Input>>]
  ): Promise<Data>
}

/**
 * A client of the service. The URL and the key come from the options, otherwise from the environment, otherwise from the config file.
 * Failed calls throw CommandFailure.
 */
export const connect = (flags: ConnectionFlags, environment: NodeJS.ProcessEnv = process.env): ServiceClient =>
  connectWith((options, attempt) => attempt(options), flags, environment)

/**
 * A client for calls with an idempotency key. Calls are repeated for half a minute while the service answers that it is unavailable, for
 * example while its log has no leader. A service that does not answer at all is reported at once.
 */
export const connectForKeyed = (flags: ConnectionFlags, environment: NodeJS.ProcessEnv = process.env): ServiceClient =>
  connectWith(createRetry({}), flags, environment)

type Repeat = <Answer>(options: CallOptions, attempt: (options: CallOptions) => Promise<Answer>) => Promise<Answer>

function connectWith(repeat: Repeat, flags: ConnectionFlags, environment: NodeJS.ProcessEnv): ServiceClient {
  const { address, url, key } = accessOf(flags, environment)
  const client = createClient({ url: address, key: key.value })
  const toFailureHere = (error: unknown) => toFailure(error, { url: `${address} (from ${url.from})`, keyFrom: key.from })
  return {
    request: <Data, Input extends Readonly<Record<string, unknown>>>(
      document: TypedDocument<Data, Input>,
      variables?: Readonly<Record<string, unknown>>,
    ) =>
      repeat({}, (attempt) =>
        client.request<Data>(textOf(document), variables, attempt).catch((error: unknown) => {
          throw error instanceof UnreachableError ? toFailureHere(error) : error
        }),
      ).catch((error: unknown) => {
        throw toFailureHere(error)
      }),
  }
}

const VIEWER = graphql(`query Viewer { viewer { project } }`)

/** The project to which the key is bound; null if it is bound to none. */
export async function readProject(client: ServiceClient): Promise<string | null> {
  const { viewer } = await client.request(VIEWER)
  return viewer.project
}

/**
 * The client of @gantt/client, for commands that run for a long time. If the service refuses the key, the client reads the key again from
 * the option, the environment or the config file.
 */
export function connectForLong(
  flags: ConnectionFlags,
  options: Omit<GanttOptions, 'url' | 'key'> = {},
  environment: NodeJS.ProcessEnv = process.env,
): Gantt {
  const { address } = accessOf(flags, environment)
  return createGantt({ ...options, url: address, key: () => accessOf(flags, environment).key.value })
}

/** Converts an error of the client that `connectForLong` returns to a CommandFailure. */
export function toFailureOf(flags: ConnectionFlags, error: unknown, environment: NodeJS.ProcessEnv = process.env): unknown {
  const { address, url, key } = accessOf(flags, environment)
  return toFailure(error, { url: `${address} (from ${url.from})`, keyFrom: key.from })
}

/** True if the options, the environment or the config file contain a key. */
export const hasKey = (flags: ConnectionFlags, environment: NodeJS.ProcessEnv = process.env): boolean =>
  findSetting('key', flags, environment, readConfigFile(environment)) !== undefined

interface Access {
  readonly address: string
  readonly url: Setting
  readonly key: Setting
}

function accessOf(flags: ConnectionFlags, environment: NodeJS.ProcessEnv): Access {
  const config = readConfigFile(environment)
  for (const warning of config.warnings) note(`warning: ${warning}`)
  const url = urlOf(flags, environment, config)
  const key = findSetting('key', flags, environment, config)
  if (key === undefined)
    throw new CommandFailure(EXIT.usage, `no key is given; use --key, GANTT_KEY or "key" in ${config.file} ("${GANTT} serve" prints one)`)
  if (!/^[\x21-\x7e]+$/.test(key.value))
    throw new CommandFailure(EXIT.usage, `the key (from ${key.from}) has characters that a key cannot have: spaces or non-ASCII characters`)
  return { address: toAddress(url), url, key }
}

/** The URL of a page of the service's console. The path begins with a slash. */
export const pageOf = (flags: ConnectionFlags, path: string, environment: NodeJS.ProcessEnv = process.env): string =>
  new URL(path, toAddress(urlOf(flags, environment, readConfigFile(environment)))).href

const urlOf = (flags: ConnectionFlags, environment: NodeJS.ProcessEnv, config: ConfigFile): Setting =>
  findSetting('url', flags, environment, config) ?? { value: DEFAULT_URL, from: 'the default' }

function findSetting(name: 'url' | 'key', flags: ConnectionFlags, environment: NodeJS.ProcessEnv, config: ConfigFile): Setting | undefined {
  const variable = `GANTT_${name.toUpperCase()}`
  const sources: readonly (readonly [string | undefined, string])[] = [
    [flags[name], `--${name}`],
    [environment[variable] || undefined, variable],
    [config[name], config.file],
  ]
  for (const [value, from] of sources) if (value !== undefined) return { value, from }
  return undefined
}

/** Adds the path of the GraphQL endpoint if the URL has none. */
function toAddress({ value, from }: Setting): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new CommandFailure(EXIT.usage, `the address ${JSON.stringify(value)} (from ${from}) must be an http or https address`)
  const url = new URL(value)
  if (url.pathname === '/') url.pathname = '/graphql'
  return url.href
}
