import type { AuditEntry, AuditRow, AuditStore } from '../../db/tables/audit.ts'
import type { RecordStore } from '../../stores/records.ts'
import { UnavailableError } from '../../unavailable.ts'
import { firstOf, keyOf, listOf, type Page, type PageArgs, toCursor } from '../calls/paging.ts'
import { parseAuditQuery } from './audit-query.ts'

export type { AuditEntry, AuditRow } from '../../db/tables/audit.ts'

export interface AuditListArgs extends PageArgs {
  readonly query?: string | null | undefined
  readonly oldestFirst?: boolean | null | undefined
}

export interface Audit {
  /** Lists the rows of the audit. Throws InputFault for an invalid query. */
  list(args: AuditListArgs): Promise<Page<AuditRow>>
  /** Resolves once the entry is stored. Rejects with AuditDelayed if that takes too long; the entry is then stored later. */
  keep(entry: AuditEntry): Promise<void>
  /** Queues an entry. Waits only if the queue is full. */
  follow(entry: AuditEntry): Promise<void>
  /**
   * Queues an entry for a call that failed because the store was unavailable. If the queue is full, the entry is dropped. No call waits
   * until the entry is stored.
   */
  offer(entry: AuditEntry): void
  /** False if the store accepts no more audit entries at present. Mutations that need an audit entry must then be refused. */
  takesMore(): boolean
  /** Writes the queued entries. Entries that the database does not accept within TIMEOUT_MS are lost, and operators are warned. */
  close(): Promise<void>
}

/** The error of a call whose change was made, but whose audit entry could not be written yet. */
export class AuditDelayed extends Error {
  override readonly name = 'AuditDelayed'
}

/** True if a call was refused or timed out because the store was unavailable. Even so, the call might have written changes to the log. */
export const isStoreUnavailable = (error: unknown): boolean => error instanceof UnavailableError

export interface AuditOptions {
  readonly records: Pick<RecordStore, 'keepAudit' | 'takesMore'>
  /** Reads the stored rows of the audit. */
  readonly store: AuditStore
  warn(message: string): void
  /** How many entries the queue can hold. When the queue is full, calls of `follow` wait. */
  readonly room?: number
  /** For this many milliseconds, entries are collected before they are written as one batch. */
  readonly gatherMs?: number
}

const BATCH = 500
const RETRY_MS = 500
/** How long the answer of a mutation waits for its audit entry, and how long a stopping service waits for all entries. */
const TIMEOUT_MS = 10_000

interface Waiting {
  readonly entry: AuditEntry
  kept(): void
}

/**
 * Creates the audit writer of this replica. It writes entries in the order in which their calls were answered, in batches. The batches of
 * all replicas form one hash chain.
 */
export function createAudit({ records, store, warn, room = 10_000, gatherMs = 200 }: AuditOptions): Audit {
  const queue: Waiting[] = []
  const waitingForRoom: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isFailing = false
  let giveUpAt = Number.POSITIVE_INFINITY
  /** The number of entries that were dropped since the last successful write because the queue was full. */
  let leftOut = 0

  const writeBatch = async (): Promise<void> => {
    const batch = queue.slice(0, BATCH)
    await records.keepAudit(batch.map(({ entry }) => entry))
    queue.splice(0, batch.length)
    for (const { kept } of batch) kept()
    for (const go of waitingForRoom.splice(0, Math.max(0, room - queue.length))) go()
  }
  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      try {
        await writeBatch()
        if (isFailing) warn('the audit is written again')
        if (leftOut > 0) warn(`${leftOut} calls that failed while the database was away are not in the audit`)
        isFailing = false
        leftOut = 0
      } catch (error) {
        if (!isFailing)
          warn(
            `the audit cannot be written; ${queue.length} entries are kept in memory until it can: ${error instanceof Error ? error.message : error}`,
          )
        isFailing = true
        if (Date.now() >= giveUpAt) return
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= drain().finally(() => {
      writing = undefined
      // continues with entries that arrived while the previous entries were written
      if (queue.length > 0 && Date.now() < giveUpAt) void write()
    })
    return writing
  }
  const push = (entry: AuditEntry): Promise<void> => new Promise((kept) => queue.push({ entry, kept }))

  const behind = (entry: AuditEntry): void => {
    void push(entry)
    if (writing === undefined) timer ??= setTimeout(() => void write(), gatherMs)
  }

  return {
    async list({ query: text, oldestFirst, ...page }) {
      const query = parseAuditQuery(text)
      const list = listOf('auditLog', [query, oldestFirst ?? false])
      const first = firstOf(list, page)
      const key = keyOf<[number]>(list, page, ['number'])
      const rows = await store.list({ first: first + 1, oldestFirst: oldestFirst ?? false, query, ...(key ? { after: key[0] } : {}) })
      return {
        edges: rows.slice(0, first).map((row) => ({ cursor: toCursor(list, [row.seq]), node: row })),
        hasNextPage: rows.length > first,
        hasPreviousPage: key !== undefined,
        totalCount: () => store.count(query),
      }
    },
    async keep(entry) {
      const kept = push(entry)
      void write()
      let deadline: NodeJS.Timeout | undefined
      const late = new Promise<never>((_resolve, reject) => {
        deadline = setTimeout(() => reject(new AuditDelayed('the change is made; its audit entry could not be written yet')), TIMEOUT_MS)
      })
      await Promise.race([kept, late]).finally(() => clearTimeout(deadline))
    },
    async follow(entry) {
      while (queue.length >= room) {
        void write()
        await new Promise<void>((resolve) => waitingForRoom.push(resolve))
      }
      behind(entry)
    },
    offer(entry) {
      if (queue.length >= room) leftOut++
      else behind(entry)
    },
    takesMore: () => records.takesMore(),
    async close() {
      giveUpAt = Date.now() + TIMEOUT_MS
      while (queue.length > 0 && Date.now() < giveUpAt) await write()
      clearTimeout(timer)
      if (queue.length > 0) warn(`${queue.length} audit entries were lost: the database accepted none for ${TIMEOUT_MS} ms`)
    },
  }
}
