import { InputFault } from '../services/outcome.ts'

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An opaque global id. */
export const encodeId = (typename: string, id: string | number | bigint): string => Buffer.from(`${typename}:${id}`).toString('base64url')

/** What is in a global id. Throws InputFault for one that was not handed out. */
export function decodeId(globalId: string): { typename: string; id: string } {
  const found = read(globalId)
  if (found === undefined) throw InputFault.at(['id'], globalId, 'a global id that the API handed out')
  return found
}

/** The id of a thing of one type, from its global id or from its own id as in logs. Throws InputFault for anything else. */
export function idOf(typename: string, given: string, path: readonly string[]): string {
  if (uuidForm.test(given)) return given.toLowerCase()
  const found = read(given)
  if (found?.typename !== typename) throw InputFault.at(path, given, `the global id of a ${typename}`)
  return found.id
}

function read(globalId: string): { typename: string; id: string } | undefined {
  if (globalId.length > 2_048) return undefined
  const text = Buffer.from(globalId, 'base64url').toString('utf8')
  const [, typename, id] = /^([A-Z][A-Za-z]{1,40}):(.+)$/s.exec(text) ?? []
  // a look-alike that decodes to the same is not what was handed out
  if (typename === undefined || id === undefined || encodeId(typename, id) !== globalId.replace(/=+$/, '')) return undefined
  return { typename, id }
}

/** `name@number` of a profile version, from that or from its global id. */
export const profileVersionId = (given: string): string =>
  /^[a-z0-9-]{1,63}@\d{1,10}$/.test(given) ? given : idOf('ProfileVersion', given, ['version'])
