import type { Rows } from '../db/tables/rows.ts'

/**
 * Tables of a projector in memory, which are unavailable until `isAway` is set to false. They accept the rows of an entry only after those
 * of all earlier entries.
 */
export function unavailableTables() {
  const written: Rows[] = []
  const tables = {
    isAway: true,
    written,
    position: async () => ({ revision: written.length, id: written.at(-1)?.entryId ?? '' }),
    countSetAside: async () => 0,
    async write(rows: readonly Rows[]): Promise<number> {
      if (tables.isAway) throw new Error('the database does not answer')
      const next = rows.filter(({ revision }) => revision > written.length)
      if (next[0]?.revision === written.length + 1) written.push(...next)
      return written.length
    },
  }
  return tables
}
