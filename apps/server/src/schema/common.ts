import type { Impact } from '../services/hosts.ts'
import { type Issue, issue } from '../services/outcome.ts'
import { builder } from './builder.ts'

/** When a question about the fleet is about. */
export const momentArg = () =>
  builder.args((t) => ({
    at: t.field({ type: 'Moment', description: 'As it was then; now if not given. What the log still reaches (docs/what-if.md).' }),
  }))

/** A record as the list of pairs that GraphQL can type. */
export const toPairs = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([key, value]) => ({ key, value }))

/** An order's direction. */
export const OrderDirection = builder.enumType('OrderDirection', { description: 'Up or down.', values: ['ASC', 'DESC'] as const })

/** The pairs as a record; a key that is given twice is added to the issues. Nothing where nothing was given. */
export function toRecord<Value>(
  pairs: readonly { readonly key: string; readonly value: Value }[] | null | undefined,
  path: readonly string[],
  issues: Issue[],
): Record<string, Value> | undefined {
  if (!pairs) return undefined
  const entries = new Map<string, Value>()
  for (const [i, { key, value }] of pairs.entries()) {
    if (entries.has(key)) issues.push(issue([...path, String(i), 'key'], key, 'be given once', 'call.repeated'))
    entries.set(key, value)
  }
  return Object.fromEntries(entries)
}

export const KeyValue = builder.objectRef<{ readonly key: string; readonly value: string }>('KeyValue').implement({
  description: 'One entry of a map of texts.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key.' }),
    value: t.exposeString('value', { description: 'The value.' }),
  }),
})

export const KeyValueInput = builder.inputType('KeyValueInput', {
  description: 'One entry of a map of texts. A key may be given once.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key.' }),
    value: t.string({ required: true, description: 'The value.' }),
  }),
})

export const ResourceNameInput = builder.inputType('ResourceNameInput', {
  description: "Nova's name: a host, or the (host, node) pair for drivers with many nodes.",
  fields: (t) => ({
    host: t.string({ required: true, description: "The host's name." }),
    node: t.string({ description: "The node's name; left out where a host has one node." }),
  }),
})

export const ResourceAmount = builder.objectRef<readonly [string, number]>('ResourceAmount').implement({
  description: 'Whole units of one resource class.',
  fields: (t) => ({
    resourceClass: t.string({ description: 'The class, e.g. VCPU, MEMORY_MB, DISK_GB.', resolve: ([name]) => name }),
    amount: t.field({ type: 'SafeInt', description: 'How many units.', resolve: ([, amount]) => amount }),
  }),
})

export const ImpactPreview = builder.objectRef<Impact>('ImpactPreview').implement({
  description: 'What a change touches, worked out before it is made.',
  fields: (t) => ({
    hostsAffected: t.exposeInt('hostsAffected', { description: 'Hosts that it touches.' }),
    azChanges: t.exposeInt('zoneChanges', { description: 'Hosts that would change their availability zone.' }),
    claimsOnAffectedHosts: t.exposeInt('claimsOnAffectedHosts', { description: 'Live claims on those hosts.' }),
    warnings: t.field({
      type: ['String'],
      description: 'What an operator should think about first.',
      resolve: ({ warnings }) => [...warnings],
    }),
  }),
})

/** GraphQL gives null for what was not given; core wants it left out. Documents of JSON scalars are left as they are. */
export function withoutNulls(value: unknown, verbatim: ReadonlySet<string> = new Set()): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, verbatim))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [key, verbatim.has(key) ? member : withoutNulls(member, verbatim)]),
  )
}
