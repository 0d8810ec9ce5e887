import { hostStatuses } from '@gantt/scheduler-core'
import { hostOrderValues } from '@gantt/scheduler-core/query'
import type { HostFilter } from '../../services/host/host-filter.ts'
import { liveness } from '../../services/host/host-view.ts'
import { builder } from '../builder.ts'
import { OrderDirection } from '../types/common.ts'

export const HostStatus = builder.enumType('HostStatus', {
  description: 'Set by operators. Only ENABLED hosts take new instances.',
  values: hostStatuses,
})

export const HostState = builder.enumType('HostState', { description: 'Whether a host is alive.', values: liveness })

const StringComparator = builder.inputType('StringComparator', {
  description: 'A comparison of a text; everything given must hold.',
  fields: (t) => ({
    eq: t.string({ description: 'The text equals this.' }),
    neq: t.string({ description: 'The text differs from this.' }),
    in: t.stringList({ description: 'The text is one of these.' }),
    nin: t.stringList({ description: 'The text is none of these.' }),
    startsWith: t.string({ description: 'The text begins with this.' }),
    contains: t.string({ description: 'Contains, in upper or lower case.' }),
  }),
})

export const HostFilterInput = builder.inputRef<HostFilter>('HostFilter').implement({
  description: 'A filter of hosts; everything given must hold.',
  fields: (t) => ({
    name: t.field({ type: StringComparator, description: "The host's name." }),
    availabilityZone: t.field({ type: StringComparator, description: 'Hosts of this availability zone.' }),
    aggregate: t.field({ type: StringComparator, description: 'The name of an aggregate of the host.' }),
    status: t.field({ type: HostStatus, description: 'Hosts with this status.' }),
    state: t.field({ type: HostState, description: 'Only hosts of this liveness.' }),
    traits: t.stringList({ description: 'Traits, all of which the host has.' }),
    and: t.field({ type: [HostFilterInput], description: 'Hosts that all of these describe.' }),
    or: t.field({ type: [HostFilterInput], description: 'At least one of these.' }),
    not: t.field({ type: HostFilterInput, description: 'Hosts that this does not describe.' }),
  }),
})

const HostOrderField = builder.enumType('HostOrderField', {
  description: 'The fields by which hosts can be sorted; texts are compared code unit by code unit.',
  values: hostOrderValues,
})

export const HostOrder = builder.inputType('HostOrder', {
  description: 'An order of hosts.',
  fields: (t) => ({
    field: t.field({ type: HostOrderField, required: true, description: 'Field that hosts are sorted by.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'ASC',
      description: 'Direction of the order, ascending or descending.',
    }),
    resourceClass: t.string({ description: 'The class for CAPACITY, FREE and USED_PERCENT, and only for these: VCPU, MEMORY_MB ...' }),
  }),
})
