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
  description: 'A request to simulate.',
  fields: (t) => ({
    ...requestFields(t, 'The request to simulate.'),
    count: t.int({ defaultValue: 1, description: 'How many copies of the request are decided, one after another.' }),
  }),
})

const SimulateInput = builder.inputType('SimulateInput', {
  description: 'Requests to decide on the present, a past or a hypothetical fleet.',
  fields: (t) => ({
    requests: t.field({
      type: [SimulatedRequest],
      required: true,
      description:
        'The requests in the order in which they are decided. Each request is decided on the state that the earlier requests left. At most 10,000 instances in total.',
    }),
    ...hypothesisFields(t),
    seed: t.string({ description: 'The seed of random choices. The same simulation with the same seed has the same results.' }),
  }),
})

const ClassUsage = builder.objectRef<ClassUse>('ClassUsage').implement({
  description: 'The usage of one resource class on several hosts. used + free = capacity.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    capacity: t.expose('capacity', {
      type: 'SafeInt',
      description: 'The amount that can be allocated: the total without the reserved amount, with overcommit.',
    }),
    used: t.expose('used', { type: 'SafeInt', description: 'The amount that instances and claims use.' }),
    claimed: t.expose('claimed', {
      type: 'SafeInt',
      description: 'The part of the used amount that is held by claims that no report counts yet.',
    }),
    free: t.expose('free', { type: 'SafeInt', description: 'The amount that is free.' }),
  }),
})

export const FleetGroup = builder.objectRef<ZoneUse>('FleetGroup').implement({
  description: 'The hosts of one availability zone with their usage.',
  fields: (t) => ({
    key: t.exposeString('zone', { description: 'The name of the availability zone.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts are in the availability zone.' }),
    usage: t.field({ type: [ClassUsage], description: 'The usage of each resource class.', resolve: ({ usage }) => [...usage] }),
  }),
})

const SimulatedDestination = builder.objectRef<SimulatedView['decided']['answer'][number]['selected']>('SimulatedDestination').implement({
  description: 'The host that would be chosen for an instance. It may be a hypothetical host.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host that was chosen.' }),
    node: t.exposeString('node', { description: 'Name of the node that was chosen.' }),
    hasOtherNodes: t.boolean({
      description: 'True if the host has further nodes, so that the name of the host alone means all of them.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
    weight: t.exposeFloat('weight', { description: 'Total score of the host.' }),
  }),
})

const SimulatedDecision = builder.objectRef<SimulatedView>('SimulatedDecision').implement({
  description: 'A hypothetical decision. Nothing is claimed, and no record is stored.',
  fields: (t) => ({
    request: t.exposeInt('request', { description: 'The index of the request in the input.' }),
    copy: t.exposeInt('copy', { description: 'The index of the repetition of the request, from 0.' }),
    outcome: t.expose('outcome', { type: DecisionOutcome, description: 'How the decision ended: PLACED or NO_VALID_HOST.' }),
    destinations: t.field({
      type: [SimulatedDestination],
      description: 'The chosen hosts in the order of the instances; empty if no host was found for an instance.',
      resolve: ({ decided }) => decided.answer.map(({ selected }) => selected),
    }),
    ignoredFields: t.exposeStringList('ignored', {
      description:
        'The paths of request fields that have no effect, because nothing in the profile reads them, or because no recent document locates the volumes and ports that they name.',
    }),
    unlocatedFields: t.exposeStringList('unlocated', {
      description:
        'Those of `ignoredFields` that something in the profile reads, and that have no effect because no recent document of another service locates the volumes and ports that they name, for example because the collector of a host is paused.',
    }),
    found: t.int({
      description: 'How many instances found a host before the first instance that did not.',
      resolve: ({ decided }) => decided.found,
    }),
    solver: t.field({
      type: SolverOutcome,
      nullable: true,
      description:
        "The solver's result. Null if no solver was needed, because of another scheduler or because the request has a single instance.",
      resolve: ({ decided }) => decided.record.solver ?? null,
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused if no host was found for an instance, the most frequent reason first.',
      resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }),
    explanation: t.field({
      type: Explanation,
      description:
        'The whole explanation for the instance for which no host was found; if a host was found for every instance, for the last instance.',
      resolve: (decision) => decision.explain(),
    }),
  }),
})

