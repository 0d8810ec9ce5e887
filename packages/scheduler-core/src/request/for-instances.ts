import { type RequestSpec, shareDemand } from './request-spec.ts'
import { sharePublished } from './versions.ts'

/** The form in which requests store UUIDs. The parser converts other forms to it. */
const STORED_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** True if a list has only UUIDs in the form in which requests store them, and none twice. The parser returns such a list unchanged. */
export const areStoredUuids = (uuids: readonly unknown[]): uuids is readonly string[] =>
  uuids.every((uuid) => typeof uuid === 'string' && STORED_UUID.test(uuid)) && new Set(uuids).size === uuids.length

/**
 * A copy that is equal and shares nothing. A text that was cut from a longer one, such as a document with many requests, keeps the longer one
 * in memory. What is kept for later calls is therefore made from such a copy.
 */
export const withOwnTexts = (request: RequestSpec): RequestSpec => JSON.parse(JSON.stringify(request)) as RequestSpec

/**
 * The same request for as many other instances, equal to what the parser makes of such a document. The two requests share all values but
 * the UUIDs, and what is computed from them. Throws RangeError if the count differs, if a UUID is not in stored form or occurs twice, or
 * for a request that was made from a document of Nova, because that document has the UUIDs too.
 */
export function forInstances(request: RequestSpec, instanceUuids: readonly string[]): RequestSpec {
  const { length } = request.instanceUuids
  if (request.nova !== null) throw new RangeError('expected a request in the form of this service, but it was made from a document of Nova')
  if (instanceUuids.length !== length) throw new RangeError(`expected UUIDs of ${length} instances, found ${instanceUuids.length}`)
  if (!areStoredUuids(instanceUuids))
    throw new RangeError(`expected different UUIDs in lower case, found ${JSON.stringify(instanceUuids).slice(0, 200)}`)
  if (length === 0) return request
  const other = { ...request, instanceUuids }
  shareDemand(request, other)
  sharePublished(request, other)
  return other
}
