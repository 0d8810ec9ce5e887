import { type HostFlip as Flip, factors, type StepDelta as Step, type Trial } from '@gantt/scheduler-core'
import { InputFault } from '../../services/calls/outcome.ts'
import { MAX_PAGE } from '../../services/calls/paging.ts'
import type { DecisionComparison as Shape } from '../../services/decision/compare-decisions.ts'
import { builder } from '../builder.ts'
import { Fidelity } from '../explanation/explanation.ts'
import { HostOutcome } from '../explanation/verdict.ts'
import { isOneOfSeveral } from '../host/other-nodes.ts'
import { FieldChange } from '../types/field-change.ts'
import { idOf } from '../types/ids.ts'
import { Decision } from '../types/refs.ts'

const ComparisonFactor = builder.enumType('ComparisonFactor', {
  description: 'The inputs of a decision. SPEC: the request; FLEET: the state of the fleet; RANDOM: the seed.',
  values: factors,
})

const ComparisonCause = builder.enumType('ComparisonCause', {
  description:
    'Why the second decision chose other hosts than the first: the one factor that alone turns the first decision into the second. MIXED: no factor does so alone, or several do; NONE: both chose the same hosts; UNKNOWN: the log no longer contains the state of one decision, so that nothing can be tried.',
  values: [...factors, 'MIXED', 'NONE', 'UNKNOWN'] as const,
})

const StepDelta = builder.objectRef<Step>('StepDelta').implement({
  description: 'One filter in both funnels. Null: the profile does not have it, or the request does not use it.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    aEntered: t.int({
      nullable: true,
      description: 'Hosts that reached the filter in the first decision.',
      resolve: ({ first }) => first?.entered,
    }),
    aPassed: t.int({ nullable: true, description: 'Hosts that passed it in the first decision.', resolve: ({ first }) => first?.passed }),
    bEntered: t.int({
      nullable: true,
      description: 'Hosts that reached the filter in the second decision.',
      resolve: ({ second }) => second?.entered,
    }),
    bPassed: t.int({
      nullable: true,
      description: 'Hosts that passed it in the second decision.',
      resolve: ({ second }) => second?.passed,
    }),
  }),
})

const HostFlip = builder.objectRef<Flip>('HostFlip').implement({
  description: 'A host with another result in the second decision.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host.' }),
    node: t.exposeString('node', { description: 'Name of the node.' }),
    hasOtherNodes: t.boolean({
      description: 'Whether the host has other nodes, so that its name alone means these too.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
    a: t.expose('first', { type: HostOutcome, description: 'How the host fared in the first decision.' }),
    b: t.expose('second', { type: HostOutcome, description: 'How the host fared in the second decision.' }),
    because: t.exposeString('because', { description: 'The reason, as a sentence with the numbers.' }),
  }),
})

const FleetFieldCount = builder.objectRef<NonNullable<Shape['fleetChanges']>['fields'][number]>('FleetFieldCount').implement({
  description: 'The number of hosts on which a field differs.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'E.g. MEMORY_MB.free, status, aggregates.' }),
    hosts: t.exposeInt('hosts', { description: 'Number of hosts with the value.' }),
  }),
})

const ComparisonTrial = builder.objectRef<Trial>('ComparisonTrial').implement({
  description: 'The first decision, repeated with some factors of the second.',
  fields: (t) => ({
    factors: t.field({
      type: [ComparisonFactor],
      description: 'The factors that were taken from the second decision.',
      resolve: (trial) => [...trial.factors],
    }),
    hosts: t.stringList({
      nullable: true,
      description:
        'The hosts of the instances, in order; null: the trial is not possible, because a claim that it moves no longer exists, or because a solver or a part outside of the process was not asked about it.',
      resolve: ({ goal }) => (goal === undefined ? null : [...goal]),
    }),
    isSecond: t.exposeBoolean('isSecond', { description: 'Whether the instances go to the same hosts as in the second decision.' }),
  }),
})

const DecisionComparison = builder.objectRef<Shape>('DecisionComparison').implement({
  description: 'The differences of two decisions, and which of them explains the other hosts.',
  fields: (t) => ({
    a: t.expose('a', { type: Decision, description: 'The first of the two decisions.' }),
    b: t.expose('b', { type: Decision, description: 'The second of the two decisions.' }),
    fidelity: t.expose('fidelity', { type: Fidelity, description: 'How reliable the comparison is.' }),
    approximateBecause: t.exposeString('approximateBecause', { nullable: true, description: 'Why it is APPROXIMATE; null if it is not.' }),
    specChanges: t.field({
      type: [FieldChange],
      description: 'Fields of the request that differ.',
      resolve: (found) => [...found.specChanges],
    }),
    profileChanges: t.field({
      type: [FieldChange],
      description: 'Fields of the profile that differ.',
      resolve: (found) => [...found.profileChanges],
    }),
    fleetChangedHosts: t.int({
      nullable: true,
      description: 'Hosts that differ in any value that decisions read; null: the log no longer contains one of the states.',
      resolve: ({ fleetChanges }) => fleetChanges?.hosts,
    }),
    fleetChanges: t.field({
      type: [FleetFieldCount],
      description: 'The differing fields, most hosts first.',
      resolve: ({ fleetChanges }) => [...(fleetChanges?.fields ?? [])],
    }),
    aInstanceIndex: t.int({
      description: 'The instance of the first decision that the steps and hosts are about.',
      resolve: ({ instances }) => instances[0],
    }),
    bInstanceIndex: t.int({ description: 'The instance of the second decision.', resolve: ({ instances }) => instances[1] }),
    steps: t.field({ type: [StepDelta], description: 'Both funnels, filter by filter.', resolve: ({ flips }) => [...flips.steps] }),
    flippedCount: t.int({ description: 'The hosts with different results.', resolve: ({ flips }) => flips.count }),
    flipped: t.field({
      type: [HostFlip],
      description:
        'Chosen hosts first, then hosts that passed in only one decision. If the log no longer contains one of the states: the hosts in the records.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'The maximum number, 1 to 500.' }) },
      resolve: ({ flips }, { first }) => firstOf(flips.hosts, first ?? 50, 'flipped'),
    }),
    cause: t.expose('cause', { type: ComparisonCause, description: 'Why the second decision chose other hosts.' }),
    trials: t.field({
      type: [ComparisonTrial],
      description: 'The trials that show the cause.',
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
    description: 'Why two decisions chose different hosts, found by repeating the first with one factor of the second at a time.',
    args: {
      a: t.arg.id({ required: true, description: 'The global id of a decision.' }),
      b: t.arg.id({ required: true, description: 'The global id of the other decision.' }),
      instanceIndex: t.arg.int({ description: 'The instance to compare in both; by default the first one with different hosts.' }),
    },
    resolve: (_root, { a, b, instanceIndex }, { compareDecisions }) =>
      compareDecisions(idOf('Decision', a, ['a']), idOf('Decision', b, ['b']), instanceIndex),
  }),
)
