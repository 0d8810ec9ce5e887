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
  description: 'The values by which decisions can be grouped. The name in backticks is the field in the filter grammar.',
  values: {
    CAUSE: { value: 'CAUSE' as const, description: 'The code of the cause of a refusal: `cause`.' },
    FLAVOR: { value: 'FLAVOR' as const, description: 'The name of the flavor: `flavor`.' },
    PROJECT: { value: 'PROJECT' as const, description: 'The project of the request: `project`.' },
    PROFILE: { value: 'PROFILE' as const, description: 'The profile version that decided: `profile`.' },
    CHAIN: {
      value: 'CHAIN' as const,
      description: 'The first instance that the request names, which is the same in repeated calls: `chain`.',
    },
  },
})

const DecisionStep = builder.objectRef<StepShape>('DecisionStep').implement({
  description: 'Decisions in one time step, by outcome.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: "When the step begins (inclusive), by the database's clock." }),
    until: t.expose('until', { type: 'DateTime', description: "When the step ends (exclusive), by the database's clock." }),
    decisions: t.exposeInt('decisions', {
      description: 'How many decisions are in the step, including those whose outcome cannot be read.',
    }),
    placed: t.exposeInt('placed', { description: 'How many decisions ended with PLACED.' }),
    partial: t.exposeInt('partial', { description: 'How many decisions ended with PARTIAL.' }),
    noValidHost: t.exposeInt('noValidHost', { description: 'How many decisions ended with NO_VALID_HOST.' }),
  }),
})

const DecisionGroup = builder.objectRef<GroupShape>('DecisionGroup').implement({
  description: 'Decisions with the same value in the field by which decisions are grouped.',
  fields: (t) => ({
    key: t.string({
      nullable: true,
      description: 'The value that the decisions share; null for the group of decisions without a value.',
      resolve: ({ key }) => key,
    }),
    decisions: t.exposeInt('decisions', { description: 'How many decisions are in the group.' }),
    failed: t.exposeInt('failed', { description: 'How many decisions of the group did not place every instance.' }),
    lastAt: t.expose('lastAt', {
      type: 'DateTime',
      description: "When the newest decision of the group was made, by the database's clock.",
    }),
    terms: t.exposeString('terms', {
      description: 'Terms of the filter grammar. A query with these terms added finds exactly the decisions of the group.',
    }),
  }),
})

const DecisionGroups = builder.objectRef<GroupsShape>('DecisionGroups').implement({
  description: 'Decisions, grouped by the value of one field.',
  fields: (t) => ({
    nodes: t.field({
      type: [DecisionGroup],
      description: 'The groups, the group with the most decisions first.',
      resolve: ({ nodes }) => [...nodes],
    }),
    totalCount: t.exposeInt('totalCount', { description: 'How many groups exist, listed or not.' }),
  }),
})

const DecisionCounts = builder.objectRef<DecisionCountsView>('DecisionCounts').implement({
  description: 'How many decisions a query finds, over time and by common values.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description:
        "When the time range begins, by the database's clock: the time that the query states or, if it states none, the time of the first decision.",
    }),
    until: t.expose('until', {
      type: 'DateTime',
      description: "When the time range ends (exclusive), by the database's clock: the time that the query states, but not later than now.",
    }),
    decisions: t.exposeInt('decisions', { description: 'How many decisions the query finds in the time range.' }),
    isCut: t.exposeBoolean('isCut', {
      description: 'True if more than 100,000 decisions match. Only the newest 100,000 are then counted, from `since` on.',
    }),
    steps: t.field({
      type: [DecisionStep],
      description:
        'The time range in steps of equal length, oldest first, including steps without decisions. The first and the last step may be shorter. Empty if the time range is empty.',
      args: {
        most: t.arg.int({ defaultValue: 60, description: `At most this many steps are returned, ${steps.least} to ${steps.most}.` }),
      },
      resolve: (counts, { most }) => counts.steps(most ?? 60),
    }),
    groups: t.field({
      type: DecisionGroups,
      description: 'The decisions grouped by a common value. Each decision is in one group.',
      args: {
        by: t.arg({ type: DecisionGrouping, required: true, description: 'The value by which decisions are grouped.' }),
        first: t.arg.int({ defaultValue: 50, description: `At most this many groups are listed, 1 to ${MAX_PAGE}.` }),
      },
      resolve: (counts, { by, first }) => counts.groups(by, first),
    }),
  }),
})

builder.queryField('decisionCounts', (t) =>
  t.field({
    type: DecisionCounts,
    authScopes: { scope: 'READ' },
    description: 'How many decisions a query finds, in time steps and in groups.',
    args: {
      query: t.arg.string({
        description: 'A filter in the filter grammar, such as `outcome:NO_VALID_HOST at>=2026-11-22T09:00:00Z` (docs/query.md).',
      }),
    },
    resolve: (_root, { query }, { decisionCounts }) => decisionCounts.read(query),
  }),
)
