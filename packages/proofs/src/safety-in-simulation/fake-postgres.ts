import type { Random } from '@gantt/scheduler-core'
import { type Driver, type Prepared, type Session, StoreUnavailableError, toStoreError } from '@gantt/server/for-proofs'
import type pg from 'pg'
import type { VirtualTime } from './virtual-time.ts'

export interface StoredEntry {
  readonly revision: number
  readonly id: string
  readonly writer: string
  readonly body: string
  readonly atMs: number
}

interface Connection {
  readonly owner: number
  isOpen: boolean
  isListening: boolean
  readonly listeners: ((message: { readonly payload?: string }) => void)[]
  onEnd(): void
}

/** The faults between replicas and store. The simulation sets them. */
export interface NetworkFaults {
  /**
   * The probability, 0 to 1, that the connection of a statement is cut: before the server receives the statement, or before its answer
   * arrives.
   */
  cut: number
  /** The probability that a notification is lost. */
  deaf: number
  /** Messages are delayed by at most this many milliseconds. */
  slow: number
  /** The probability that an append is rolled back, as after a deadlock or a serialization failure. */
  aborted: number
  /** The probability that the server accepts an append that names an outdated head, as an engine with a faulty comparison would. */
  blind: number
  isDown: boolean
  /** The processes, by `Process.life`, that have no connection to the server. */
  readonly cutOff: Set<number>
  /**
   * The paused processes, by `Process.life`, each with the virtual time at which its pause ends. The server continues meanwhile, and its
   * messages arrive after the pause.
   */
  readonly stalled: Map<number, number>
}

/** The part of a PostgreSQL server that the log needs. It executes only the prepared statements of the synchronizer. */
export interface FakePostgres {
  readonly log: readonly StoredEntry[]
  readonly faults: NetworkFaults
  /** The server's clock, milliseconds since 1970. */
  clock(): number
  /** Sets the clock forward or back. */
  jump(ms: number): void
  /** Kills the server: every connection ends, and committed data is kept. */
  crash(): void
  driver(owner: number): Driver
  /** Ends the connections of a process that died. */
  disconnect(owner: number): void
  onAppended(listener: (entry: StoredEntry) => void): void
}

/** A statement that loads a checkpoint returns at most this many of its parts. */
const PARTS_AT_ONCE = 4
const LOCK_TIMEOUT_MS = 50
const EPOCH_MS = 1_700_000_000_000

