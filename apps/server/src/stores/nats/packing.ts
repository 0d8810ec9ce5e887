import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'

const ENCODING = 'Gantt-Encoding'
const ID = 'Gantt-Id'
/** Beyond this many bytes a body is deflated, on another thread. */
const DEFLATED_FROM = 65_536
const MOST_INFLATED = 268_435_456

const deflate = promisify(deflateRaw)

/** A value as the body of a message, under an id of its own. */
export async function pack(id: string, value: unknown): Promise<{ readonly body: Uint8Array; readonly head: MsgHdrs }> {
  const head = headers()
  head.set(ID, id)
  const text = Buffer.from(JSON.stringify(value))
  if (text.length < DEFLATED_FROM) return { body: text, head }
  head.set(ENCODING, 'deflate')
  return { body: await deflate(text, { level: 1 }), head }
}

/** Its id; what somebody else published has none. */
export const idOf = ({ headers: head }: Pick<StoredMessage, 'headers'>): string => head?.get(ID) ?? ''

/** The value in a message; undefined when it is none of ours. */
export function unpack({ headers: head, body }: StoredMessage): unknown {
  const encoding = head?.get(ENCODING) ?? ''
  try {
    if (encoding !== '' && encoding !== 'deflate') return undefined
    const bytes = encoding === '' ? Buffer.from(body) : inflateRawSync(body, { maxOutputLength: MOST_INFLATED })
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
