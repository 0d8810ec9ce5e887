import type { Database } from '../table-writer.ts'

/** A row that the database refused because of its content. */
export interface SetAside {
  readonly revision: number
  readonly kind: string
  readonly id: string
  readonly reason: string
}

/** SQLSTATE classes of permanent errors: data that is invalid for its type, violated constraints, and data beyond a limit of PostgreSQL. */
const REFUSALS = /^(22|23|54)...$/

/** The database's message if it refused the content of a statement; undefined for every other failure. */
export function refusalOf(error: unknown): string | undefined {
  const found = findState(error)
  if (found === undefined || !REFUSALS.test(found)) return undefined
  const message = error instanceof Error ? error.message : String(error)
  return `${found}: ${clean(message).split('\n').at(-1)?.slice(0, 300)}`
}

/** Writes rows. If the database refuses a row, all other rows are written, and the refused row is recorded with the database's message. */
export async function writeOrSetAside<Row extends { readonly id: string; readonly revision: number }>(
  tx: Database,
  kind: string,
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
): Promise<SetAside[]> {
  if (rows.length === 0) return []
  await tx.$executeRaw`SAVEPOINT rows`
  try {
    await write(rows)
    await tx.$executeRaw`RELEASE SAVEPOINT rows`
    return []
  } catch (error) {
    const reason = refusalOf(error)
    if (reason === undefined) throw error
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT rows`
    const [first] = rows
    if (first === undefined || rows.length > 1) {
      const half = Math.ceil(rows.length / 2)
      const before = await writeOrSetAside(tx, kind, rows.slice(0, half), write)
      return [...before, ...(await writeOrSetAside(tx, kind, rows.slice(half), write))]
    }
    const aside = { revision: first.revision, kind, id: clean(first.id), reason }
    await tx.$executeRaw`
      INSERT INTO projection_set_aside (revision, kind, id, reason) VALUES (${aside.revision}, ${kind}, ${aside.id}, ${reason}) ON CONFLICT DO NOTHING`
    return [aside]
  }
}

/** Replaces NUL characters, which PostgreSQL's text type cannot contain. */
export const clean = (text: string): string => text.replaceAll('\u0000', '\ufffd')

/** Finds the SQLSTATE, which `pg`, Prisma and its adapter store at different depths of the error. */
function findState(error: unknown, depth = 0): string | undefined {
  if (error === null || typeof error !== 'object' || depth > 5) return undefined
  for (const key of ['originalCode', 'code'])
    if (key in error) {
      const code: unknown = Reflect.get(error, key)
      if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('P')) return code
    }
  for (const key of ['cause', 'meta', 'driverAdapterError']) {
    const found = key in error ? findState(Reflect.get(error, key), depth + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
