import { clean, refusalOf } from '../refusal.ts'
import type { Database } from '../table-writer.ts'

/** A row that the database refused because of its content. */
export interface SetAside {
  readonly revision: number
  readonly kind: string
  readonly id: string
  readonly reason: string
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
