import { type ClassUse, type CurvePoint, reasonText, type ZoneUse } from '@gantt/scheduler-core'
import {
  countSolved,
  pageOfDecisions,
  type SimulatedView,
  type Simulation as SimulationShape,
  type SolvedCount as SolvedCountShape,
} from '../../services/what-if/simulate.ts'
import { builder } from '../builder.ts'
import { DecisionOutcome } from '../decision/decision.ts'
import { SolverFallback, SolverOutcome, SolverTaken } from '../decision/solver.ts'
import { isOneOfSeveral } from '../host/other-nodes.ts'
import { Drain, drainDescription } from '../move/drain.ts'
import { ReasonCount } from '../types/reasons.ts'
import { Explanation } from '../types/refs.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'

const SimulatedRequest = builder.inputType('SimulatedRequest', {
  description: 'A hypothetical request.',
  fields: (t) => ({
    ...requestFields(t, 'The request to place.'),
    count: t.int({ defaultValue: 1, description: 'How many times it is repeated, one after another.' }),
  }),
})

const SimulateInput = builder.inputType('SimulateInput', {
  description: 'Requests to decide on the present, a past or a hypothetical fleet.',
  fields: (t) => ({
    requests: t.field({
      type: [SimulatedRequest],
      required: true,
      description: 'The requests in their order, each decided on the state that the earlier ones left; at most 10,000 instances in total.',
    }),
    ...hypothesisFields(t),
    seed: t.string({ description: 'Seed of random choices: the same question with the same seed has the same answer.' }),
  }),
})

const ClassUsage = builder.objectRef<ClassUse>('ClassUsage').implement({
  description: 'One resource class on several hosts. used + free = capacity.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    capacity: t.expose('capacity', { type: 'SafeInt', description: 'The total with overcommit, without the reserved amount.' }),
    used: t.expose('used', { type: 'SafeInt', description: 'The amount used by instances and claims.' }),
    claimed: t.expose('claimed', {
      type: 'SafeInt',
      description: 'The part of the used amount that is held by claims that no report counts yet.',
    }),
    free: t.expose('free', { type: 'SafeInt', description: 'The amount that is free.' }),
  }),
})

export const FleetGroup = builder.objectRef<ZoneUse>('FleetGroup').implement({
  description: 'Hosts that are counted together.',
  fields: (t) => ({
    key: t.exposeString('zone', { description: 'The availability zone of the hosts.' }),
    hosts: t.exposeInt('hosts', { description: 'The number of hosts.' }),
    usage: t.field({ type: [ClassUsage], description: 'The use of each resource class.', resolve: ({ usage }) => [...usage] }),
  }),
})

const SimulatedDestination = builder.objectRef<SimulatedView['decided']['answer'][number]['selected']>('SimulatedDestination').implement({
  description: 'The destination of an instance. The host may be a hypothetical one.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host that was chosen.' }),
    node: t.exposeString('node', { description: 'Name of the node that was chosen.' }),
    hasOtherNodes: t.boolean({
      description: 'Whether its host has other present nodes, so that the name of the host alone means those too.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
    weight: t.exposeFloat('weight', { description: 'Total score of the host.' }),
  }),
})

const SimulatedDecision = builder.objectRef<SimulatedView>('SimulatedDecision').implement({
  description: 'A hypothetical decision. Nothing is claimed, and no record is kept.',
  fields: (t) => ({
    request: t.exposeInt('request', { description: 'The position of its request in the input.' }),
    copy: t.exposeInt('copy', { description: 'The number of the copy of the request, from 0.' }),
    outcome: t.expose('outcome', { type: DecisionOutcome, description: 'PLACED or NO_VALID_HOST.' }),
    destinations: t.field({
      type: [SimulatedDestination],
      description: 'The destinations in the order of the instances; empty if one of them found no host.',
      resolve: ({ decided }) => decided.answer.map(({ selected }) => selected),
    }),
    ignoredFields: t.exposeStringList('ignored', {
      description: 'The paths of request fields without effect, which no part of the profile reads.',
    }),
    found: t.int({
      description: 'The number of instances that found a host before the first one without.',
      resolve: ({ decided }) => decided.found,
    }),
    solver: t.field({
      type: SolverOutcome,
      nullable: true,
      description: 'The result of the solver; null if none was needed, because of another scheduler or a single instance.',
      resolve: ({ decided }) => decided.record.solver ?? null,
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'The reasons of refused hosts if an instance found none, most frequent first.',
      resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }),
    explanation: t.field({
      type: Explanation,
      description: 'The whole explanation, for the instance that found no host, otherwise the last.',
      resolve: (decision) => decision.explain(),
    }),
  }),
})

