import { type Issue, issue, MAX_ISSUES } from '../../services/calls/outcome.ts'
import type { Impact } from '../../services/host/hosts.ts'
import { builder } from '../builder.ts'

/** The time or revision of the fleet that a query refers to. */
export const momentArg = () =>
  builder.args((t) => ({
    at: t.field({
      type: 'Moment',
      description: 'The revision or time that the query is about; by default now. The log must contain this moment (docs/what-if.md).',
    }),
  }))

/** Converts a record to a list of pairs, which GraphQL can type. */
export const toPairs = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([key, value]) => ({ key, value }))

/** The direction of an order. */
export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Direction of an order, ascending or descending.',
  values: ['ASC', 'DESC'] as const,
})

/** Converts pairs to a record. Duplicate keys are added to the issues. Undefined if `pairs` is absent. */
export function toRecord<Value>(
  pairs: readonly { readonly key: string; readonly value: Value }[] | null | undefined,
  path: readonly string[],
  issues: Issue[],
): Record<string, Value> | undefined {
  if (!pairs) return undefined
  const entries = new Map<string, Value>()
  for (const [i, { key, value }] of pairs.entries()) {
    if (entries.has(key) && issues.length < MAX_ISSUES)
      issues.push(issue([...path, String(i), 'key'], key, 'be given once', 'call.repeated'))
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
  description: 'One entry of a map of texts. Each key may occur once.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the entry.' }),
    value: t.string({ required: true, description: 'Value of the entry.' }),
  }),
})

export const ResourceNameInput = builder.inputType('ResourceNameInput', {
  description: 'The name of a host, or of one node of a host whose driver manages several nodes, as in Nova.',
  fields: (t) => ({
    host: t.string({ required: true, description: "The host's name." }),
    node: t.string({ description: 'The name of the node. It can be left out if the host has one node.' }),
  }),
})

export const ResourceAmount = builder.objectRef<readonly [string, number]>('ResourceAmount').implement({
  description: 'An amount of one resource class, in whole units.',
  fields: (t) => ({
    resourceClass: t.string({ description: 'The resource class, e.g. VCPU, MEMORY_MB or DISK_GB.', resolve: ([name]) => name }),
    amount: t.field({ type: 'SafeInt', description: 'The amount, in units of the resource class.', resolve: ([, amount]) => amount }),
  }),
})

export const ImpactPreview = builder.objectRef<Impact>('ImpactPreview').implement({
  description: 'The effect of a change, computed before it is made.',
  fields: (t) => ({
    hostsAffected: t.exposeInt('hostsAffected', { description: 'How many hosts are affected.' }),
    azChanges: t.exposeInt('zoneChanges', { description: 'How many hosts would change their availability zone.' }),
    claimsOnAffectedHosts: t.exposeInt('claimsOnAffectedHosts', { description: 'How many live claims are on the affected hosts.' }),
    warnings: t.field({
      type: ['String'],
      description: 'Warnings for the operator.',
      resolve: ({ warnings }) => [...warnings],
    }),
  }),
})
