import { type Issue, issue } from '../../services/calls/outcome.ts'
import type { Impact } from '../../services/host/hosts.ts'
import { builder } from '../builder.ts'

/** The time or revision of the fleet that a query refers to. */
export const momentArg = () =>
  builder.args((t) => ({
    at: t.field({
      type: 'Moment',
      description: 'The moment that the question refers to; now by default. As far as the log goes back (docs/what-if.md).',
    }),
  }))

/** Converts a record to a list of pairs, which GraphQL can type. */
export const toPairs = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([key, value]) => ({ key, value }))

/** The direction of an order. */
export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Direction of an order, ascending or descending.',
  values: ['ASC', 'DESC'] as const,
})

/** The pairs as a record; duplicate keys are added to the issues. Undefined if no pairs were given. */
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
    key: t.exposeString('key', { description: 'Key of the entry.' }),
    value: t.exposeString('value', { description: 'Value of the entry.' }),
  }),
})

export const KeyValueInput = builder.inputType('KeyValueInput', {
  description: 'One entry of a map of texts. A key may be given once.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the entry.' }),
    value: t.string({ required: true, description: 'Value of the entry.' }),
  }),
})

export const ResourceNameInput = builder.inputType('ResourceNameInput', {
  description: "Nova's name: a host, or the (host, node) pair for drivers with many nodes.",
  fields: (t) => ({
    host: t.string({ required: true, description: "The host's name." }),
    node: t.string({ description: "The node's name; left out if the host has one node." }),
  }),
})

export const ResourceAmount = builder.objectRef<readonly [string, number]>('ResourceAmount').implement({
  description: 'Whole units of one resource class.',
  fields: (t) => ({
    resourceClass: t.string({ description: 'The class, e.g. VCPU, MEMORY_MB, DISK_GB.', resolve: ([name]) => name }),
    amount: t.field({ type: 'SafeInt', description: 'Number of units of the class.', resolve: ([, amount]) => amount }),
  }),
})

export const ImpactPreview = builder.objectRef<Impact>('ImpactPreview').implement({
  description: 'The effect of a change, computed before it is made.',
  fields: (t) => ({
    hostsAffected: t.exposeInt('hostsAffected', { description: 'The affected hosts.' }),
    azChanges: t.exposeInt('zoneChanges', { description: 'Hosts that would change their availability zone.' }),
    claimsOnAffectedHosts: t.exposeInt('claimsOnAffectedHosts', { description: 'Live claims on the affected hosts.' }),
    warnings: t.field({
      type: ['String'],
      description: 'Warnings for the operator.',
      resolve: ({ warnings }) => [...warnings],
    }),
  }),
})
