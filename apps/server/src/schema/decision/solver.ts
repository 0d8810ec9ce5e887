import { type BatchOfMoves, fallbackReasons, type SolverRecord, solutionStatuses } from '@gantt/scheduler-core'
import { solverSentence } from '../../services/explanation/solver-text.ts'
import { builder } from '../builder.ts'

const described = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, description]) => [name, { description }]))

const SolverStatus = builder.enumType('SolverStatus', {
  description: 'How a search for the best arrangement ended.',
  values: described(solutionStatuses),
})

export const SolverTaken = builder.enumType('SolverTaken', {
  description: 'Whose arrangement of the instances was used: that of the solver or that of the filter scheduler.',
  values: {
    SOLVER: { description: 'The arrangement of the solver was used.' },
    FILTER: { description: 'The arrangement of the filter scheduler was used.' },
  } as const,
})

export const SolverFallback = builder.enumType('SolverFallback', {
  description: "Why the filter scheduler's arrangement was used instead of the solver's.",
  values: described(fallbackReasons),
})

const SolverBatch = builder.objectRef<BatchOfMoves>('SolverBatch').implement({
  description: 'Moves that the solver arranged together.',
  fields: (t) => ({
    moveCount: t.exposeInt('moves', { description: 'How many instances the arrangement moves.' }),
    placedCount: t.exposeInt('placed', { description: 'For how many of the moves the arrangement has a destination.' }),
    filterPlacedCount: t.exposeInt('filterPlaced', {
      nullable: true,
      description: 'How many of the moves the filter scheduler placed, one after another; null if not known.',
    }),
  }),
})

export const SolverOutcome = builder.objectRef<SolverRecord>('SolverOutcome').implement({
  description: 'How the scheduler SOLVER reached a decision.',
  fields: (t) => ({
    status: t.field({ type: SolverStatus, description: "How the solver's search ended.", resolve: ({ solution }) => solution.status }),
    taken: t.expose('taken', { type: SolverTaken, description: "Whose arrangement was used: the solver's or the filter scheduler's." }),
    why: t.expose('why', {
      type: SolverFallback,
      nullable: true,
      description: "Why the filter scheduler's arrangement was used; null if the solver's was used.",
    }),
    text: t.string({ description: "The solver's result as a sentence.", resolve: solverSentence }),
    batch: t.field({
      type: SolverBatch,
      nullable: true,
      description:
        'For an evacuation: the moves that were arranged together. Objective, bound, gap and size then describe all of them. Null for a single request.',
      resolve: ({ solution }) => solution.batch ?? null,
    }),
    objective: t.exposeFloat('objective', {
      nullable: true,
      description: "The objective of the solver's arrangement; null if the solver has no valid arrangement.",
    }),
    filterObjective: t.exposeFloat('filterObjective', {
      nullable: true,
      description: "The objective of the filter scheduler's arrangement; null if it does not place all instances.",
    }),
    bound: t.float({
      nullable: true,
      description: 'The proved upper bound: no arrangement has a higher objective.',
      resolve: ({ solution }) => solution.bound,
    }),
    gap: t.float({
      nullable: true,
      description: '(bound - objective) / |objective| when the solver ended.',
      resolve: ({ solution }) => solution.gap,
    }),
    nodes: t.int({ description: 'How many branches the solver examined.', resolve: ({ solution }) => solution.nodes }),
    columns: t.int({
      nullable: true,
      description: 'How many columns the integer program has.',
      resolve: ({ solution }) => solution.size?.columns ?? null,
    }),
    rows: t.int({
      nullable: true,
      description: 'How many rows the integer program has.',
      resolve: ({ solution }) => solution.size?.rows ?? null,
    }),
    candidates: t.int({
      nullable: true,
      description: 'How many hosts were considered.',
      resolve: ({ solution }) => solution.size?.candidates ?? null,
    }),
    passing: t.int({
      nullable: true,
      description: 'How many hosts passed every filter for the first instance of at least one kind.',
      resolve: ({ solution }) => solution.size?.passing ?? null,
    }),
    detail: t.string({
      nullable: true,
      description: 'What went wrong if the solver failed; null if it did not fail.',
      resolve: ({ solution }) => solution.detail,
    }),
  }),
})
