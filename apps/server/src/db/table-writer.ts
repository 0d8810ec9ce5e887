import pg from 'pg'
import { Prisma } from '../generated/prisma/client.ts'
import type { DatabaseWatch } from './database-watch.ts'
import { askedAnyway } from './database-watch.ts'
import { refusalOf } from './refusal.ts'
import { TIMEOUTS } from './session.ts'

/** Runs statements, each a template with the values of its parameters. Prisma's client and its transactions have these methods too. */
export interface Database {
  /** Returns how many rows the statement wrote. */
  $executeRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<number>
  $queryRaw<Rows>(text: TemplateStringsArray, ...values: unknown[]): Promise<Rows>
}

/**
 * Writes tables in transactions of the driver `pg`. The tables are read through Prisma, which would make each statement of a write cost the
 * service several times as much (docs/adr/0051).
 */
export interface TableWriter {
  /**
   * Runs `use` in one transaction, and commits it. If `use` fails, nothing is written, and its error is thrown. If the transaction has not
   * ended after `limitMs` milliseconds, it fails. Throws UnavailableError while the database is known to be unavailable. Each statement has
   * the time limits of db/session.ts.
   */
  transaction<Result>(use: (database: Database) => Promise<Result>, limitMs: number): Promise<Result>
  close(): Promise<void>
}

/** One for the projections, one for the audit, four for refusals and advice (replica/answer/store-unlogged.ts), and two to spare. */
const MAX_CONNECTIONS = 8

export function createTableWriter(connection: pg.ClientConfig, watch: DatabaseWatch = askedAnyway): TableWriter {
  const pool = new pg.Pool({ ...TIMEOUTS, ...connection, max: MAX_CONNECTIONS, idleTimeoutMillis: 10_000 })
  pool.on('error', () => undefined) // the pool opens another connection when it needs one
  return {
    async transaction(use, limitMs) {
      watch.assertThere()
      const client = await pool.connect()
      // the connection can end between two statements; the next statement then fails
      const ignore = (): void => undefined
      client.on('error', ignore)
      const statements = statementsOn(client)
      let isUsable = false
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          statements.break()
          reject(new Error(`timeout expired: the transaction did not end within ${limitMs} ms`))
        }, limitMs)
      })
      const whole = async () => {
        await statements.run('BEGIN')
        const result = await use(statements)
        await statements.run('COMMIT')
        return result
      }
      try {
        const result = await Promise.race([whole(), late])
        isUsable = true
        return result
      } catch (error) {
        // a connection with any other failed statement is closed, so that nothing of it lasts: it may not answer, or may have an old plan
        isUsable = statements.isUsable && (await rolledBack(client))
        throw error
      } finally {
        clearTimeout(timer)
        client.removeListener('error', ignore)
        client.release(!isUsable)
      }
    },
    close: () => pool.end(),
  }
}

const rolledBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query('ROLLBACK').then(
    () => true,
    () => false,
  )

/** The names of prepared statements by their texts. There are as many as statements in db/tables. */
const names = new Map<string, string>()

/** The server parses and plans a named statement once on each connection. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `gantt-write-${names.size + 1}`
    names.set(text, name)
  }
  return name
}

interface Statements extends Database {
  /** False if the connection must not be used again. */
  readonly isUsable: boolean
  /** Makes the connection unusable. */
  break(): void
  /** Runs a statement without parameters. */
  run(text: string): Promise<void>
}

function statementsOn(client: pg.PoolClient): Statements {
  let isUsable = true
  const query = async (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      return await client.query(config)
    } catch (error) {
      if (refusalOf(error) === undefined) isUsable = false
      throw error
    }
  }
  const named = (parts: TemplateStringsArray, given: readonly unknown[]): Promise<pg.QueryResult> => {
    // parts of a statement can be values too, with parameters of their own
    const { text, values } = Prisma.sql(parts, ...given)
    return query({ name: nameOf(text), text, values })
  }
  return {
    get isUsable() {
      return isUsable
    },
    break() {
      isUsable = false
    },
    run: async (text) => void (await query({ text })),
    $executeRaw: async (parts, ...values) => (await named(parts, values)).rowCount ?? 0,
    $queryRaw: async <Rows>(parts: TemplateStringsArray, ...values: unknown[]) => (await named(parts, values)).rows as Rows,
  }
}
