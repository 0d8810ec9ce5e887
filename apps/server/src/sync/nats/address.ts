/** The address of a NATS cluster, the user, and the fleet. */
export interface NatsAddress {
  /** Each server as `host:port`. */
  readonly servers: readonly string[]
  /** True if unencrypted connections are refused. */
  readonly isTls: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  readonly token: string | undefined
  /** Part of the names of streams and subjects. */
  readonly fleet: string
}

export const NATS_RULE =
  'nats://server:4222, or tls:// for encrypted connections, several servers of one cluster with commas between them, user:password@ or token@ before the first, /fleet behind the last (letters, digits, hyphens)'

const DEFAULT_PORT = 4222
const DEFAULT_FLEET = 'main'
const MAX_SERVERS = 16

const SCHEME = /^(nats|tls):\/\//
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])$/
const FLEET = /^[A-Za-z0-9-]{1,32}$/

/** Parses a URL such as `nats://user:password@a:4222,b:4222/fleet`. Undefined if it is invalid (see NATS_RULE). */
export function parseNatsAddress(text: string): NatsAddress | undefined {
  const scheme = SCHEME.exec(text)
  if (scheme === null) return undefined
  // the scheme may be repeated, as in other drivers: nats://a,nats://b
  const rest = text.slice(scheme[0].length).replaceAll(`,${scheme[0]}`, ',')
  const slash = rest.indexOf('/')
  const fleet = slash < 0 ? DEFAULT_FLEET : rest.slice(slash + 1)
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  const at = authority.lastIndexOf('@')
  const credentials = at < 0 ? undefined : readCredentials(authority.slice(0, at))
  const servers = authority
    .slice(at + 1)
    .split(',')
    .map(readServer)
  if (!FLEET.test(fleet) || credentials === null || servers.length > MAX_SERVERS) return undefined
  const known = servers.filter((server) => server !== undefined)
  if (known.length < servers.length || new Set(known).size < known.length) return undefined
  return { servers: known, isTls: scheme[1] === 'tls', user: undefined, password: undefined, token: undefined, ...credentials, fleet }
}

function readServer(text: string): string | undefined {
  const [, host, port = String(DEFAULT_PORT)] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? []
  return host !== undefined && HOST.test(host) && Number(port) >= 1 && Number(port) <= 65_535 ? `${host}:${port}` : undefined
}

/** Null if the credentials cannot be decoded. */
function readCredentials(text: string): Pick<NatsAddress, 'user' | 'password'> | Pick<NatsAddress, 'token'> | null {
  try {
    const [first = '', ...others] = text.split(':').map(decodeURIComponent)
    if (first === '' || others.length > 1 || others[0] === '') return null
    return others[0] === undefined ? { token: first } : { user: first, password: others[0] }
  } catch {
    return null
  }
}
