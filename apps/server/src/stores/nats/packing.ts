import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'

const ENCODING = 'Gantt-Encoding'
const ID = 'Gantt-Id'
/** Bodies above this many bytes are compressed on another thread. */
const DEFLATED_FROM = 65_536
const MAX_INFLATED_BYTES = 268_435_456

const deflate = promisify(deflateRaw)

/** Encodes a value as the body of a message. A header of the message contains `id`. */
export async function pack(id: string, value: unknown): Promise<{ readonly body: Uint8Array; readonly head: MsgHdrs }> {
  const head = headers()
  head.set(ID, id)
  const text = Buffer.from(JSON.stringify(value))
  if (text.length < DEFLATED_FROM) return { body: text, head }
  head.set(ENCODING, 'deflate')
  return { body: await deflate(text, { level: 1 }), head }
}

export const isObject = (value: unknown): value is Unpacked => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns true if the value is a time or a duration in milliseconds. */
export const isMs = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

/** The id of the message; '' for messages of other programs. */
export const idOf = ({ headers: head }: Pick<StoredMessage, 'headers'>): string => head?.get(ID) ?? ''

/** The content of a message, which is unchecked: any client with access may have published it. */
export type Unpacked = Readonly<Record<string, unknown>>

/** The object in a message; undefined if there is none. */
export function unpack({ headers: head, body }: StoredMessage): Unpacked | undefined {
  const encoding = head?.get(ENCODING) ?? ''
  try {
    if (encoding !== '' && encoding !== 'deflate') return undefined
    const bytes = encoding === '' ? Buffer.from(body) : inflateRawSync(body, { maxOutputLength: MAX_INFLATED_BYTES })
    const value: unknown = JSON.parse(bytes.toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
