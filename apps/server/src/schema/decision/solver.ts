import { type BatchOfMoves, fallbackReasons, type SolverRecord, solutionStatuses } from '@gantt/scheduler-core'
import { solverSentence } from '../../services/explanation/solver-text.ts'
import { builder } from '../builder.ts'

const described = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, description]) => [name, { description }]))

const SolverStatus = builder.enumType('SolverStatus', {
  description: 'The result of a search for the best arrangement.',
  values: described(solutionStatuses),
})

export const SolverTaken = builder.enumType('SolverTaken', {
  description: 'Whose arrangement was taken.',
  values: {
    SOLVER: { description: 'The arrangement of the solver was taken.' },
    FILTER: { description: 'The arrangement of the filter scheduler was taken.' },
  } as const,
})

export const SolverFallback = builder.enumType('SolverFallback', {
  description: "Why the filter scheduler's arrangement was used.",
  values: described(fallbackReasons),
})

const SolverBatch = builder.objectRef<BatchOfMoves>('SolverBatch').implement({
  description: 'Moves that were solved together.',
  fields: (t) => ({
    moveCount: t.exposeInt('moves', { description: 'Number of instances that the arrangement moves.' }),
    placedCount: t.exposeInt('placed', { description: 'The number of moves with a host in the arrangement.' }),
    filterPlacedCount: t.exposeInt('filterPlaced', {
      nullable: true,
      description: 'The number of moves that the filter scheduler placed one after another; null if not known.',
    }),
  }),
})

export const SolverOutcome = builder.objectRef<SolverRecord>('SolverOutcome').implement({
  description: 'How the scheduler SOLVER reached a decision.',
  fields: (t) => ({
    status: t.field({ type: SolverStatus, description: 'The result of the search.', resolve: ({ solution }) => solution.status }),
    taken: t.expose('taken', { type: SolverTaken, description: 'The source of the arrangement that was used.' }),
    why: t.expose('why', {
      type: SolverFallback,
      nullable: true,
      description: "Why the filter scheduler's arrangement was used; null if it was the solver's.",
    }),
    text: t.string({ description: 'The same as a sentence.', resolve: solverSentence }),
    batch: t.field({
      type: SolverBatch,
      nullable: true,
      description:
        'For an evacuation, the moves that were solved together: objective, bound, gap and size are those of all; null for a single request.',
      resolve: ({ solution }) => solution.batch ?? null,
    }),
    objective: t.exposeFloat('objective', {
      nullable: true,
      description: "The objective of the solver's arrangement; null if it has no valid one.",
    }),
    filterObjective: t.exposeFloat('filterObjective', {
      nullable: true,
      description: "The objective of the filter scheduler's arrangement; null if it does not place all instances.",
    }),
    bound: t.float({
      nullable: true,
      description: 'The upper bound: no arrangement has a higher objective.',
      resolve: ({ solution }) => solution.bound,
    }),
    gap: t.float({
      nullable: true,
      description: '(bound - objective) / |objective|, as the solver left it.',
      resolve: ({ solution }) => solution.gap,
    }),
    nodes: t.int({ description: 'The number of branches that were examined.', resolve: ({ solution }) => solution.nodes }),
    columns: t.int({
      nullable: true,
      description: 'The number of columns of the program.',
      resolve: ({ solution }) => solution.size?.columns ?? null,
    }),
    rows: t.int({
      nullable: true,
      description: 'The number of rows of the program.',
      resolve: ({ solution }) => solution.size?.rows ?? null,
    }),
    candidates: t.int({
      nullable: true,
      description: 'The number of hosts that were considered.',
      resolve: ({ solution }) => solution.size?.candidates ?? null,
    }),
    passing: t.int({
      nullable: true,
      description: 'The number of hosts that passed for the first instance of some kind.',
      resolve: ({ solution }) => solution.size?.passing ?? null,
    }),
    detail: t.string({
      nullable: true,
      description: 'What went wrong, where the solver failed.',
      resolve: ({ solution }) => solution.detail,
    }),
  }),
})
