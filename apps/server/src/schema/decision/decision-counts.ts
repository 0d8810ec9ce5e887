import { MAX_PAGE } from '../../services/calls/paging.ts'
import {
  type DecisionCountsView,
  type DecisionGroup as GroupShape,
  type DecisionGroups as GroupsShape,
  type DecisionStep as StepShape,
  steps,
} from '../../services/decision/decision-counts.ts'
import { builder } from '../builder.ts'

const DecisionGrouping = builder.enumType('DecisionGrouping', {
  description: 'The fields by which decisions are grouped.',
  values: {
    CAUSE: { value: 'CAUSE' as const, description: 'The code of the cause of the refusal: `cause`.' },
    FLAVOR: { value: 'FLAVOR' as const, description: 'Name of the flavor: `flavor`.' },
    PROJECT: { value: 'PROJECT' as const, description: 'Project of the request: `project`.' },
    PROFILE: { value: 'PROFILE' as const, description: 'The profile version that decided: `profile`.' },
    CHAIN: { value: 'CHAIN' as const, description: 'The instance that the request names first, which repeated calls share: `chain`.' },
  },
})

const DecisionStep = builder.objectRef<StepShape>('DecisionStep').implement({
  description: 'Decisions of one time step, by outcome.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'The start of the step, inclusive.' }),
    until: t.expose('until', { type: 'DateTime', description: 'The end of the step, exclusive.' }),
    decisions: t.exposeInt('decisions', { description: 'All decisions, including those whose outcome cannot be read.' }),
    placed: t.exposeInt('placed', { description: 'Decisions that ended with PLACED.' }),
    partial: t.exposeInt('partial', { description: 'Decisions that ended with PARTIAL.' }),
    noValidHost: t.exposeInt('noValidHost', { description: 'Decisions that ended with NO_VALID_HOST.' }),
  }),
})

const DecisionGroup = builder.objectRef<GroupShape>('DecisionGroup').implement({
  description: 'Decisions with a common value.',
  fields: (t) => ({
    key: t.string({ nullable: true, description: 'The common value; null for decisions without one.', resolve: ({ key }) => key }),
    decisions: t.exposeInt('decisions', { description: 'The number of decisions.' }),
    failed: t.exposeInt('failed', { description: 'The number of decisions in which an instance was not placed.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'The store time of the newest decision.' }),
    terms: t.exposeString('terms', {
      description: 'The terms to add to the query, in the filter grammar, to find exactly these decisions.',
    }),
  }),
})

const DecisionGroups = builder.objectRef<GroupsShape>('DecisionGroups').implement({
  description: 'Decisions counted in groups.',
  fields: (t) => ({
    nodes: t.field({ type: [DecisionGroup], description: 'Most decisions first.', resolve: ({ nodes }) => [...nodes] }),
    totalCount: t.exposeInt('totalCount', { description: 'The number of all groups.' }),
  }),
})

const DecisionCounts = builder.objectRef<DecisionCountsView>('DecisionCounts').implement({
  description: 'How many decisions a query finds, in which time, and with which common values.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description: 'The store time at which the range begins: given by the query, otherwise the time of the first decision.',
    }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'The store time before which the range ends: given by the query, at most now.',
    }),
    decisions: t.exposeInt('decisions', { description: 'The number of decisions that the query finds in this range.' }),
    isCut: t.exposeBoolean('isCut', { description: 'True: there are older matches too; the newest 100,000 are counted, from `since` on.' }),
    steps: t.field({
      type: [DecisionStep],
      description:
        'The whole range in steps of equal length, oldest first, including those without decisions; the first and the last may be shorter. Empty if the range is.',
      args: { most: t.arg.int({ defaultValue: 60, description: `The maximum number of steps, ${steps.least} to ${steps.most}.` }) },
      resolve: (counts, { most }) => counts.steps(most ?? 60),
    }),
    groups: t.field({
      type: DecisionGroups,
      description: 'The same decisions by their common values: each is in one group.',
      args: {
        by: t.arg({ type: DecisionGrouping, required: true, description: 'What decisions are grouped by.' }),
        first: t.arg.int({ defaultValue: 50, description: `How many groups at most, 1 to ${MAX_PAGE}.` }),
      },
      resolve: (counts, { by, first }) => counts.groups(by, first),
    }),
  }),
})

builder.queryField('decisionCounts', (t) =>
  t.field({
    type: DecisionCounts,
    authScopes: { scope: 'READ' },
    description: 'How many decisions a query finds, in steps of time and in groups.',
    args: {
      query: t.arg.string({
        description: 'A filter in the filter grammar: outcome:NO_VALID_HOST at>=2026-11-22T09:00:00Z (docs/query.md).',
      }),
    },
    resolve: (_root, { query }, { decisionCounts }) => decisionCounts.read(query),
  }),
)
