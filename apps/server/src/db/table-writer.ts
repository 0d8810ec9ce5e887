import pg from 'pg'
import { Prisma } from '../generated/prisma/client.ts'
import type { DatabaseWatch } from './database-watch.ts'
import { askedAnyway } from './database-watch.ts'
import { TIMEOUTS } from './session.ts'

/** Runs statements, each a template with the values of its parameters. Prisma's client and its transactions have these methods too. */
export interface Database {
  /** Returns how many rows the statement wrote. */
  $executeRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<number>
  $queryRaw<Rows>(text: TemplateStringsArray, ...values: unknown[]): Promise<Rows>
}

/**
 * Writes tables in transactions of the driver `pg`. The tables are read through Prisma, which would make each statement of a write cost the
 * service several times as much.
 */
export interface TableWriter {
  /**
   * Runs `use` in one transaction, and commits it. If `use` fails, nothing is written, and its error is thrown. Throws UnavailableError
   * while the database is known to be unavailable. Each statement has the time limits of db/session.ts.
   */
  transaction<Result>(use: (database: Database) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Projections, records and the audit are each written by one transaction at a time. */
const MAX_CONNECTIONS = 4

export function createTableWriter(connection: pg.ClientConfig, watch: DatabaseWatch = askedAnyway): TableWriter {
  const pool = new pg.Pool({ ...TIMEOUTS, ...connection, max: MAX_CONNECTIONS, idleTimeoutMillis: 10_000 })
  pool.on('error', () => undefined) // the pool opens another connection when it needs one
  return {
    async transaction(use) {
      watch.assertThere()
      const client = await pool.connect()
      // the connection can end between two statements; the next statement then fails
      const ignore = (): void => undefined
      client.on('error', ignore)
      let isUsable = false
      try {
        await client.query('BEGIN')
        const result = await use(statementsOn(client))
        await client.query('COMMIT')
        isUsable = true
        return result
      } catch (error) {
        // the error of the failed statement is thrown; a connection that cannot even roll back is closed
        isUsable = await client.query('ROLLBACK').then(
          () => true,
          () => false,
        )
        throw error
      } finally {
        client.removeListener('error', ignore)
        client.release(!isUsable)
      }
    },
    close: () => pool.end(),
  }
}

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

function statementsOn(client: pg.PoolClient): Database {
  const run = <Row extends pg.QueryResultRow>(parts: TemplateStringsArray, values: readonly unknown[]): Promise<pg.QueryResult<Row>> => {
    // parts of a statement can be values too, with parameters of their own
    const { text, values: all } = Prisma.sql(parts, ...values)
    return client.query<Row>({ name: nameOf(text), text, values: all })
  }
  return {
    $executeRaw: async (parts, ...values) => (await run(parts, values)).rowCount ?? 0,
    $queryRaw: async <Rows>(parts: TemplateStringsArray, ...values: unknown[]) => (await run(parts, values)).rows as Rows,
  }
}
