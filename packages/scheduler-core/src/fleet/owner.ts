/**
 * Who may write what copies of a fleet share.
 *
 * A copy takes over the very records of hosts, claims and groups that the fleet has, and both read them from then on. So
 * nobody writes a record that may be another's: each bears the token of the table that made it, and only that table writes
 * it. Any other puts a clone with its own token in the record's place first, by its `own`. When a table is copied it takes
 * a new token, as the copy has one: what both read is neither's, and the first of them to write it clones it.
 *
 * Types hold it: a record as it is read has no token that can be seen, and no field that can be set; only `own`, and what
 * makes a new record, give an `Own` of it.
 */
export const OWNER = Symbol('owner')

/** Equal to itself only. */
export type Owner = Readonly<Record<never, never>>

/** A record that its table may write, and must not hand out to be kept by others as such. */
export type Own<Shared> = { -readonly [Field in keyof Shared]: Shared[Field] } & { readonly [OWNER]: Owner }

/** The record to be written, if it is the owner's. */
export const ifOwn = <Shared extends object>(record: Shared, owner: Owner): Own<Shared> | undefined => {
  const own = record as Own<Shared>
  return own[OWNER] === owner ? own : undefined
}
