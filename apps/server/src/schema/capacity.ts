import type { Bottleneck, CapacityGroup as Group } from '@gantt/scheduler-core'
import { type CapacityAnswer as Answer, capacityGroupings, firstGroups } from '../services/capacity.ts'
import { builder } from './builder.ts'
import { Drain, drainDescription } from './drain.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'

const CapacityGroupBy = builder.enumType('CapacityGroupBy', {
  description: 'What hosts are counted together by. In several aggregates a host is counted in each.',
  values: capacityGroupings,
})

const CapacityInput = builder.inputType('CapacityInput', {
  description: 'What is to be counted, on a fleet as it is, was or is not.',
  fields: (t) => ({
    ...requestFields(t, 'One instance of it is what is counted.'),
    groupBy: t.field({ type: CapacityGroupBy, defaultValue: 'AVAILABILITY_ZONE', description: 'What hosts are counted together by.' }),
    ...hypothesisFields(t),
    limit: t.int({ defaultValue: 1_000_000, description: 'Where counting ends, 1 to 100,000,000.' }),
  }),
})

const BottleneckShare = builder.objectRef<Bottleneck>('BottleneckShare').implement({
  description: 'What refuses the next instance on hosts that are full, or every instance on those that take none.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Who refuses.' }),
    code: t.exposeString('code', { description: 'From the catalogue of reasons.' }),
    resource: t.exposeString('resource', { description: 'What is short or wrong: a resource class, or whatever the filter looks at.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'Of these, hosts that took at least one.' }),
    admitted: t.exposeBoolean('admitted', {
      description:
        'False: the request is not about these hosts, they are of another zone, say, or lack a trait that it asks for. More room there would not help.',
    }),
  }),
})

const CapacityGroup = builder.objectRef<Group>('CapacityGroup').implement({
  description: 'Hosts counted together.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What they share.' }),
    fits: t.expose('fits', { type: 'SafeInt', description: 'How many more fit there.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts they are.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'Of these, hosts that take at least one.' }),
    fitsIfPooled: t.expose('fitsIfPooled', {
      type: 'SafeInt',
      nullable: true,
      description:
        'How many more would fit if the free room of its hosts were on one: of those that take one, or lack nothing but room. At least fits. Null where no amount is asked.',
    }),
    bottleneck: t.expose('bottleneck', {
      type: BottleneckShare,
      nullable: true,
      description:
        'What most of those with room end at; where none has room, most of those that the request admits. Null where counting did not get there.',
    }),
  }),
})

export const CapacityCut = builder.enumType('CapacityCut', {
  description: 'Why not everything was looked at.',
  values: { DEADLINE: { value: 'deadline' }, LIMIT: { value: 'limit' } } as const,
})

const CapacityMethod = builder.enumType('CapacityMethod', {
  description:
    'PER_HOST: hosts do not depend on each other, so each was filled alone; ONE_BY_ONE: placed one after another, or, where hosts share a pool, host after host.',
  values: ['PER_HOST', 'ONE_BY_ONE'] as const,
})

const CapacityAnswer = builder.objectRef<Answer>('CapacityAnswer').implement({
  description: 'How many more fit, one after another, until no host takes one more. Nothing was claimed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The state that it is about.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    fits: t.expose('fits', { type: 'SafeInt', description: 'So many instances; at least so many where it is not exact.' }),
    exact: t.exposeBoolean('exact', { description: 'Whether all was counted.' }),
    cut: t.expose('cut', { type: CapacityCut, nullable: true, description: 'Why it is not exact; null where it is.' }),
    method: t.expose('method', { type: CapacityMethod, description: 'How it was counted.' }),
    hostsWithRoom: t.exposeInt('hostsWithRoom', { description: 'Hosts that take at least one.' }),
    groups: t.field({
      type: [CapacityGroup],
      description: 'Most first.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'How many at most, 0 to 500.' }) },
      resolve: (answer, { first }) => [...firstGroups(answer, first ?? 50)],
    }),
    bottleneck: t.field({
      type: [BottleneckShare],
      description: 'What hosts end at: those that the request admits before the others, then most hosts first.',
      resolve: ({ bottlenecks }) => [...bottlenecks],
    }),
  }),
})

builder.queryFields((t) => ({
  capacity: t.field({
    type: CapacityAnswer,
    authScopes: { scope: 'READ' },
    description: 'How many more of a request fit, where, and what is in the way of more.',
    args: { input: t.arg({ type: CapacityInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input }, { capacities }) =>
      capacities.count({
        ...toHypothesis(input),
        request: toAskedRequest(input, ['input']),
        groupBy: input.groupBy ?? 'AVAILABILITY_ZONE',
        limit: input.limit ?? 1_000_000,
      }),
  }),
}))