export function createFakePostgres(time: VirtualTime, random: Random): FakePostgres {
  const log: StoredEntry[] = []
  const checkpoints: { readonly revision: number; readonly body: string; readonly parts: number }[] = []
  const parts = new Map<number, unknown[]>()
  const connections = new Set<Connection>()
  const appended: ((entry: StoredEntry) => void)[] = []
  const waiting: { readonly connection: Connection; grant(): void }[] = []
  let holder: Connection | undefined
  let offset = 0
  const faults: NetworkFaults = { cut: 0, deaf: 0, slow: 2, aborted: 0, blind: 0, isDown: false, cutOff: new Set(), stalled: new Map() }
  const chance = (share: number): boolean => share > 0 && random.below(1_000_000) < share * 1_000_000
  const travel = (): Promise<void> =>
    new Promise((resolve) => void time.after(random.below(Math.max(1, Math.round(faults.slow * 1_000))) / 1_000, resolve))
  /** Waits until a process is not paused. A paused process reads received data only after the pause. */
  const awake = async (owner: number): Promise<void> => {
    const rest = (faults.stalled.get(owner) ?? 0) - time.now
    if (rest > 0) await new Promise<void>((resolve) => void time.after(rest, resolve))
  }
  const clock = (): number => EPOCH_MS + Math.floor(time.now + offset)

  const end = (connection: Connection): void => {
    if (!connection.isOpen) return
    connection.isOpen = false
    connections.delete(connection)
    if (holder === connection) passOn()
    connection.onEnd()
  }
  const passOn = (): void => {
    holder = undefined
    const next = waiting.shift()
    if (next === undefined) return
    holder = next.connection
    next.grant()
  }

  const statements: Readonly<Record<string, (values: readonly unknown[], connection: Connection) => unknown[] | Promise<unknown[]>>> = {
    'gantt-append': ([basis, id, writer, basisId, body, , basisAt]) => {
      const head = log.length
      const at = log[Number(basis) - 1]
      const namesHead = basis === head && (head === 0 || (at?.id === basisId && at?.atMs === basisAt))
      if (!namesHead && !chance(faults.blind)) return []
      const entry = { revision: head + 1, id: String(id), writer: String(writer), body: String(body), atMs: clock() }
      log.push(entry)
      for (const listener of appended) listener(entry)
      for (const listening of connections) {
        if (!listening.isListening || chance(faults.deaf)) continue
        void travel()
          .then(() => awake(listening.owner))
          .then(() => {
            if (listening.isOpen) for (const listener of listening.listeners) listener({ payload: String(entry.revision) })
          })
      }
      return [{ revision: String(entry.revision), at_ms: String(entry.atMs) }]
    },
    'gantt-read': ([from, limit]) =>
      log
        .slice(Math.max(0, Number(from) - 1), Math.max(0, Number(from) - 1) + Number(limit))
        .map(({ revision, id, writer, body, atMs }) => ({
          revision: String(revision),
          id,
          writer,
          body,
          at_ms: String(atMs),
          is_flushed: true,
        })),
    'gantt-time': () => [{ now: String(clock()) }],
    'gantt-ping': () => [],
    'gantt-turn': (_values, connection) => {
      if (holder === undefined) {
        holder = connection
        return []
      }
      return new Promise((resolve, reject) => {
        const place = {
          connection,
          grant() {
            cancel()
            resolve([])
          },
        }
        const cancel = time.after(LOCK_TIMEOUT_MS, () => {
          waiting.splice(waiting.indexOf(place), 1)
          reject(Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' }))
        })
        waiting.push(place)
      })
    },
    'gantt-turn-end': (_values, connection) => {
      if (holder === connection) passOn()
      return []
    },
    'gantt-load-checkpoint': ([atMost]) =>
      checkpoints
        .filter(({ revision }) => revision <= Number(atMost))
        // A checkpoint exists only if all of its parts were committed.
        .filter(({ revision, parts: count }) => parts.get(revision)?.length === count)
        .sort((a, b) => b.revision - a.revision)
        .slice(0, 1),
    'gantt-checkpoint-lock': () => [{ locked: true }],
    'gantt-save-checkpoint': ([revision, id, at, , body, count]) => {
      const entry = log[Number(revision) - 1]
      if (entry?.id !== id || entry?.atMs !== at || checkpoints.some((one) => one.revision === revision)) return []
      checkpoints.push({ revision: Number(revision), body: String(body), parts: Number(count) })
      parts.set(Number(revision), [])
      return [{}]
    },
    'gantt-save-part': ([revision, , body]) => {
      parts.get(Number(revision))?.push({ body })
      return [{}]
    },
    'gantt-load-parts': ([revision, from]) => (parts.get(Number(revision)) ?? []).slice(Number(from), Number(from) + PARTS_AT_ONCE),
    // This list is needed only to drop old entries of the log. The log of a simulation is short, so no entries are dropped.
    'gantt-list-checkpoints': () => [],
  }

  const execute = async (connection: Connection, { name = '', values = [] }: pg.QueryConfig): Promise<unknown[]> => {
    const statement = statements[name]
    if (statement === undefined) throw new Error(`the store of the simulation does not know the statement ${name || 'without a name'}`)
    const assertReached = (): void => {
      if (!connection.isOpen || faults.isDown || faults.cutOff.has(connection.owner)) {
        end(connection)
        throw new StoreUnavailableError('the connection was cut')
      }
    }
    await travel()
    if (chance(faults.cut)) {
      end(connection)
      // The server can receive a statement although its connection was cut, even after the statement was sent again over a new connection.
      if (name === 'gantt-append' && chance(0.5)) void travel().then(() => faults.isDown || statement(values, connection))
    }
    assertReached()
    if (name === 'gantt-append' && chance(faults.aborted))
      throw toStoreError(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
    const rows = await Promise.resolve(statement(values, connection)).catch((error: unknown) => {
      throw toStoreError(error)
    })
    await travel()
    await awake(connection.owner)
    if (chance(faults.cut)) end(connection)
    assertReached()
    return rows
  }

  const open = (owner: number, onEnd: () => void): Connection => {
    const connection: Connection = { owner, isOpen: true, isListening: false, listeners: [], onEnd }
    connections.add(connection)
    return connection
  }

  const toResult = <Row extends pg.QueryResultRow>(rows: unknown[]): pg.QueryResult<Row> => ({
    rows: rows as Row[],
    rowCount: rows.length,
    command: '',
    oid: 0,
    fields: [],
  })

  return {
    log,
    faults,
    clock,
    jump(ms) {
      offset += ms
    },
    crash() {
      for (const connection of [...connections]) end(connection)
    },
    onAppended: (listener) => void appended.push(listener),
    disconnect(owner) {
      for (const connection of [...connections]) if (connection.owner === owner) end(connection)
    },
    driver(owner) {
      let isClosed = false
      const session = (prepare: (client: Prepared) => Promise<unknown>, onEnd: () => void = () => {}): Session => {
        let connection: Connection | undefined
        let last: Promise<unknown> = Promise.resolve()
        const run = async (query: pg.QueryConfig): Promise<unknown[]> => {
          if (isClosed) throw new StoreUnavailableError('the connection to the store is closed')
          if (connection?.isOpen !== true) {
            await travel()
            if (faults.isDown || faults.cutOff.has(owner)) throw new StoreUnavailableError('the store cannot be reached')
            const fresh = open(owner, onEnd)
            connection = fresh
            await prepare({
              query: async (text) => {
                if (text.startsWith('LISTEN')) fresh.isListening = true
              },
              on: (_event, listener) => void fresh.listeners.push(listener),
            })
          }
          return execute(connection, query)
        }
        return {
          query<Row extends pg.QueryResultRow>(query: pg.QueryConfig) {
            const result = last.then(() => run(query))
            last = result.catch(() => undefined)
            return result.then((rows) => toResult<Row>(rows))
          },
          async close() {
            if (connection !== undefined) end(connection)
          },
        }
      }
      const rest = session(async () => {})
      return {
        session,
        query: (query) => rest.query(query),
        transaction: (use) => use((query) => rest.query(query)),
        async close() {
          isClosed = true
          await rest.close()
        },
      }
    },
  }
}
