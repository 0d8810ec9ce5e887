import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Checkpoint, Place } from '@gantt/scheduler-core'
import { nuid } from '@nats-io/transport-node'
import type { Timers } from '../../timers.ts'
import { type Collect, toParts } from '../parts.ts'
import type { KeptCheckpoint } from '../retention.ts'
import { asked, type Connection } from './connection.ts'
import type { StoredMessage } from './entry-message.ts'
import { readMessages } from './messages.ts'
import { publish } from './publish.ts'

/** The message that describes a stored checkpoint. It is written after the parts of the checkpoint. */
export interface Head extends KeptCheckpoint {
  readonly place: Place
  /** The name under which the checkpoint's parts are stored. */
  readonly save: string
  readonly parts: number
}

/** Checkpoints in a stream. A checkpoint is converted to texts, one per line, which are compressed and cut into messages. */
export interface Checkpoints {
  list(): Promise<readonly Head[]>
  /**
   * Undefined if the checkpoint was dropped meanwhile or is incomplete. Throws DamagedCheckpointError if its parts differ from those that
   * were written.
   */
  load<Result>(head: Head, collect: Collect<Result>): Promise<Result | undefined>
  /** False if another replica dropped the written parts meanwhile. `renew` is called after each part. */
  save(checkpoint: Checkpoint, logBytes: number, renew: () => void): Promise<boolean>
  drop(revisions: readonly number[]): Promise<void>
}

/** Thrown if the stored checkpoint differs from the written one: another client published on its subject, or a disk lost data. */
export class DamagedCheckpointError extends Error {
  override readonly name = 'DamagedCheckpointError'

  constructor(revision: number, options: ErrorOptions) {
    super(`the checkpoint at revision ${revision} is damaged`, options)
  }
}

/** The size of a message that contains a part, in bytes. */
const PART_BYTES = 262_144
/** Compression level 1 takes a third of the default level's time, and its output is a tenth larger. */
const PACKING = { level: 1 }

export function createCheckpoints(
  connection: Connection,
  { stream, subject, timers }: { readonly stream: string; readonly subject: string; readonly timers: Timers },
): Checkpoints {
  const { streams } = connection
  const headOf = (revision: number | string): string => `${subject}.heads.${revision}`
  const partsOf = (save: string): string => `${subject}.parts.${save}`

  /** How many messages each subject has. */
  const subjects = async (filter: string): Promise<Readonly<Record<string, number>>> => {
    const { state } = await connection.look(stream, filter)
    return state.subjects ?? {}
  }
  const readHead = async (revision: number): Promise<Head | undefined> => {
    const found = await connection.find(stream, { last_by_subj: headOf(revision) })
    return found === null ? undefined : toHead(found.string())
  }
  const list = async (): Promise<Head[]> => {
    const prefix = headOf('')
    const revisions = Object.keys(await subjects(headOf('*'))).map((name) => Number(name.slice(prefix.length)))
    const heads = await Promise.all(revisions.map(readHead))
    return heads.filter((head) => head !== undefined).sort((a, b) => a.revision - b.revision)
  }
  const purge = (filter: string) => asked(streams.purge(stream, { filter }))
  const keep = (to: string, body: Uint8Array): Promise<number> => publish(connection, stream, to, body)
  const isWhole = async ({ save, parts }: Pick<Head, 'save' | 'parts'>): Promise<boolean> =>
    ((await subjects(partsOf(save)))[partsOf(save)] ?? 0) === parts

  return {
    list,

    async load(head, collect) {
      if (!(await isWhole(head))) return undefined
      const subject = partsOf(head.save)
      const lines = linesOf(bodiesOf(readMessages(connection, { stream, subject, from: 1, count: head.parts, timers })))
      try {
        const first = await lines.next()
        return first.done === true ? undefined : await collect(first.value, lines)
      } catch (error) {
        if (isDamage(error)) throw new DamagedCheckpointError(head.revision, { cause: error })
        throw error
      }
    },

    async save(checkpoint, logBytes, renew) {
      const save = nuid.next()
      const { head, parts: texts } = toParts(checkpoint)
      let parts = 0
      const lines = function* (): Generator<string> {
        yield `${head}\n`
        for (const text of texts()) yield `${text}\n`
      }
      await pipeline(Readable.from(lines()), createGzip(PACKING), async (packed: AsyncIterable<Buffer>) => {
        for await (const part of inParts(packed)) {
          await keep(partsOf(save), part)
          parts++
          renew()
        }
      })
      const { place } = checkpoint
      const said: Head = { revision: place.revision, place, at: place.at, logBytes, save, parts }
      // if writing took too long, another replica may have deleted the parts because it considered this replica stopped
      if (!(await isWhole(said))) return false
      await keep(headOf(place.revision), Buffer.from(JSON.stringify(said)))
      return true
    },

    async drop(revisions) {
      for (const revision of revisions) await purge(headOf(revision))
      // messages without a head belong to a dropped checkpoint, or to a replica that ended before it wrote the head
      const kept = new Set((await list()).map(({ save }) => partsOf(save)))
      for (const name of Object.keys(await subjects(partsOf('*')))) if (!kept.has(name)) await purge(name)
    },
  }
}

/** Undefined if the message is not a head, because another client published it. */
function toHead(text: string): Head | undefined {
  try {
    const value = JSON.parse(text) as Partial<Head> | null
    const numbers = [value?.revision, value?.at, value?.logBytes, value?.parts, value?.place?.revision, value?.place?.at]
    const isHead = numbers.every(Number.isFinite) && typeof value?.save === 'string' && typeof value.place?.id === 'string'
    return isHead ? (value as Head) : undefined
  } catch {
    return undefined
  }
}

/** Returns true if the error means that data is damaged. The checksum covers all compressed data. */
function isDamage(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return error instanceof SyntaxError || (typeof code === 'string' && code.startsWith('Z_'))
}

/** Cuts a stream of bytes into messages. */
async function* inParts(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of packed) {
    waiting.push(piece)
    bytes += piece.length
    if (bytes < PART_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}

async function* bodiesOf(messages: AsyncIterable<StoredMessage>): AsyncGenerator<Uint8Array> {
  for await (const { body } of messages) yield body
}

const LINE_END = 0x0a

/** Decompresses, and splits at line feeds only, because the texts may contain all other line separators. */
async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: Buffer[] = []
  // the loop below throws errors in the data, so the rejection of the pipeline itself is ignored
  const unpacked = createGunzip()
  const piped = pipeline(Readable.from(parts), unpacked)
  piped.catch(() => undefined)
  for await (const piece of unpacked as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, from)) {
      yield Buffer.concat([...begun, piece.subarray(from, end)]).toString()
      begun = []
      from = end + 1
    }
    begun.push(piece.subarray(from))
  }
  await piped
}
