const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The part of a global id that identifies an object among those of its type. It is short enough for a table, and the API accepts it too.
 * Texts that are not global ids are returned unchanged.
 */
export function shortId(globalId: string): string {
  const part = Buffer.from(globalId, 'base64url').toString('utf8').split(':').at(-1) ?? ''
  return UUID.test(part) ? part : globalId
}
