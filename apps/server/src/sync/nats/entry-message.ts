import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import { ENTRY_FORMAT, type Entry, type LogEntry, ORIGIN, UnknownEntryError } from '@gantt/scheduler-core'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import { EntryTooLargeError } from '../synchronizer.ts'

/** A published entry. */
export interface EntryMessage {
  readonly headers: MsgHdrs
  readonly body: Uint8Array
}

/** A stored message of the log. */
export interface StoredMessage {
  readonly subject: string
  readonly revision: number
  /**
   * The time at which the leader stored the message, in nanoseconds since 1970. A text, because it has more digits than a number can hold.
   */
  readonly stamp: string
  readonly headers: MsgHdrs | undefined
  readonly body: Uint8Array
}

/** The header with the entry's id, so that a position is known without parsing the entry. */
const ID = 'Gantt-Entry'
const ENCODING = 'Gantt-Encoding'
/**
 * The header with the time at which another engine stored the entry. For copied entries this time is earlier than the time of the message.
 */
const AT = 'Gantt-At'
/**
 * Entries above this many bytes are compressed on another thread. Compression level 1 reduces such entries to a sixth in about 10 ms per
 * MB.
 */
const DEFLATED_FROM = 131_072
const NANOS_PER_MS_DIGITS = 6
/** The maximum size of a decompressed entry. Writers are trusted, but may have defects. */
const MAX_INFLATED_BYTES = 268_435_456

const deflate = promisify(deflateRaw)

/**
 * Throws EntryTooLargeError if the entry does not fit into `most` bytes, headers included. `at` is the time at which another engine stored
 * a copied entry, in milliseconds since 1970. The copy has the same time.
 */
export async function toMessage(entry: Entry, most: number, at?: number): Promise<EntryMessage> {
  const head = headers()
  head.set(ID, entry.id)
  if (at !== undefined) head.set(AT, String(at))
  const { format, id, writer, basis, changes } = entry
  let body: Uint8Array = Buffer.from(JSON.stringify({ format, id, writer, basis, changes }))
  if (body.length > DEFLATED_FROM) {
    head.set(ENCODING, 'deflate')
    body = await deflate(body, { level: 1 })
  }
  const size = body.length + HEADER_BYTES
  if (size > most) throw new EntryTooLargeError(size, most)
  return { headers: head, body }
}

const HEADER_BYTES = 256

/** The time of a message in milliseconds since 1970. */
export const stampMs = ({ stamp }: Pick<StoredMessage, 'stamp'>): number => Number(stamp.slice(0, -NANOS_PER_MS_DIGITS))

/** The store's time of the entry in a message, milliseconds since 1970. */
export function atOf(message: Pick<StoredMessage, 'stamp' | 'headers'>): number {
  const given = message.headers?.get(AT) ?? ''
  return /^\d{1,15}$/.test(given) ? Number(given) : stampMs(message)
}

/**
 * Converts a time of the JetStream API to nanoseconds since 1970. The API omits zeros at the end of a time: `2026-11-22T04:37:58.2964786Z`.
 */
export function stampOf(time: string): string {
  const [seconds = '', fraction = ''] = time.replace('Z', '').split('.')
  return `${Date.parse(`${seconds}Z`) / 1_000}${fraction.padEnd(9, '0')}`
}

export function idOf(message: Pick<StoredMessage, 'revision' | 'headers'>): string {
  return message.headers?.get(ID) || foreignEntryId(message.revision)
}

/**
 * The entry in a message. A damaged message, or one that another client published on the log's subject, is treated by every replica as an
 * entry without changes. Throws UnknownEntryError for an entry in an encoding of a newer release.
 */
export function toEntry(message: StoredMessage): LogEntry {
  const { revision, headers: head, body } = message
  const place = { revision, at: atOf(message) }
  const encoding = head?.get(ENCODING) ?? ''
  if (encoding !== '' && encoding !== 'deflate')
    throw new UnknownEntryError(`the entry at revision ${revision} is encoded as ${encoding}, which this release cannot read`)
  const id = idOf(message)
  const found = parse(body, encoding === 'deflate')
  if (found === undefined || found.id !== id) return { format: ENTRY_FORMAT, id, writer: '', basis: ORIGIN, changes: [], ...place }
  const { format, writer, basis, changes } = found
  return { format, id, writer, basis, changes, ...place }
}

const foreignEntryId = (revision: number): string => `stray-${revision}`

function parse(body: Uint8Array, isDeflated: boolean): Entry | undefined {
  try {
    const bytes = isDeflated ? inflateRawSync(body, { maxOutputLength: MAX_INFLATED_BYTES }) : body
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
    return isEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns true if the value has the form of an entry. The content of its changes is not checked. */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { format, writer, basis, changes } = value as Readonly<Record<string, unknown>>
  if (typeof format !== 'number' || typeof writer !== 'string' || typeof basis !== 'object' || basis === null) return false
  return Array.isArray(changes) && changes.every((change: unknown) => typeof change === 'object' && change !== null && 'type' in change)
}
