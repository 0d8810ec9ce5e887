/** At most this many ids are returned. A filter with all returned ids then stays short. A log line usually has fewer ids. */
const MAX_IDS = 12

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** Finds request ids by the words around them: `request-id: ID`, or `request ID failed` as in the service's log. */
const asked = /request[-_]?id["']?\s*[:=]\s*["']?([A-Za-z0-9._-]{1,64})|\brequest ([A-Za-z0-9._-]{1,64}) failed/gi
/** Finds global ids of the API, as in links: `Decision:` or `Claim:` with a uuid, in base64. */
const global = /\b(?:RGVjaXNpb246[A-Za-z0-9_-]{48}|Q2xhaW06[A-Za-z0-9_-]{48})\b/g
const plain = new RegExp(`\\b(?:req-)?${UUID}\\b`, 'gi')

/**
 * Finds the ids of requests, instances, decisions and claims in a text, such as a pasted log line. Each id is returned once. At most 12 ids
 * are returned.
 */
export function idsIn(text: string): readonly string[] {
  const found = [asked, global, plain].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ id: match[1] ?? match[2] ?? match[0], at: match.index + match[0].length })),
  )
  const inOrder = found.sort((one, other) => one.at - other.at).map(({ id }) => (isUuid.test(id) ? id.toLowerCase() : id))
  return [...new Set(inOrder)].slice(0, MAX_IDS)
}

const isUuid = new RegExp(`^${UUID}$`, 'i')
