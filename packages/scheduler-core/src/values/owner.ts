/**
 * Marks which table may write a record that copies of a fleet share. A copy shares the records of hosts, claims and groups with the fleet,
 * and both read them. A record that may belong to several fleets is never written. Each record has the token of the table that created it,
 * and only that table writes it. Any other table first replaces the record by a clone with its own token, by its `own`. When a table is
 * copied, the table and the copy both get new tokens. The shared records then belong to neither, and the first writer clones them. The
 * types enforce this: a record for reading has no visible token and no writable field. Only `own`, and code that creates a new record,
 * returns an `Own` of it.
 */
export const OWNER = Symbol('owner')

/** A token that identifies a table. It equals only itself. */
export type Owner = Readonly<Record<never, never>>

/** A record that its table may write. It must not be stored outside of the table. */
export type Own<Shared> = { -readonly [Field in keyof Shared]: Shared[Field] } & { readonly [OWNER]: Owner }

/** The record as writable, if it belongs to the owner. Otherwise undefined. */
export const ifOwn = <Shared extends object>(record: Shared, owner: Owner): Own<Shared> | undefined => {
  const own = record as Own<Shared>
  return own[OWNER] === owner ? own : undefined
}
