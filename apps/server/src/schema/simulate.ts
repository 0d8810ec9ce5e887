import { type ClassUse, type CurvePoint, reasonText, type ZoneUse } from '@gantt/scheduler-core'
import {
  countSolved,
  pageOfDecisions,
  type SimulatedView,
  type Simulation as SimulationShape,
  type SolvedCount as SolvedCountShape,
} from '../services/simulate.ts'
import { builder } from './builder.ts'
import { DecisionOutcome, SolverFallback, SolverOutcome, SolverTaken } from './decision.ts'
import { Drain, drainDescription } from './drain.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'
import { isOneOfSeveral } from './other-nodes.ts'
import { ReasonCount } from './reasons.ts'
import { Explanation } from './refs.ts'

const SimulatedRequest = builder.inputType('SimulatedRequest', {
  description: 'A request that nobody asked.',
  fields: (t) => ({
    ...requestFields(t, 'What is to be placed.'),
    count: t.int({ defaultValue: 1, description: 'How often it is asked, one after another.' }),
  }),
})

const SimulateInput = builder.inputType('SimulateInput', {
  description: 'Requests to decide on a fleet as it is, was or is not.',
  fields: (t) => ({
    requests: t.field({
      type: [SimulatedRequest],
      required: true,
      description: 'In this order, each on what those before it left; at most 10,000 instances in all.',
    }),
    ...hypothesisFields(t),
    seed: t.string({ description: 'Seed of random choices: the same question with the same seed has the same answer.' }),
  }),
})

const ClassUsage = builder.objectRef<ClassUse>('ClassUsage').implement({
  description: 'One resource class on several hosts. used + free = capacity.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The class.' }),
    capacity: t.expose('capacity', { type: 'SafeInt', description: 'With overcommit, less what is reserved.' }),
    used: t.expose('used', { type: 'SafeInt', description: 'By instances and claims.' }),
    claimed: t.expose('claimed', { type: 'SafeInt', description: 'Of it by claims that no report counts yet.' }),
    free: t.expose('free', { type: 'SafeInt', description: 'Left.' }),
  }),
})

export const FleetGroup = builder.objectRef<ZoneUse>('FleetGroup').implement({
  description: 'Hosts together.',
  fields: (t) => ({
    key: t.exposeString('zone', { description: 'What they share: their availability zone.' }),
    hosts: t.exposeInt('hosts', { description: 'How many they are.' }),
    usage: t.field({ type: [ClassUsage], description: 'Class by class.', resolve: ({ usage }) => [...usage] }),
  }),
})

const SimulatedDestination = builder.objectRef<SimulatedView['decided']['answer'][number]['selected']>('SimulatedDestination').implement({
  description: 'Where an instance would go. The host may be one that is not there.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'The host.' }),
    node: t.exposeString('node', { description: 'The node.' }),
    hasOtherNodes: t.boolean({
      description: 'Whether its host has other nodes that are there now: the name of the host alone means those too.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
    weight: t.exposeFloat('weight', { description: 'Its total score.' }),
  }),
})

const SimulatedDecision = builder.objectRef<SimulatedView>('SimulatedDecision').implement({
  description: 'What would be decided. Nothing is claimed, and there is no record of it.',
  fields: (t) => ({
    request: t.exposeInt('request', { description: 'Position of its request in the input.' }),
    copy: t.exposeInt('copy', { description: 'Which of the copies of that request, from 0.' }),
    outcome: t.expose('outcome', { type: DecisionOutcome, description: 'PLACED or NO_VALID_HOST.' }),
    destinations: t.field({
      type: [SimulatedDestination],
      description: 'In the order of the instances; empty where one of them found no host.',
      resolve: ({ decided }) => decided.answer.map(({ selected }) => selected),
    }),
    ignoredFields: t.exposeStringList('ignored', {
      description: 'Paths of what is asked without effect, since nothing in the profile reads it.',
    }),
    found: t.int({ description: 'Instances that found a host before one did not.', resolve: ({ decided }) => decided.found }),
    solver: t.field({
      type: SolverOutcome,
      nullable: true,
      description: 'How the solver fared; null where none was to be asked: another scheduler, or one instance.',
      resolve: ({ decided }) => decided.record.solver ?? null,
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, where an instance found none; most first.',
      resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }),
    explanation: t.field({
      type: Explanation,
      description: 'Everything about it: for the instance that found no host, else the last.',
      resolve: (decision) => decision.explain(),
    }),
  }),
})

