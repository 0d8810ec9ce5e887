import { type HostFlip as Flip, factors, type StepDelta as Step, type Trial } from '@gantt/scheduler-core'
import type { DecisionComparison as Shape } from '../services/compare-decisions.ts'
import { InputFault } from '../services/outcome.ts'
import { MAX_PAGE } from '../services/paging.ts'
import { builder } from './builder.ts'
import { Fidelity } from './explanation.ts'
import { FieldChange } from './field-change.ts'
import { idOf } from './ids.ts'
import { isOneOfSeveral } from './other-nodes.ts'
import { Decision } from './refs.ts'
import { HostOutcome } from './verdict.ts'

const ComparisonFactor = builder.enumType('ComparisonFactor', {
  description: 'What a decision depends on. SPEC: the request; FLEET: the state that it met; RANDOM: the seed.',
  values: factors,
})

const ComparisonCause = builder.enumType('ComparisonCause', {
  description:
    'Why the second decision went elsewhere than the first: the one factor that alone turns the first into the second. MIXED: none does alone, or each of several does; NONE: both went to the same hosts; UNKNOWN: the log does not hold the state of one any more, so nothing can be tried.',
  values: [...factors, 'MIXED', 'NONE', 'UNKNOWN'] as const,
})

const StepDelta = builder.objectRef<Step>('StepDelta').implement({
  description: 'One filter in both funnels. Null: the profile has it not, or the request asked nothing of it.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'The filter.' }),
    aEntered: t.int({ nullable: true, description: 'Hosts that came to it in the first.', resolve: ({ first }) => first?.entered }),
    aPassed: t.int({ nullable: true, description: 'Hosts left in the first.', resolve: ({ first }) => first?.passed }),
    bEntered: t.int({ nullable: true, description: 'Hosts that came to it in the second.', resolve: ({ second }) => second?.entered }),
    bPassed: t.int({ nullable: true, description: 'Hosts left in the second.', resolve: ({ second }) => second?.passed }),
  }),
})

const HostFlip = builder.objectRef<Flip>('HostFlip').implement({
  description: 'A host that fared otherwise in the second decision.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Its name.' }),
    node: t.exposeString('node', { description: 'Its node.' }),
    hasOtherNodes: t.boolean({
      description: 'Whether its host has other nodes that are there now: the name of the host alone means those too.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
    a: t.expose('first', { type: HostOutcome, description: 'In the first.' }),
    b: t.expose('second', { type: HostOutcome, description: 'In the second.' }),
    because: t.exposeString('because', { description: 'Why, as a sentence with the numbers.' }),
  }),
})

const FleetFieldCount = builder.objectRef<NonNullable<Shape['fleetChanges']>['fields'][number]>('FleetFieldCount').implement({
  description: 'On how many hosts a field differs.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'E.g. MEMORY_MB.free, status, aggregates.' }),
    hosts: t.exposeInt('hosts', { description: 'Hosts.' }),
  }),
})

const ComparisonTrial = builder.objectRef<Trial>('ComparisonTrial').implement({
  description: 'The first decision made again with some factors of the second.',
  fields: (t) => ({
    factors: t.field({ type: [ComparisonFactor], description: 'Those of the second.', resolve: (trial) => [...trial.factors] }),
    hosts: t.stringList({
      nullable: true,
      description:
        'Where the instances go, in order; null: it cannot be made, because a claim that it moves is not there, or because a solver or a part outside of the process was not asked about it.',
      resolve: ({ goal }) => (goal === undefined ? null : [...goal]),
    }),
    isSecond: t.exposeBoolean('isSecond', { description: 'Whether they go where those of the second went.' }),
  }),
})

const DecisionComparison = builder.objectRef<Shape>('DecisionComparison').implement({
  description: 'Two decisions: in what they differ, and what of it made the second go elsewhere.',
  fields: (t) => ({
    a: t.expose('a', { type: Decision, description: 'The first.' }),
    b: t.expose('b', { type: Decision, description: 'The second.' }),
    fidelity: t.expose('fidelity', { type: Fidelity, description: 'How far it can be trusted.' }),
    approximateBecause: t.exposeString('approximateBecause', { nullable: true, description: 'Why it is APPROXIMATE; null: it is not.' }),
    specChanges: t.field({ type: [FieldChange], description: 'Of the request.', resolve: (found) => [...found.specChanges] }),
    profileChanges: t.field({ type: [FieldChange], description: 'Of the profile.', resolve: (found) => [...found.profileChanges] }),
    fleetChangedHosts: t.int({
      nullable: true,
      description: 'Hosts that differ in anything that decisions read; null: the log does not hold one of the states any more.',
      resolve: ({ fleetChanges }) => fleetChanges?.hosts,
    }),
    fleetChanges: t.field({
      type: [FleetFieldCount],
      description: 'In what they differ, most hosts first.',
      resolve: ({ fleetChanges }) => [...(fleetChanges?.fields ?? [])],
    }),
    aInstanceIndex: t.int({
      description: 'Which instance of the first the steps and hosts are about.',
      resolve: ({ instances }) => instances[0],
    }),
    bInstanceIndex: t.int({ description: 'Which instance of the second.', resolve: ({ instances }) => instances[1] }),
    steps: t.field({ type: [StepDelta], description: 'Both funnels, filter by filter.', resolve: ({ flips }) => [...flips.steps] }),
    flippedCount: t.int({ description: 'Hosts that fared otherwise.', resolve: ({ flips }) => flips.count }),
    flipped: t.field({
      type: [HostFlip],
      description:
        'Those that were taken first, then those that passed in one only. Where the log does not hold one of the states any more, those that the records name.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'How many, 1 to 500.' }) },
      resolve: ({ flips }, { first }) => firstOf(flips.hosts, first ?? 50, 'flipped'),
    }),
    cause: t.expose('cause', { type: ComparisonCause, description: 'Why the second went elsewhere.' }),
    trials: t.field({
      type: [ComparisonTrial],
      description: 'What shows the cause.',
      resolve: ({ trials }) => [...trials],
    }),
    text: t.exposeString('text', { description: 'The cause as a sentence or two.' }),
  }),
})

function firstOf<Item>(items: readonly Item[], first: number, field: string): Item[] {
  if (first < 1 || first > MAX_PAGE) throw InputFault.at([field, 'first'], first, `1 to ${MAX_PAGE}`)
  return items.slice(0, first)
}

builder.queryField('compareDecisions', (t) =>
  t.field({
    type: DecisionComparison,
    authScopes: { scope: 'READ' },
    description: 'Why two decisions went to other hosts, found by making the first again with one factor of the second at a time.',
    args: {
      a: t.arg.id({ required: true, description: 'The global id of a decision.' }),
      b: t.arg.id({ required: true, description: 'The global id of another.' }),
      instanceIndex: t.arg.int({ description: 'Which instance of both; if not given the first that went elsewhere.' }),
    },
    resolve: (_root, { a, b, instanceIndex }, { compareDecisions }) =>
      compareDecisions(idOf('Decision', a, ['a']), idOf('Decision', b, ['b']), instanceIndex),
  }),
)
