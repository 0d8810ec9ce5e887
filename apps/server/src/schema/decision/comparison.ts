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
  description:
    'The inputs in which two decisions can differ. SPEC: the request. FLEET: the state of the fleet. PROFILE: the profile version. RANDOM: the seed.',
  values: factors,
})

const ComparisonCause = builder.enumType('ComparisonCause', {
  description:
    'Why the second decision chose other hosts than the first: the one factor that alone turns the first decision into the second. MIXED: no factor does so alone, or several do. NONE: both decisions chose the same hosts. UNKNOWN: the log no longer contains the state of one of the decisions, so no comparison is possible.',
  values: [...factors, 'MIXED', 'NONE', 'UNKNOWN'] as const,
})

const StepDelta = builder.objectRef<Step>('StepDelta').implement({
  description:
    'How many hosts one filter passed in each of two decisions. The counts of a decision are null if its profile does not contain the filter, or if its request does not use the filter.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    aEntered: t.int({
      nullable: true,
      description: 'How many hosts reached the filter in the first decision.',
      resolve: ({ first }) => first?.entered,
    }),
    aPassed: t.int({
      nullable: true,
      description: 'How many hosts passed the filter in the first decision.',
      resolve: ({ first }) => first?.passed,
    }),
    bEntered: t.int({
      nullable: true,
      description: 'How many hosts reached the filter in the second decision.',
      resolve: ({ second }) => second?.entered,
    }),
    bPassed: t.int({
      nullable: true,
      description: 'How many hosts passed the filter in the second decision.',
      resolve: ({ second }) => second?.passed,
    }),
  }),
})

const HostFlip = builder.objectRef<Flip>('HostFlip').implement({
  description: 'A host whose result differs between the two compared decisions.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host.' }),
    node: t.exposeString('node', { description: 'Name of the node.' }),
    hasOtherNodes: t.boolean({
      description: 'True if the host has further nodes, so that the name of the host alone means all of them.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
    a: t.expose('first', { type: HostOutcome, description: 'The result for the host in the first decision.' }),
    b: t.expose('second', { type: HostOutcome, description: 'The result for the host in the second decision.' }),
    because: t.exposeString('because', { description: "Why the host's results in the two decisions differ, as a sentence with numbers." }),
  }),
})

const FleetFieldCount = builder.objectRef<NonNullable<Shape['fleetChanges']>['fields'][number]>('FleetFieldCount').implement({
  description: 'A host field that differs between the fleet states of two decisions, and on how many hosts.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the field, e.g. MEMORY_MB.free, status or aggregates.' }),
    hosts: t.exposeInt('hosts', { description: 'On how many hosts the field differs between the fleet states of the two decisions.' }),
  }),
})

const ComparisonTrial = builder.objectRef<Trial>('ComparisonTrial').implement({
  description: 'A repetition of the first decision in which one or more factors are taken from the second decision.',
  fields: (t) => ({
    factors: t.field({
      type: [ComparisonFactor],
      description: 'The factors that were taken from the second decision.',
      resolve: (trial) => [...trial.factors],
    }),
    hosts: t.stringList({
      nullable: true,
      description:
        'The hosts that the repetition chose, in the order of the instances. Null if the repetition is not possible, because a claim that the request moves no longer exists, or because a solver or a plug-in outside of the process would have to be called.',
      resolve: ({ goal }) => (goal === undefined ? null : [...goal]),
    }),
    isSecond: t.exposeBoolean('isSecond', { description: 'True if the repetition chose the same hosts as the second decision.' }),
  }),
})

const DecisionComparison = builder.objectRef<Shape>('DecisionComparison').implement({
  description: 'The differences between two decisions, and which difference explains why the second one chose other hosts.',
  fields: (t) => ({
    a: t.expose('a', { type: Decision, description: 'The first of the two decisions.' }),
    b: t.expose('b', { type: Decision, description: 'The second of the two decisions.' }),
    fidelity: t.expose('fidelity', { type: Fidelity, description: 'How reliable the comparison of the two decisions is.' }),
    approximateBecause: t.exposeString('approximateBecause', {
      nullable: true,
      description: 'Why the comparison is APPROXIMATE; null if it is exact.',
    }),
    specChanges: t.field({
      type: [FieldChange],
      description: 'The fields of the request that differ between the two decisions.',
      resolve: (found) => [...found.specChanges],
    }),
    profileChanges: t.field({
      type: [FieldChange],
      description: 'The fields of the profile that differ between the two decisions.',
      resolve: (found) => [...found.profileChanges],
    }),
    fleetChangedHosts: t.int({
      nullable: true,
      description:
        'How many hosts differ between the fleet states of the two decisions in any value that decisions read. Null if the log no longer contains one of the states.',
      resolve: ({ fleetChanges }) => fleetChanges?.hosts,
    }),
    fleetChanges: t.field({
      type: [FleetFieldCount],
      description:
        'The host fields that differ between the fleet states of the two decisions, the field that differs on the most hosts first.',
      resolve: ({ fleetChanges }) => [...(fleetChanges?.fields ?? [])],
    }),
    aInstanceIndex: t.int({
      description: 'The index of the instance in the first decision that `steps` and `flipped` are about.',
      resolve: ({ instances }) => instances[0],
    }),
    bInstanceIndex: t.int({
      description: 'The index of the instance in the second decision that `steps` and `flipped` are about.',
      resolve: ({ instances }) => instances[1],
    }),
    steps: t.field({
      type: [StepDelta],
      description: 'How many hosts reached and passed each filter in the two decisions.',
      resolve: ({ flips }) => [...flips.steps],
    }),
    flippedCount: t.int({
      description: 'How many hosts have different results in the two decisions.',
      resolve: ({ flips }) => flips.count,
    }),
    flipped: t.field({
      type: [HostFlip],
      description:
        'The hosts with different results: chosen hosts first, then hosts that passed in only one of the decisions or whose result in one of them is not known, then the others. If the log no longer contains the state of one decision, only the hosts in the records of the decisions are compared.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'At most this many hosts are listed, 1 to 500.' }) },
      resolve: ({ flips }, { first }) => firstOf(flips.hosts, first ?? 50, 'flipped'),
    }),
    cause: t.expose('cause', { type: ComparisonCause, description: 'Why the second decision chose other hosts.' }),
    trials: t.field({
      type: [ComparisonTrial],
      description: 'The repetitions of the first decision that determined the cause.',
      resolve: ({ trials }) => [...trials],
    }),
    text: t.exposeString('text', { description: 'Why the second decision chose other hosts, in one or a few sentences.' }),
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
    description:
      'Why two decisions chose different hosts. The first decision is repeated with factors of the second one, at first with one factor at a time.',
    args: {
      a: t.arg.id({ required: true, description: 'The global id of the first decision.' }),
      b: t.arg.id({ required: true, description: 'The global id of the second decision.' }),
      instanceIndex: t.arg.int({
        description: 'The index of the instance to compare in both decisions; by default the first instance with different hosts.',
      }),
    },
    resolve: (_root, { a, b, instanceIndex }, { compareDecisions }) =>
      compareDecisions(idOf('Decision', a, ['a']), idOf('Decision', b, ['b']), instanceIndex),
  }),
)