const SolvedCount = builder.objectRef<SolvedCountShape>('SolvedCount').implement({
  description: 'Decisions that a solver was to be asked about and that ended alike.',
  fields: (t) => ({
    taken: t.expose('taken', { type: SolverTaken, description: 'Whose arrangement was taken.' }),
    why: t.expose('why', { type: SolverFallback, nullable: true, description: "Why the filter scheduler's; null: it is the solver's." }),
    decisions: t.exposeInt('decisions', { description: 'How many.' }),
  }),
})

const SimulatedPoint = builder.objectRef<CurvePoint>('SimulatedPoint').implement({
  description: 'Where a simulation stood after some of its decisions.',
  fields: (t) => ({
    asked: t.exposeInt('asked', { description: 'Instances that were asked for by then.' }),
    placed: t.exposeInt('placed', { description: 'Of these, the ones that would have a host.' }),
    usage: t.field({
      type: [ClassUsage],
      description: 'How full the whole fleet is then, class by class.',
      resolve: ({ usage }) => [...usage],
    }),
  }),
})

const Simulation = builder.objectRef<SimulationShape>('Simulation').implement({
  description: 'What would become of requests. Nothing was claimed, and nothing was written.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The state that it began from.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    placed: t.exposeInt('placed', { description: 'Instances that would have a host.' }),
    failed: t.exposeInt('failed', { description: 'Instances that would have none.' }),
    notDecided: t.exposeInt('notDecided', { description: 'Instances that there was no time for.' }),
    complete: t.boolean({
      description: 'True when every request was decided within the deadline.',
      resolve: ({ notDecided }) => notDecided === 0,
    }),
    decisionCount: t.int({ description: 'Decisions in all.', resolve: ({ decisions }) => decisions.length }),
    decisions: t.field({
      type: [SimulatedDecision],
      description: 'In the order in which they were made.',
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'How many at most, 0 to 500.' }),
        skip: t.arg.int({ defaultValue: 0, description: 'How many to pass over.' }),
        outcome: t.arg({ type: DecisionOutcome, description: 'Only those that ended like this.' }),
      },
      resolve: ({ decisions }, { first, skip, outcome }) => pageOfDecisions(decisions, first ?? 50, skip ?? 0, outcome ?? undefined),
    }),
    solved: t.field({
      type: [SolvedCount],
      description: 'By the scheduler SOLVER, whose arrangements were taken, most first; empty where no solver was to be asked.',
      resolve: ({ decisions }) => [...countSolved(decisions)],
    }),
    firstFailure: t.field({
      type: SimulatedDecision,
      nullable: true,
      description: 'The first that placed nothing; null when all did.',
      resolve: ({ decisions }) => decisions.find(({ outcome }) => outcome === 'NO_VALID_HOST') ?? null,
    }),
    curve: t.field({
      type: [SimulatedPoint],
      description:
        'How it went: before the first decision, after decisions that are evenly apart, and after the last; with one point more where the first request found no host.',
      args: { points: t.arg.int({ defaultValue: 100, description: 'How many at most beside that one, 2 to 500.' }) },
      resolve: (simulation, { points }) => [...simulation.curve(points ?? 100)],
    }),
    utilisationBefore: t.field({
      type: [FleetGroup],
      description: 'How full the availability zones are at the beginning, with the overlay.',
      resolve: ({ before }) => [...before],
    }),
    utilisationAfter: t.field({ type: [FleetGroup], description: 'How full they would be then.', resolve: ({ after }) => [...after] }),
  }),
})

builder.queryFields((t) => ({
  simulate: t.field({
    type: Simulation,
    authScopes: { scope: 'READ' },
    description: 'What would become of requests, on the fleet as it is, was or is not. Claims nothing, writes nothing.',
    args: { input: t.arg({ type: SimulateInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input }, { simulations }) =>
      simulations.simulate({
        ...toHypothesis(input),
        requests: input.requests.map(({ count, ...request }, i) => ({
          request: toAskedRequest(request, ['input', 'requests', String(i)]),
          count: count ?? 1,
        })),
        seed: input.seed ?? null,
      }),
  }),
}))
