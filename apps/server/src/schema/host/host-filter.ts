import { hostStatuses } from '@gantt/scheduler-core'
import { hostOrderValues } from '@gantt/scheduler-core/query'
import type { HostFilter } from '../../services/host/host-filter.ts'
import { liveness } from '../../services/host/host-view.ts'
import { builder } from '../builder.ts'
import { OrderDirection } from '../types/common.ts'

export const HostStatus = builder.enumType('HostStatus', {
  description: 'The status of a host, which operators set. Only ENABLED hosts take new instances.',
  values: hostStatuses,
})

export const HostState = builder.enumType('HostState', {
  description:
    'The liveness of a host. UP: alive. SUSPECT: without a sign of life for `Liveness.suspectAfter`. DOWN: without a sign of life for `Liveness.downAfter`, so that the host takes no new instances.',
  values: liveness,
})

const StringComparator = builder.inputType('StringComparator', {
  description: 'Conditions on a text. The text must meet all given conditions.',
  fields: (t) => ({
    eq: t.string({ description: 'The text must equal this value.' }),
    neq: t.string({ description: 'The text must differ from this value.' }),
    in: t.stringList({ description: 'The text must be one of these values.' }),
    nin: t.stringList({ description: 'The text must be none of these values.' }),
    startsWith: t.string({ description: 'The text must begin with this value.' }),
    contains: t.string({ description: 'The text must contain this value, ignoring case.' }),
  }),
})

export const HostFilterInput = builder.inputRef<HostFilter>('HostFilter').implement({
  description: 'A filter for hosts. A host must meet all given conditions.',
  fields: (t) => ({
    name: t.field({ type: StringComparator, description: 'Only hosts whose name meets this condition.' }),
    availabilityZone: t.field({ type: StringComparator, description: 'Only hosts whose availability zone meets this condition.' }),
    aggregate: t.field({ type: StringComparator, description: 'Only hosts in an aggregate whose name meets this condition.' }),
    status: t.field({ type: HostStatus, description: 'Only hosts with this status.' }),
    state: t.field({ type: HostState, description: 'Only hosts with this liveness.' }),
    traits: t.stringList({ description: 'Only hosts that have all of these traits.' }),
    and: t.field({ type: [HostFilterInput], description: 'Only hosts that match all of these filters.' }),
    or: t.field({ type: [HostFilterInput], description: 'Only hosts that match at least one of these filters.' }),
    not: t.field({ type: HostFilterInput, description: 'Only hosts that do not match this filter.' }),
  }),
})

const HostOrderField = builder.enumType('HostOrderField', {
  description: 'The fields by which hosts can be sorted. Texts are compared by Unicode code units.',
  values: hostOrderValues,
})

export const HostOrder = builder.inputType('HostOrder', {
  description: 'A field by which hosts are sorted, with the direction.',
  fields: (t) => ({
    field: t.field({ type: HostOrderField, required: true, description: 'Field that hosts are sorted by.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'ASC',
      description: 'Direction of the order, ascending or descending.',
    }),
    resourceClass: t.string({
      description:
        'The resource class, such as VCPU or MEMORY_MB. Required for the fields CAPACITY, FREE and USED_PERCENT, and not allowed for other fields.',
    }),
  }),
})
