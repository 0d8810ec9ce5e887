import { hostStatuses } from '@gantt/scheduler-core'
import { type HostOrderField as Field, ofEachTold } from '@gantt/scheduler-core/query'
import type { HostFilter } from '../services/host-filter.ts'
import { liveness } from '../services/host-view.ts'
import { builder } from './builder.ts'
import { OrderDirection } from './common.ts'

export const HostStatus = builder.enumType('HostStatus', {
  description: 'Set by operators. Only ENABLED hosts take new instances.',
  values: hostStatuses,
})

export const HostState = builder.enumType('HostState', { description: 'Whether a host is alive.', values: liveness })

const StringComparator = builder.inputType('StringComparator', {
  description: 'How a text is compared; everything given must hold.',
  fields: (t) => ({
    eq: t.string({ description: 'Equal.' }),
    neq: t.string({ description: 'Not equal.' }),
    in: t.stringList({ description: 'One of these.' }),
    nin: t.stringList({ description: 'None of these.' }),
    startsWith: t.string({ description: 'Begins with.' }),
    contains: t.string({ description: 'Has this part, upper or lower case.' }),
  }),
})

export const HostFilterInput = builder.inputRef<HostFilter>('HostFilter').implement({
  description: 'Which hosts; everything given must hold.',
  fields: (t) => ({
    name: t.field({ type: StringComparator, description: "The host's name." }),
    availabilityZone: t.field({ type: StringComparator, description: 'Its zone.' }),
    aggregate: t.field({ type: StringComparator, description: 'The name of an aggregate that it is in.' }),
    status: t.field({ type: HostStatus, description: 'Its status.' }),
    state: t.field({ type: HostState, description: 'Whether it is alive.' }),
    traits: t.stringList({ description: 'Traits that it has, all of them.' }),
    and: t.field({ type: [HostFilterInput], description: 'All of these.' }),
    or: t.field({ type: [HostFilterInput], description: 'At least one of these.' }),
    not: t.field({ type: HostFilterInput, description: 'Not this.' }),
  }),
})

const HostOrderField = builder.enumType('HostOrderField', {
  description: 'What hosts can be ordered by; texts code unit by code unit.',
  values: {
    NAME: { description: "The host's name, then the node's." },
    AVAILABILITY_ZONE: { description: 'Its zone.' },
    STATE: { description: 'Whether it is alive, by the word.' },
    STATUS: { description: 'As operators set it, by the word.' },
    CAPACITY: { description: 'What it may give of `resourceClass` in all, overcommit included; 0 where it reports none.' },
    FREE: { description: 'What it can still give of `resourceClass`; 0 where it reports none.' },
    USED_PERCENT: { description: 'Used and claimed of `resourceClass`, as a share of the capacity; 0 without capacity.' },
    GPU_COUNT: { description: 'How many GPUs it has.' },
    GPU_FREE: { description: 'Thousandths of GPUs that are free.' },
    CLAIM_COUNT: { description: 'Live claims.' },
    INSTANCE_COUNT: { description: 'Instances: as reported, and claims that the report does not count yet.' },
    LAST_REPORT: { description: 'When it last reported a change; never comes before all others.' },
    ...ofEachTold('column', ({ description }) => ({ description: `The ${description}; not told comes before all others.` })),
  } satisfies Record<Field, { readonly description: string }>,
})

export const HostOrder = builder.inputType('HostOrder', {
  description: 'An order of hosts.',
  fields: (t) => ({
    field: t.field({ type: HostOrderField, required: true, description: 'By what.' }),
    direction: t.field({ type: OrderDirection, required: true, defaultValue: 'ASC', description: 'Up or down.' }),
    resourceClass: t.string({ description: 'Of what, with CAPACITY, FREE and USED_PERCENT, and only with them: VCPU, MEMORY_MB ...' }),
  }),
})
