import type { Fleet } from '../fleet/fleet.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { claimView, groupView, headView, hostView, keyView, type View } from './views.ts'

/** A member with different values in two fleets at the same revision. */
export interface Difference {
  readonly subject: 'fleet' | 'host' | 'claim' | 'key' | 'group' | 'aggregate' | 'profile'
  readonly name: string
  /** The member of the object. Empty text if only one fleet has the object. */
  readonly field: string
  /** JSON, shortened; null if the member is absent. */
  readonly before: string | null
  readonly after: string | null
}

const MAX_TEXT = 200

/**
 * Compares two fleets at the same revision, one object per step. Between two steps, an entry can be applied if it is applied to both
 * fleets.
 */
export function* compareFleets(before: Fleet, after: Fleet): Generator<readonly Difference[], void> {
  yield differences('fleet', '', headView(before), headView(after))
  const count = Math.max(before.hosts.count, after.hosts.count)
  for (let i = 0; i < count; i++) {
    const [old, next] = [before.hosts.records[i], after.hosts.records[i]]
    const name = old ?? next
    yield differences('host', name === undefined ? '' : hostKey(name), old && hostView(before, old), next && hostView(after, next))
  }
  for (const id of namesOf(before.ledger.claims, after.ledger.claims)) {
    const [old, next] = [before.ledger.claims.get(id), after.ledger.claims.get(id)]
    yield differences('claim', id, old && claimView(before, old), next && claimView(after, next))
  }
  // A key that both fleets have is compared in the first of these two loops. The second loop skips the key.
  for (const { account, key } of before.ledger.keys()) yield keyDifferences(before, after, account, key)
  for (const { account, key } of after.ledger.keys())
    if (before.ledger.findKey(account, key)?.key !== key) yield keyDifferences(before, after, account, key)
  for (const uuid of namesOf(before.groups.byUuid, after.groups.byUuid))
    yield differences('group', uuid, groupView(before, uuid), groupView(after, uuid))
  for (const uuid of namesOf(before.aggregates.byUuid, after.aggregates.byUuid))
    yield differences('aggregate', uuid, viewOf(before.aggregates.byUuid.get(uuid)), viewOf(after.aggregates.byUuid.get(uuid)))
  const [old, next] = [before, after].map(({ profiles }) => profiles.written())
  for (let i = 0; i < Math.max(old?.length ?? 0, next?.length ?? 0); i++) {
    const { name = '', number = 0 } = old?.[i] ?? next?.[i] ?? {}
    yield differences('profile', `${name}@${number}`, viewOf(old?.[i]), viewOf(next?.[i]))
  }
}

/** Compares a fleet after one entry with a copy that was made before the entry. Only the objects that the entry wrote are compared. */
export function* compareWritten(before: Fleet, after: Fleet): Generator<readonly Difference[], void> {
  for (const next of after.hosts.records) {
    const old = before.hosts.records[next.index]
    // Both fleets share the records that have not changed since the copy.
    if (old !== next) yield differences('host', nameOf(old, next), old && hostView(before, old), hostView(after, next))
  }
  // Aggregates are replaced by new objects, never changed. Therefore, different objects show that an aggregate was edited.
  for (const uuid of namesOf(before.aggregates.byUuid, after.aggregates.byUuid)) {
    const [old, next] = [before.aggregates.byUuid.get(uuid), after.aggregates.byUuid.get(uuid)]
    if (old !== next) yield differences('aggregate', uuid, viewOf(old), viewOf(next))
  }
  const compareClaim = claimComparer(before, after)
  for (const { id } of after.ledger.changed) yield compareClaim(id)
}

/** A host that has left the fleet is reported by its former name, because another host can have the name now. */
const nameOf = (old: HostRecord | undefined, next: HostRecord): string =>
  next.gone === null ? hostKey(next) : `${hostKey(old ?? next)} (gone)`

/** Compares these hosts, and these claims with their keys and groups. `before` is a copy of the fleet `after` that was made earlier. */
export function compareNamed(before: Fleet, after: Fleet, hosts: Iterable<HostIndex>, claims: Iterable<string>): Difference[] {
  const found: Difference[] = []
  for (const index of hosts) {
    const [old, next] = [before.hosts.records[index], after.hosts.get(index)]
    found.push(...differences('host', hostKey(next), old && hostView(before, old), hostView(after, next)))
  }
  const compareClaim = claimComparer(before, after)
  for (const id of claims) found.push(...compareClaim(id))
  return found
}

/** Returns a function that compares a claim with its key and group. A key or group that was compared with an earlier claim is skipped. */
function claimComparer(before: Fleet, after: Fleet): (id: string) => Difference[] {
  const compared = new Set<string>()
  const isNew = (...name: readonly string[]): boolean => {
    const size = compared.size
    return compared.add(JSON.stringify(name)).size > size
  }
  return (id) => {
    const [old, next] = [before.ledger.claims.get(id), after.ledger.claims.get(id)]
    const found = differences('claim', id, old && claimView(before, old), next && claimView(after, next))
    const groups = new Set([old?.group ?? null, next?.group ?? null])
    const claim = next ?? old
    if (claim !== undefined && isNew('key', claim.account, claim.key))
      found.push(...keyDifferences(before, after, claim.account, claim.key))
    for (const group of groups)
      if (group !== null && isNew('group', group))
        found.push(...differences('group', group, groupView(before, group), groupView(after, group)))
    return found
  }
}

const keyDifferences = (before: Fleet, after: Fleet, account: string, key: string): Difference[] =>
  differences('key', `${account} ${key}`, keyView(before, account, key), keyView(after, account, key))

interface Names {
  keys(): Iterable<string>
  has(name: string): boolean
}

/** Yields once each name that is in at least one of the maps. Entries can be added or removed between two steps. */
function* namesOf(before: Names, after: Names): Generator<string> {
  yield* before.keys()
  for (const key of after.keys()) if (!before.has(key)) yield key
}

const viewOf = (value: object | undefined): View | undefined => (value === undefined ? undefined : { ...value })

function differences(
  subject: Difference['subject'],
  name: string,
  before: View | null | undefined,
  after: View | null | undefined,
): Difference[] {
  if (!before && !after) return []
  if (!before || !after) return [{ subject, name, field: '', before: shown(before ?? undefined), after: shown(after ?? undefined) }]
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...fields].flatMap((field) => fieldDifferences(subject, name, field, before[field], after[field]))
}

/** Compares two values. Nested objects are compared member by member, down to the columns of resource classes. */
function fieldDifferences(subject: Difference['subject'], name: string, field: string, before: unknown, after: unknown): Difference[] {
  if (before === after || canonicalJson(before) === canonicalJson(after)) return []
  if (!isRecord(before) || !isRecord(after)) return [{ subject, name, field, before: shown(before), after: shown(after) }]
  const members = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...members].flatMap((member) => fieldDifferences(subject, name, `${field}.${member}`, before[member], after[member]))
}

const isRecord = (value: unknown): value is View => value !== null && typeof value === 'object' && !Array.isArray(value)

function shown(value: unknown): string | null {
  if (value === undefined) return null
  const text = canonicalJson(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 3)}...` : text
}
