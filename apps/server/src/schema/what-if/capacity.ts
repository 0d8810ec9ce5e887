import type { Bottleneck, CapacityGroup as Group } from '@gantt/scheduler-core'
import { type CapacityAnswer as Answer, capacityGroupings, firstGroups } from '../../services/what-if/capacity.ts'
import { builder } from '../builder.ts'
import { Drain, drainDescription } from '../move/drain.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'

const CapacityGroupBy = builder.enumType('CapacityGroupBy', {
  description: 'How hosts are grouped for the count. A host in several aggregates is counted in each.',
  values: capacityGroupings,
})

const CapacityInput = builder.inputType('CapacityInput', {
  description: 'What to count, on the present, a past or a hypothetical fleet.',
  fields: (t) => ({
    ...requestFields(t, 'The request; instances of it are counted.'),
    groupBy: t.field({ type: CapacityGroupBy, defaultValue: 'AVAILABILITY_ZONE', description: 'How hosts are grouped for the count.' }),
    ...hypothesisFields(t),
    limit: t.int({ defaultValue: 1_000_000, description: 'The number at which counting stops, 1 to 100,000,000.' }),
  }),
})

const BottleneckShare = builder.objectRef<Bottleneck>('BottleneckShare').implement({
  description: 'What refuses the next instance on full hosts, or every instance on hosts that take none.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter that refuses.' }),
    code: t.exposeString('code', { description: 'A code of the catalogue of reasons.' }),
    resource: t.exposeString('resource', { description: 'The resource class or other value that limits the count.' }),
    hosts: t.exposeInt('hosts', { description: 'Number of hosts that are refused so.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'The number of these hosts that took at least one instance.' }),
    admitted: t.exposeBoolean('admitted', {
      description:
        'False: the request does not admit these hosts, for example because of their zone or a missing trait. More free resources there would not help.',
    }),
  }),
})

const CapacityGroup = builder.objectRef<Group>('CapacityGroup').implement({
  description: 'Hosts that are counted together.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key that the hosts of the group share.' }),
    fits: t.expose('fits', { type: 'SafeInt', description: 'The number of instances that fit there.' }),
    hosts: t.exposeInt('hosts', { description: 'The number of hosts.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'The number of these hosts that take at least one instance.' }),
    fitsIfPooled: t.expose('fitsIfPooled', {
      type: 'SafeInt',
      nullable: true,
      description:
        'How many instances would fit if the free resources of its hosts were on one host: of hosts that take an instance, or lack only resources. Never less than fits. Null if the request has no amounts.',
    }),
    bottleneck: t.expose('bottleneck', {
      type: BottleneckShare,
      nullable: true,
      description:
        'The most frequent limit of hosts that take instances; if none does, of the hosts that the request admits. Null if the count did not get there.',
    }),
  }),
})

export const CapacityCut = builder.enumType('CapacityCut', {
  description: 'Why not everything was counted.',
  values: { DEADLINE: { value: 'deadline' }, LIMIT: { value: 'limit' } } as const,
})

const CapacityMethod = builder.enumType('CapacityMethod', {
  description:
    'PER_HOST: hosts do not depend on each other, so each was filled alone; ONE_BY_ONE: instances were placed one after another, or, if hosts share a pool, host after host.',
  values: ['PER_HOST', 'ONE_BY_ONE'] as const,
})

const CapacityAnswer = builder.objectRef<Answer>('CapacityAnswer').implement({
  description: 'How many more instances fit, placed one after another until no host takes another one. Nothing was claimed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    fits: t.expose('fits', { type: 'SafeInt', description: 'The number of instances; a lower bound if it is not exact.' }),
    exact: t.exposeBoolean('exact', { description: 'Whether the count is complete.' }),
    cut: t.expose('cut', { type: CapacityCut, nullable: true, description: 'Why it is not exact; null if it is.' }),
    method: t.expose('method', { type: CapacityMethod, description: 'The method of the count.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'The number of hosts that take at least one instance.' }),
    groups: t.field({
      type: [CapacityGroup],
      description: 'Groups of hosts, those with most room first.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'How many at most, 0 to 500.' }) },
      resolve: (answer, { first }) => [...firstGroups(answer, first ?? 50)],
    }),
    bottleneck: t.field({
      type: [BottleneckShare],
      description: 'The limits of the hosts: hosts that the request admits first, then the most frequent limits first.',
      resolve: ({ bottlenecks }) => [...bottlenecks],
    }),
  }),
})

builder.queryFields((t) => ({
  capacity: t.field({
    type: CapacityAnswer,
    authScopes: { scope: 'READ' },
    description: 'How many more instances of a request fit, where, and what limits the number.',
    args: { input: t.arg({ type: CapacityInput, required: true, description: 'The request to count, and the fleet to count on.' }) },
    resolve: (_root, { input }, { capacities }) =>
      capacities.count({
        ...toHypothesis(input),
        request: toAskedRequest(input, ['input']),
        groupBy: input.groupBy ?? 'AVAILABILITY_ZONE',
        limit: input.limit ?? 1_000_000,
      }),
  }),
}))
