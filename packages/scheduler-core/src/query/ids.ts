/** At most this many ids are returned. A line of a log has fewer ids, and a filter with this many is still short. */
const MOST = 12

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** Words in front of or around an id that show its kind. The service's own log contains `request ID failed`. */
const asked = /request[-_]?id["']?\s*[:=]\s*["']?([A-Za-z0-9._-]{1,64})|\brequest ([A-Za-z0-9._-]{1,64}) failed/gi
/** A global id as in links: `Decision:` or `Claim:` and a uuid, in base64. */
const global = /\b(?:RGVjaXNpb246[A-Za-z0-9_-]{48}|Q2xhaW06[A-Za-z0-9_-]{48})\b/g
const plain = new RegExp(`\\b(?:req-)?${UUID}\\b`, 'gi')

/**
 * The ids in a text, such as a pasted line of a log. They are ids of requests, instances, decisions and claims, each once and in order; at
 * most 12.
 */
export function idsIn(text: string): readonly string[] {
  const found = [asked, global, plain].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ id: match[1] ?? match[2] ?? match[0], at: match.index + match[0].length })),
  )
  const inOrder = found.sort((one, other) => one.at - other.at).map(({ id }) => (isUuid.test(id) ? id.toLowerCase() : id))
  return [...new Set(inOrder)].slice(0, MOST)
}

const isUuid = new RegExp(`^${UUID}$`, 'i')
