import {
  type DecisionCountsView,
  type DecisionGroup as GroupShape,
  type DecisionGroups as GroupsShape,
  type DecisionStep as StepShape,
  steps,
} from '../services/decision-counts.ts'
import { MAX_PAGE } from '../services/paging.ts'
import { builder } from './builder.ts'

const DecisionGrouping = builder.enumType('DecisionGrouping', {
  description: 'What decisions are gathered by.',
  values: {
    CAUSE: { value: 'CAUSE' as const, description: 'The code of why no host was found: `cause`.' },
    FLAVOR: { value: 'FLAVOR' as const, description: 'Name of the flavor: `flavor`.' },
    PROJECT: { value: 'PROJECT' as const, description: 'Project of the request: `project`.' },
    PROFILE: { value: 'PROFILE' as const, description: 'The profile version that decided: `profile`.' },
    CHAIN: { value: 'CHAIN' as const, description: 'The instance that the request names first, which its tries again share: `chain`.' },
  },
})

const DecisionStep = builder.objectRef<StepShape>('DecisionStep').implement({
  description: 'Decisions of a short time, by how they ended.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it begins: in it.' }),
    until: t.expose('until', { type: 'DateTime', description: 'When it ends: not in it.' }),
    decisions: t.exposeInt('decisions', { description: 'All of them, also those of which it cannot be read how they ended.' }),
    placed: t.exposeInt('placed', { description: 'PLACED.' }),
    partial: t.exposeInt('partial', { description: 'PARTIAL.' }),
    noValidHost: t.exposeInt('noValidHost', { description: 'NO_VALID_HOST.' }),
  }),
})

const DecisionGroup = builder.objectRef<GroupShape>('DecisionGroup').implement({
  description: 'Decisions that have something in common.',
  fields: (t) => ({
    key: t.string({ nullable: true, description: 'What they have in common; null: they have none of it.', resolve: ({ key }) => key }),
    decisions: t.exposeInt('decisions', { description: 'How many there are.' }),
    failed: t.exposeInt('failed', { description: 'Those in which an instance found no host.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', description: 'Store time of the newest.' }),
    terms: t.exposeString('terms', { description: 'What the query has to say more, in the filter grammar, to find exactly these.' }),
  }),
})

const DecisionGroups = builder.objectRef<GroupsShape>('DecisionGroups').implement({
  description: 'Decisions, gathered.',
  fields: (t) => ({
    nodes: t.field({ type: [DecisionGroup], description: 'Most decisions first.', resolve: ({ nodes }) => [...nodes] }),
    totalCount: t.exposeInt('totalCount', { description: 'How many groups there are in all.' }),
  }),
})

const DecisionCounts = builder.objectRef<DecisionCountsView>('DecisionCounts').implement({
  description: 'How many decisions a query finds, in which time, and what they have in common.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description: 'Store time at which it begins: as the query says it, else the time of the first decision.',
    }),
    until: t.expose('until', { type: 'DateTime', description: 'Store time before which it ends: as the query says it, now at most.' }),
    decisions: t.exposeInt('decisions', { description: 'How many the query finds in this time.' }),
    isCut: t.exposeBoolean('isCut', { description: 'True: it finds older ones too; the newest 100,000 are counted, from `since` on.' }),
    steps: t.field({
      type: [DecisionStep],
      description:
        'All of this time in steps of one length, oldest first, those without a decision too; the first and the last may be shorter. Empty where the time is.',
      args: { most: t.arg.int({ defaultValue: 60, description: `At most so many, ${steps.least} to ${steps.most}.` }) },
      resolve: (counts, { most }) => counts.steps(most ?? 60),
    }),
    groups: t.field({
      type: DecisionGroups,
      description: 'The same decisions by what they have in common: each is in one group.',
      args: {
        by: t.arg({ type: DecisionGrouping, required: true, description: 'By what.' }),
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
      query: t.arg.string({ description: 'A line of the filter grammar: outcome:NO_VALID_HOST at>=2026-11-22T09:00:00Z (docs/query.md).' }),
    },
    resolve: (_root, { query }, { decisionCounts }) => decisionCounts.read(query),
  }),
)
