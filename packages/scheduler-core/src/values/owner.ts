/**
 * Who may write the records that copies of a fleet share. A copy takes over the records of hosts, claims and groups of the fleet, and both
 * read them from then on. So a record that may belong to several fleets is never written: each record bears the token of the table that
 * made it, and only that table writes it. Any other table first replaces the record by a clone with its own token, by its `own`. When a
 * table is copied it takes a new token, and so does the copy: the shared records belong to neither, and the first writer clones them. The
 * types enforce it: a record for reading has no visible token and no writable field; only `own`, and code that creates a new record,
 * returns an `Own` of it.
 */
export const OWNER = Symbol('owner')

/** A token that is equal only to itself. */
export type Owner = Readonly<Record<never, never>>

/** A record that its table may write, and that must not be handed out to be kept. */
export type Own<Shared> = { -readonly [Field in keyof Shared]: Shared[Field] } & { readonly [OWNER]: Owner }

/** The record for writing, if it belongs to the owner. */
export const ifOwn = <Shared extends object>(record: Shared, owner: Owner): Own<Shared> | undefined => {
  const own = record as Own<Shared>
  return own[OWNER] === owner ? own : undefined
}
