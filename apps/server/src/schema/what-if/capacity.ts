import type { Bottleneck, CapacityGroup as Group } from '@gantt/scheduler-core'
import { type CapacityAnswer as Answer, capacityGroupings, firstGroups } from '../../services/what-if/capacity.ts'
import { builder } from '../builder.ts'
import { Drain, drainDescription } from '../move/drain.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'

const CapacityGroupBy = builder.enumType('CapacityGroupBy', {
  description: 'How hosts are grouped for the count. A host in several aggregates is counted in each of them.',
  values: capacityGroupings,
})

const CapacityInput = builder.inputType('CapacityInput', {
  description: 'Which instances to count, and the present, past or hypothetical fleet to count them on.',
  fields: (t) => ({
    ...requestFields(t, 'The request whose instances are counted.'),
    groupBy: t.field({ type: CapacityGroupBy, defaultValue: 'AVAILABILITY_ZONE', description: 'How hosts are grouped for the count.' }),
    ...hypothesisFields(t),
    limit: t.int({ defaultValue: 1_000_000, description: 'Counting stops at this many instances, 1 to 100,000,000.' }),
  }),
})

const BottleneckShare = builder.objectRef<Bottleneck>('BottleneckShare').implement({
  description:
    'A reason why hosts cannot take another instance. For a host that took instances in this count, it is the reason why the next instance does not fit; for other hosts, the reason why no instance fits.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'The name of the filter that refuses the hosts.' }),
    code: t.exposeString('code', { description: 'The code of the reason, from the catalogue of reasons.' }),
    resource: t.exposeString('resource', { description: 'The resource class or other value that is exhausted.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts are refused for this reason.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', {
      description: 'How many of these hosts took at least one instance before they were full.',
    }),
    admitted: t.exposeBoolean('admitted', {
      description:
        'False if the request does not admit these hosts, for example because of their availability zone or a missing trait. More free resources on them would not help.',
    }),
  }),
})

const CapacityGroup = builder.objectRef<Group>('CapacityGroup').implement({
  description: 'A group of hosts with the number of instances that fit on them.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'The value that the hosts of the group share: an availability zone, an aggregate or a host name.',
    }),
    fits: t.expose('fits', { type: 'SafeInt', description: 'How many instances fit on the hosts of the group.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts are in the group.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'How many hosts of the group can take at least one instance.' }),
    fitsIfPooled: t.expose('fitsIfPooled', {
      type: 'SafeInt',
      nullable: true,
      description:
        'How many instances would fit if the free resources of the group were on one host. Only hosts that take an instance, or that lack only resources, are included. Never less than `fits`. Null if the request has no amounts.',
    }),
    bottleneck: t.expose('bottleneck', {
      type: BottleneckShare,
      nullable: true,
      description:
        'The most frequent reason why hosts of the group that took instances cannot take more. If no host took an instance, the most frequent reason on hosts that the request admits. Null if the count ended before it reached the group.',
    }),
  }),
})

export const CapacityCut = builder.enumType('CapacityCut', {
  description: 'Why a computation ended early: because of its deadline or its limit.',
  values: { DEADLINE: { value: 'deadline' }, LIMIT: { value: 'limit' } } as const,
})

const CapacityMethod = builder.enumType('CapacityMethod', {
  description:
    'How instances were counted. PER_HOST: hosts do not affect each other, so each host was filled alone. ONE_BY_ONE: instances were placed one after another; if hosts share a pool of disks, one host after another was filled.',
  values: ['PER_HOST', 'ONE_BY_ONE'] as const,
})

const CapacityAnswer = builder.objectRef<Answer>('CapacityAnswer').implement({
  description:
    'How many more instances fit if they are placed one after another until no host can take another instance. Nothing was claimed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet on which instances were counted.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    fits: t.expose('fits', { type: 'SafeInt', description: 'How many instances fit. If the count is not exact, at least this many fit.' }),
    exact: t.exposeBoolean('exact', { description: 'True if the count is complete.' }),
    cut: t.expose('cut', { type: CapacityCut, nullable: true, description: 'Why the count is not exact; null if it is exact.' }),
    method: t.expose('method', { type: CapacityMethod, description: 'How the instances were counted.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'How many hosts can take at least one instance.' }),
    groups: t.field({
      type: [CapacityGroup],
      description: 'The groups of hosts, the group in which the most instances fit first.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'At most this many groups are listed, 0 to 500.' }) },
      resolve: (answer, { first }) => [...firstGroups(answer, first ?? 50)],
    }),
    bottleneck: t.field({
      type: [BottleneckShare],
      description:
        'Why hosts cannot take more instances. Reasons on hosts that the request admits come first, then the most frequent reasons.',
      resolve: ({ bottlenecks }) => [...bottlenecks],
    }),
  }),
})

builder.queryFields((t) => ({
  capacity: t.field({
    type: CapacityAnswer,
    authScopes: { scope: 'READ' },
    description: 'How many more instances of a request fit, by group of hosts, and why no more instances fit.',
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
