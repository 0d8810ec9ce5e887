/**
 * Each record of a host, claim or group has the token of the table that may write it. Copies of a fleet share records, and a shared record
 * is never written: when a table is copied, the table and its copy get new tokens, and the shared records then belong to neither table.
 * Before a table writes a record that has a different token, it replaces the record by a clone with its own token. The method `own` of the
 * table does this. The types enforce the rule: a record has no writable field, and only `own` and code that creates a new record return a
 * writable `Own`.
 */
export const OWNER = Symbol('owner')

/** The token of a table: an object that is equal only to itself. */
export type Owner = Readonly<Record<never, never>>

/** A record that its table may write. Code outside of the table must not store it. */
export type Own<Shared> = { -readonly [Field in keyof Shared]: Shared[Field] } & { readonly [OWNER]: Owner }

/** Returns the record as writable if it has the token `owner`. Otherwise returns undefined. */
export const ifOwn = <Shared extends object>(record: Shared, owner: Owner): Own<Shared> | undefined => {
  const own = record as Own<Shared>
  return own[OWNER] === owner ? own : undefined
}