const SolvedCount = builder.objectRef<SolvedCountShape>('SolvedCount').implement({
  description: 'Decisions with a question to the solver and the same result.',
  fields: (t) => ({
    taken: t.expose('taken', { type: SolverTaken, description: 'Whose arrangement was taken.' }),
    why: t.expose('why', { type: SolverFallback, nullable: true, description: "Why the filter scheduler's; null: it is the solver's." }),
    decisions: t.exposeInt('decisions', { description: 'The number of decisions with this result.' }),
  }),
})

const SimulatedPoint = builder.objectRef<CurvePoint>('SimulatedPoint').implement({
  description: 'The state of a simulation after some of its decisions.',
  fields: (t) => ({
    asked: t.exposeInt('asked', { description: 'The number of instances requested up to this point.' }),
    placed: t.exposeInt('placed', { description: 'The number of these instances that would have a host.' }),
    usage: t.field({
      type: [ClassUsage],
      description: 'The use of the whole fleet at this point, by class.',
      resolve: ({ usage }) => [...usage],
    }),
  }),
})

const Simulation = builder.objectRef<SimulationShape>('Simulation').implement({
  description: 'The hypothetical results of requests. Nothing was claimed, and nothing was written.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The state at its start.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    placed: t.exposeInt('placed', { description: 'The number of instances that would have a host.' }),
    failed: t.exposeInt('failed', { description: 'The number of instances that would have no host.' }),
    notDecided: t.exposeInt('notDecided', { description: 'The number of instances that were not decided before the deadline.' }),
    complete: t.boolean({
      description: 'Whether every request was decided within the deadline.',
      resolve: ({ notDecided }) => notDecided === 0,
    }),
    decisionCount: t.int({ description: 'The total number of decisions.', resolve: ({ decisions }) => decisions.length }),
    decisions: t.field({
      type: [SimulatedDecision],
      description: 'The decisions in their order.',
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'How many at most, 0 to 500.' }),
        skip: t.arg.int({ defaultValue: 0, description: 'The number of decisions to skip.' }),
        outcome: t.arg({ type: DecisionOutcome, description: 'Only decisions with this outcome.' }),
      },
      resolve: ({ decisions }, { first, skip, outcome }) => pageOfDecisions(decisions, first ?? 50, skip ?? 0, outcome ?? undefined),
    }),
    solved: t.field({
      type: [SolvedCount],
      description:
        'With the scheduler SOLVER, the number of decisions by their arrangement, most frequent first; empty if no solver was needed.',
      resolve: ({ decisions }) => [...countSolved(decisions)],
    }),
    firstFailure: t.field({
      type: SimulatedDecision,
      nullable: true,
      description: 'The first decision that placed nothing; null if there is none.',
      resolve: ({ decisions }) => decisions.find(({ outcome }) => outcome === 'NO_VALID_HOST') ?? null,
    }),
    curve: t.field({
      type: [SimulatedPoint],
      description:
        'The progress of the simulation: before the first decision, after decisions at equal distances, and after the last one, with one further point where the first request found no host.',
      args: { points: t.arg.int({ defaultValue: 100, description: 'The maximum number of points in addition to that one, 2 to 500.' }) },
      resolve: (simulation, { points }) => [...simulation.curve(points ?? 100)],
    }),
    utilisationBefore: t.field({
      type: [FleetGroup],
      description: 'The use of the availability zones at the start, with the overlay.',
      resolve: ({ before }) => [...before],
    }),
    utilisationAfter: t.field({
      type: [FleetGroup],
      description: 'The use of the availability zones at the end.',
      resolve: ({ after }) => [...after],
    }),
  }),
})

builder.queryFields((t) => ({
  simulate: t.field({
    type: Simulation,
    authScopes: { scope: 'READ' },
    description: 'The results that requests would have on the present, a past or a hypothetical fleet. Claims nothing and writes nothing.',
    args: { input: t.arg({ type: SimulateInput, required: true, description: 'The requests to decide, and the fleet to decide on.' }) },
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
