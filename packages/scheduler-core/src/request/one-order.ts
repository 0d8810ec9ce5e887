import { byCodeUnit, canonicalJson } from '../values/canonical-json.ts'
import { memoByObject } from '../values/memo.ts'
import type { RequestSpec } from './request-spec.ts'

/**
 * The names of the lists in requests and in Nova's documents whose order has no meaning. All other lists must keep their order, because
 * their order matters or because the request refers to entries by index: guest cells, PCI requests, gangs, instances, and all hints that
 * are not in this set.
 */
const SETS: ReadonlySet<string> = new Set([
  ...['forceHosts', 'forceNodes', 'ignoreHosts', 'hosts', 'apartFrom', 'aggregates', 'forbiddenAggregates', 'memberOf'],
  ...['requestedResources', 'amounts', 'requiredTraits', 'forbiddenTraits', 'models', 'specs', 'topologySpread', 'volumes', 'ports'],
  ...['same_host', 'different_host', 'near_volume', 'near_port'],
  ...['force_hosts', 'force_nodes', 'ignore_hosts', 'group_hosts', 'members', 'group_members', 'forbidden_aggregates', 'spec'],
])

/**
 * Sorts the keys and the unordered lists of a request, and removes repeated names from these lists. Refusals are explained from this form.
 * Two requests with the same meaning therefore get the same explanation.
 */
export const inOneOrder: (request: RequestSpec) => RequestSpec = memoByObject((request) => ordered(request, '') as RequestSpec)

function ordered(value: unknown, field: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => ordered(item, ''))
    return SETS.has(field) ? asSet(items) : items
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b))
  return Object.fromEntries(entries.map(([key, member]) => [key, ordered(member, key)]))
}

/**
 * Sorts a list and removes repeated names. Entries that are not names can be repeated on purpose, such as two amounts of one resource
 * class.
 */
function asSet(items: readonly unknown[]): readonly unknown[] {
  if (items.every((item) => typeof item === 'string')) return [...new Set(items)].sort(byCodeUnit)
  return [...items].sort((a, b) => byCodeUnit(canonicalJson(a), canonicalJson(b)))
}
