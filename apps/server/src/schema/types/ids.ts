import { InputFault } from '../../services/calls/outcome.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const profile = '[a-z0-9][a-z0-9-]{0,62}'

/** The contents of the global ids of each type. */
const forms: Readonly<Record<string, RegExp>> = {
  Aggregate: uuid,
  Claim: uuid,
  Decision: uuid,
  Host: /^\[".+"\]$/s,
  Profile: new RegExp(`^${profile}$`),
  ProfileVersion: new RegExp(`^${profile}@\\d{1,10}$`),
  RequestSpec: /^[0-9a-f]{64}$/,
  ServerGroup: uuid,
}

/**
 * A global id has at most this many characters. The longest ids are those of hosts: two names of 255 characters, each of which can have six
 * bytes as JSON. A longer text is not decoded.
 */
export const MAX_ID_LENGTH = 4_096

/** An opaque global id. */
export const encodeId = (typename: string, id: string | number | bigint): string => Buffer.from(`${typename}:${id}`).toString('base64url')

/** Parses a global id. Throws InputFault for an id that the service did not issue. */
export function decodeId(globalId: string): { typename: string; id: string } {
  const found = read(globalId)
  if (found === undefined) throw InputFault.at(['id'], globalId, 'a global id that the API returned')
  return found
}

/**
 * The plain id of an object of one type. `given` is either the global id of the object or the plain id that logs contain. Throws InputFault
 * for any other text.
 */
export function idOf(typename: string, given: string, path: readonly string[]): string {
  const own = given.length <= MAX_ID_LENGTH ? given.toLowerCase() : undefined
  if (own !== undefined && forms[typename]?.test(own)) return own
  const found = read(given)
  if (found?.typename !== typename) throw InputFault.at(path, given, `the global id of a ${typename}`)
  return found.id
}

function read(globalId: string): { typename: string; id: string } | undefined {
  if (globalId.length > MAX_ID_LENGTH) return undefined
  const text = Buffer.from(globalId, 'base64url').toString('utf8')
  const colon = text.indexOf(':')
  const typename = text.slice(0, Math.max(0, colon))
  const id = text.slice(colon + 1)
  // if a text decodes to this value but differs from its encoding, this service did not issue the text
  if (!forms[typename]?.test(id) || encodeId(typename, id) !== globalId.replace(/={1,2}$/, '')) return undefined
  return { typename, id }
}
