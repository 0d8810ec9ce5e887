import { randomUUID } from 'node:crypto'
import type { Connection } from '../../sync/nats/connection.ts'
import { publish } from '../../sync/nats/publish.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import { type ApiKey, type ApiKeyStore, createKey, createKeyUses, hashOf, isUsable, type KeyUse, type KeyWrite } from '../api-keys.ts'
import { openFollowed } from './followed.ts'
import { KEY_EDIT_FORMAT, type KeyEdit, KeyFold } from './key-fold.ts'
import { pack, unpack } from './packing.ts'
import type { StoreStream } from './streams.ts'

export interface NatsKeysOptions {
  readonly names: StoreStream
  readonly timers: Timers
  /** Stores the times of the last use of keys. */
  keepUses(uses: readonly KeyUse[]): Promise<void>
  /** The times of the last use of keys in the tables. */
  readUses(): Promise<ReadonlyMap<string, number>>
  /** The keys in the tables. They become the first edit in a stream without edits. */
  begin(): Promise<readonly KeyWrite[]>
  warn(message: string): void
  /** If the stream seems to have lost messages, the loss is accepted only after this time, in milliseconds. */
  readonly doubtMs?: number | undefined
}

export interface NatsKeys extends ApiKeyStore {
  /** The keys as computed from the stream. The table of keys is written from them. */
  readonly fold: KeyFold
  /** Resolves when the keys include all edits that were in the stream at this call. */
  fresh(): Promise<void>
}

/** Other replicas see an edit within this time, because an edit is a single message. */
const SEEN_WITHIN_MS = 1_000
const USES_MS = 5_000
const MAX_EDIT_ATTEMPTS = 50
/** An edit with unknown outcome is sent again for this long. */
const TIMEOUT_MS = 10_000
const RETRY_DELAY_MS = 100

/** Keys computed from a stream of edits, which every replica follows in memory. */
export async function openNatsKeys(connection: Connection, options: NatsKeysOptions): Promise<NatsKeys> {
  const { names, timers, keepUses, readUses, begin, warn, doubtMs } = options
  const fold = new KeyFold()
  const uses = createKeyUses()
  let lastUses: ReadonlyMap<string, number> = new Map()
  /** This replica's edits in progress, by id. The value becomes true when the edit takes effect. */
  const pending = new Map<string, boolean>()
  const followed = await openFollowed(connection, {
    ...{ stream: names.stream, timers, ...(doubtMs === undefined ? {} : { doubtMs }) },
    onMessage(message) {
      const wasReadable = fold.unreadable === undefined
      // a second copy of the edit has no effect, and does not change the outcome of the first copy
      if (fold.apply(unpack(message), message.revision) && pending.has(fold.head)) pending.set(fold.head, true)
      if (wasReadable && fold.unreadable !== undefined) warn(`all keys are refused now: ${fold.unreadable}`)
    },
    onReplaced() {
      warn(`the stream ${names.stream} was replaced or lost messages: the keys of this replica now equal those in the stream`)
      fold.clear()
    },
  })

  /** Sends an edit until it is in the stream. Resolves with true if the edit took effect. */
  const send = async (writes: readonly KeyWrite[]): Promise<boolean> => {
    const edit: KeyEdit = { format: KEY_EDIT_FORMAT, id: randomUUID(), after: fold.head, writes }
    const { body, head } = await pack(edit.id, edit)
    pending.set(edit.id, false)
    try {
      for (const end = timers.now() + TIMEOUT_MS; ; ) {
        const sequence = await publish(connection, names.stream, names.subject, body, head).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailableError)) throw error
          if (timers.now() > end) throw new UnavailableError('store', `it is not known whether the keys were edited: ${error.message}`)
          return undefined
        })
        if (sequence !== undefined) await followed.reach(sequence)
        // an earlier copy of the edit may have arrived although no answer came
        if (sequence !== undefined || pending.get(edit.id) === true) return pending.get(edit.id) === true
        await new Promise<void>((resolve) => void timers.after(RETRY_DELAY_MS, resolve))
      }
    } finally {
      pending.delete(edit.id)
    }
  }
  const keys = (): ApiKey[] => fold.list().map(({ key }) => key)
  const assertReadable = (): void => {
    if (fold.unreadable !== undefined) throw new UnavailableError('store', fold.unreadable)
  }
  const edit: ApiKeyStore['edit'] = async (decide) => {
    for (let attempt = 0; attempt < MAX_EDIT_ATTEMPTS; attempt++) {
      await followed.fresh()
      assertReadable()
      const { writes, answer } = decide(keys())
      if (writes.length === 0 || (await send(writes))) return answer
    }
    throw new UnavailableError(
      'store',
      `other callers edit keys constantly; all ${MAX_EDIT_ATTEMPTS} attempts were too late, and nothing was done`,
    )
  }
  const writeUses = () => uses.write(keepUses)
  const refresh = async (): Promise<void> => {
    await writeUses()
    lastUses = await readUses()
  }

  if (fold.head === '') {
    const writes = await begin().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new StoreUnavailableError(`the first start of a fleet takes over the keys of its database, which cannot be read: ${why}`, {
        cause: error,
      })
    })
    // several replicas may write the initial keys at once, and only one of these edits takes effect
    if (writes.length > 0) await send(writes)
  }
  let hasWarned = false
  const stop = timers.every(
    USES_MS,
    () =>
      void refresh().then(
        () => {
          hasWarned = false
        },
        (error: unknown) => {
          if (!hasWarned) warn(`the use of keys could not be stored or read: ${error instanceof Error ? error.message : String(error)}`)
          hasWarned = true
        },
      ),
  )
  return {
    fold,
    fresh: followed.fresh,
    seenWithinMs: SEEN_WITHIN_MS,
    verify(secret) {
      const held = fold.byId.get(fold.byHash.get(hashOf(secret)) ?? '')
      const now = Date.now()
      if (held === undefined || fold.unreadable !== undefined || !isUsable(held.key, now)) return undefined
      uses.used(held.key.id, now)
      return held.key
    },
    create: (key) => createKey({ edit }, key),
    edit,
    list: () => keys().map((key) => ({ ...key, lastUsedAt: uses.lastOf({ ...key, lastUsedAt: lastUses.get(key.id) ?? key.lastUsedAt }) })),
    async close() {
      stop()
      await writeUses().catch((error: unknown) =>
        warn(`the last use of keys was not written: ${error instanceof Error ? error.message : String(error)}`),
      )
      followed.close()
    },
  }
}