const SolvedCount = builder.objectRef<SolvedCountShape>('SolvedCount').implement({
  description: 'How many decisions that called the solver ended in the same way.',
  fields: (t) => ({
    taken: t.expose('taken', { type: SolverTaken, description: "Whose arrangement was used: the solver's or the filter scheduler's." }),
    why: t.expose('why', {
      type: SolverFallback,
      nullable: true,
      description: "Why the filter scheduler's arrangement was used; null if the solver's was used.",
    }),
    decisions: t.exposeInt('decisions', { description: 'How many decisions have this result.' }),
  }),
})

const SimulatedPoint = builder.objectRef<CurvePoint>('SimulatedPoint').implement({
  description: 'The state of a simulation after a number of decisions.',
  fields: (t) => ({
    asked: t.exposeInt('asked', { description: 'How many instances were requested up to this point.' }),
    placed: t.exposeInt('placed', { description: 'How many of the instances requested up to this point would be placed on a host.' }),
    usage: t.field({
      type: [ClassUsage],
      description: 'The usage of the whole fleet at this point, by resource class.',
      resolve: ({ usage }) => [...usage],
    }),
  }),
})

const Simulation = builder.objectRef<SimulationShape>('Simulation').implement({
  description: 'The hypothetical results of requests. Nothing was claimed, and nothing was written.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet at the start of the simulation.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    placed: t.exposeInt('placed', { description: 'How many instances would be placed on a host.' }),
    failed: t.exposeInt('failed', { description: 'How many instances would not be placed, because no host passed.' }),
    notDecided: t.exposeInt('notDecided', { description: 'How many instances were not decided before the deadline.' }),
    complete: t.boolean({
      description: 'True if every request was decided before the deadline.',
      resolve: ({ notDecided }) => notDecided === 0,
    }),
    decisionCount: t.int({ description: 'How many decisions were made.', resolve: ({ decisions }) => decisions.length }),
    decisions: t.field({
      type: [SimulatedDecision],
      description: 'The decisions in the order in which they were made.',
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'At most this many decisions are listed, 0 to 500.' }),
        skip: t.arg.int({ defaultValue: 0, description: 'How many decisions are skipped before the listed ones.' }),
        outcome: t.arg({ type: DecisionOutcome, description: 'Only decisions with this outcome.' }),
      },
      resolve: ({ decisions }, { first, skip, outcome }) => pageOfDecisions(decisions, first ?? 50, skip ?? 0, outcome ?? undefined),
    }),
    solved: t.field({
      type: [SolvedCount],
      description:
        'For the scheduler SOLVER: how many decisions used which arrangement, most frequent first. Empty if no solver was needed.',
      resolve: ({ decisions }) => [...countSolved(decisions)],
    }),
    firstFailure: t.field({
      type: SimulatedDecision,
      nullable: true,
      description: 'The first decision that placed no instance; null if there is none.',
      resolve: ({ decisions }) => decisions.find(({ outcome }) => outcome === 'NO_VALID_HOST') ?? null,
    }),
    curve: t.field({
      type: [SimulatedPoint],
      description:
        'The progress of the simulation: points before the first decision, at equal intervals of decisions, and after the last decision. One more point is directly before the first decision that found no host.',
      args: {
        points: t.arg.int({
          defaultValue: 100,
          description: 'At most this many points, 2 to 500, in addition to the point before the first decision that found no host.',
        }),
      },
      resolve: (simulation, { points }) => [...simulation.curve(points ?? 100)],
    }),
    utilisationBefore: t.field({
      type: [FleetGroup],
      description: 'The usage of each availability zone at the start of the simulation, with the overlay applied.',
      resolve: ({ before }) => [...before],
    }),
    utilisationAfter: t.field({
      type: [FleetGroup],
      description: 'The usage of each availability zone at the end of the simulation.',
      resolve: ({ after }) => [...after],
    }),
  }),
})

builder.queryFields((t) => ({
  simulate: t.field({
    type: Simulation,
    authScopes: { scope: 'READ' },
    description:
      'The results that requests would have on the present, a past or a hypothetical fleet. Nothing is claimed, and nothing is written.',
    args: {
      input: t.arg({ type: SimulateInput, required: true, description: 'The requests to decide, and the fleet on which to decide them.' }),
    },
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
