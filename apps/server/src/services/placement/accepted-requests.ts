import { areStoredUuids, forInstances, type RequestSpec, withOwnTexts } from '@gantt/scheduler-core'
import { createByteCache } from '../../byte-cache.ts'
import type { SpecDocument } from './placement-input.ts'

/** Keys and requests are kept up to this many bytes. */
const MAX_BYTES = 16 * 1024 * 1024
/** Requests with a longer key are not kept, so that a few large ones do not drop the common small ones. */
const MAX_KEY_LENGTH = 8 * 1024
/** An estimate of the bytes of a request in memory with what is computed from it: those of the smallest one, and for each character of its key. */
const REQUEST_BYTES = 8_192
const BYTES_PER_CHARACTER = 8

/**
 * Valid requests by their text without the UUIDs of the instances. Services send the same flavors and images again and again for other
 * instances. Whether a request is valid depends on the UUIDs only by their form and count, so it is parsed and checked once.
 */
const accepted = createByteCache<RequestSpec>(MAX_BYTES)

/**
 * Finds an accepted request that differs from a request in Gantt's form, as the API read it, only in the instances. Without one, the
 * result has the key for `keepAccepted`, if the request may be kept.
 */
export function findAccepted({
  instanceUuids,
  ...rest
}: {
  readonly instanceUuids?: readonly string[] | null | undefined
}): Pick<SpecDocument, 'accepted' | 'key'> {
  const uuids = instanceUuids ?? []
  if (!areStoredUuids(uuids)) return {}
  const key = `${uuids.length} ${JSON.stringify(rest)}`
  if (key.length > MAX_KEY_LENGTH) return {}
  const known = accepted.get(key)
  return known === undefined ? { key } : { accepted: forInstances(known, uuids) }
}

/** Keeps a request that was parsed and passed all checks of a request alone. Returns the equal request that later ones share values with. */
export function keepAccepted(key: string, request: RequestSpec): RequestSpec {
  const own = withOwnTexts(request)
  accepted.set(key, own, REQUEST_BYTES + BYTES_PER_CHARACTER * key.length)
  return own
}

/** How many bytes the kept requests are estimated to use. */
export const acceptedBytes = (): number => accepted.bytes
