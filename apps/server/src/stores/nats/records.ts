import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '../../db/tables/audit.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import type { Connection } from '../../sync/nats/connection.ts'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'
import { publish, StreamFullError } from '../../sync/nats/publish.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import type { KeyUse } from '../api-keys.ts'
import type { RecordStore } from '../records.ts'
import { isMs, isObject, pack, unpack } from './packing.ts'
import type { StoreStream } from './streams.ts'

/** The content of one message in the stream of records. */
export interface RecordMessage {
  readonly format: number
  readonly decisions?: readonly StoredDecision[]
  readonly audit?: readonly AuditEntry[]
  readonly uses?: readonly KeyUse[]
}

export const RECORD_FORMAT = 1

/** The record in a message; undefined if it is not a record. The content of records of newer releases is not checked. */
export function readRecord(message: StoredMessage): RecordMessage | undefined {
  const { format, decisions = [], audit = [], uses = [] } = unpack(message) ?? {}
  if (typeof format !== 'number') return undefined
  if (format !== RECORD_FORMAT) return { format }
  if (!Array.isArray(decisions) || !Array.isArray(audit) || !Array.isArray(uses)) return undefined
  return decisions.every(isDecision) && audit.every(isAuditEntry) && uses.every(isUse) ? { format, decisions, audit, uses } : undefined
}

const isUuid = (value: unknown): boolean => typeof value === 'string' && UUID.test(value)
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isDecision = (value: unknown): value is StoredDecision =>
  isObject(value) && isUuid(value.id) && isObject(value.record) && isObject(value.record.request) && isObject(value.place)

function isAuditEntry(value: unknown): value is AuditEntry {
  if (!isObject(value)) return false
  const { id, at, account, keyId, mutation, target, summary, result, requestId } = value
  return isUuid(id) && isMs(at) && [account, keyId, mutation, target, summary, result, requestId].every((text) => typeof text === 'string')
}

const isUse = (value: unknown): value is KeyUse => isObject(value) && isUuid(value.id) && isMs(value.at)

/** Stores records as messages until the tables have them. */
export interface RecordsOut extends Pick<RecordStore, 'keepDecisions' | 'keepAudit'> {
  keepUses(uses: readonly KeyUse[]): Promise<void>
  /** True if the stream was full when a record was last written. */
  readonly isFull: boolean
}

/** One message contains at most this many decisions. */
const DECISIONS_IN_MESSAGE = 20
const USES_IN_MESSAGE = 5_000
/** The size of the headers and protocol around a message body. */
const HEADER_BYTES = 512

/** `onKept` is called with the sequence of each new message. The tables do not contain that message yet. */
export function createRecordsOut(
  connection: Connection,
  names: StoreStream,
  { onKept, warn }: { onKept(sequence: number): void; warn(message: string): void },
): RecordsOut {
  let isFull = false
  const keep = async (message: Omit<RecordMessage, 'format'>): Promise<void> => {
    const { body, head } = await pack(randomUUID(), { format: RECORD_FORMAT, ...message } satisfies RecordMessage)
    const most = connection.maxPayload() - HEADER_BYTES
    if (body.length > most) return keepHalves(message, body.length, most)
    try {
      onKept(await publish(connection, names.stream, names.subject, body, head))
      if (isFull) warn('records are kept again')
      isFull = false
    } catch (error) {
      if (error instanceof StreamFullError && !isFull) {
        isFull = true
        warn(
          `records are refused: ${error.message}; they are accepted again when the database has stored the waiting records, or with a larger GANTT_RECORDS_BYTES`,
        )
      }
      throw error
    }
  }
  const keepHalves = async ({ decisions = [], audit = [] }: Omit<RecordMessage, 'format'>, size: number, most: number): Promise<void> => {
    if (decisions.length + audit.length < 2)
      throw new StoreUnavailableError(`a record has ${size} bytes; NATS accepts at most ${most} (max_payload)`)
    for (const [from, to] of [
      [0, 0.5],
      [0.5, 1],
    ] as const) {
      const half = <Row>(rows: readonly Row[]): readonly Row[] => rows.slice(Math.ceil(rows.length * from), Math.ceil(rows.length * to))
      const [some, others] = [half(decisions), half(audit)]
      if (some.length + others.length > 0)
        await keep({ ...(some.length > 0 && { decisions: some }), ...(others.length > 0 && { audit: others }) })
    }
  }
  const inSlices = async <Row>(rows: readonly Row[], size: number, send: (rows: readonly Row[]) => Promise<void>): Promise<void> => {
    for (let i = 0; i < rows.length; i += size) await send(rows.slice(i, i + size))
  }
  return {
    get isFull() {
      return isFull
    },
    keepDecisions: (rows) => inSlices(rows, DECISIONS_IN_MESSAGE, (decisions) => keep({ decisions })),
    keepAudit: (audit) => (audit.length === 0 ? Promise.resolve() : keep({ audit })),
    keepUses: (rows) => inSlices(rows, USES_IN_MESSAGE, (uses) => keep({ uses })),
  }
}
