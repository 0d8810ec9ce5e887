import { type Check, distanceOf, reasonText } from '@gantt/scheduler-core'
import type { WeigherScore as Score, HostVerdict as Verdict } from '../services/examined.ts'
import { type Fact as FactShape, factsOf } from '../services/explanation.ts'
import { builder } from './builder.ts'
import { connectionOf } from './connection.ts'
import { Host } from './refs.ts'

export const HostOutcome = builder.enumType('HostOutcome', {
  description: 'What became of a host. UNKNOWN: no host of that name had reported.',
  values: ['SELECTED', 'ALTERNATE', 'LOST_ON_WEIGHT', 'FILTERED', 'UNKNOWN'] as const,
})

const CheckStatus = builder.enumType('CheckStatus', {
  description:
    'NOT_ASKED: the request asks nothing of the filter; NOT_RUN: an earlier filter refused; ERROR: the filter failed, so the host is refused.',
  values: ['PASS', 'FAIL', 'ERROR', 'NOT_RUN', 'NOT_ASKED'] as const,
})

const FactSource = builder.objectRef<FactShape['source']>('FactSource').implement({
  description: 'Where a number comes from.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'report, aggregate, status, ...' }),
    ref: t.exposeString('ref', { description: 'Which one.' }),
  }),
})

const Fact = builder.objectRef<FactShape>('Fact').implement({
  description: 'Typed evidence: what was needed, what the host had, from which input it came.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'What it is about.' }),
    required: t.exposeString('required', { nullable: true, description: 'What was needed.' }),
    actual: t.exposeString('actual', { nullable: true, description: 'What the host had.' }),
    shortfall: t.exposeString('shortfall', { nullable: true, description: 'By how much it was short, where both are numbers.' }),
    unit: t.exposeString('unit', { nullable: true, description: 'Of the numbers.' }),
    source: t.expose('source', { type: FactSource, description: 'Where it comes from.' }),
  }),
})

const FilterCheck = builder.objectRef<Check>('FilterCheck').implement({
  description: 'What one filter said of one host.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'The filter.' }),
    status: t.expose('verdict', { type: CheckStatus, description: 'Its word.' }),
    reason: t.string({ nullable: true, description: 'Code of the reason, when it refused.', resolve: ({ reason }) => reason?.code }),
    text: t.string({
      nullable: true,
      description: 'The reason with its numbers.',
      resolve: ({ reason }) => (reason ? reasonText(reason) : null),
    }),
    facts: t.field({ type: [Fact], description: 'The numbers.', resolve: factsOf }),
  }),
})

const WeigherScore = builder.objectRef<Score>('WeigherScore').implement({
  description: 'What one weigher said of one host.',
  fields: (t) => ({
    weigher: t.exposeString('weigher', { description: 'The weigher.' }),
    unit: t.exposeString('unit', { description: 'Of the raw number.' }),
    raw: t.exposeFloat('raw', { description: 'As weighed.' }),
    normalized: t.exposeFloat('normalized', { description: 'Scaled as the profile says.' }),
    multiplier: t.exposeFloat('multiplier', { description: "The host's: of the profile, or of one of its aggregates." }),
    multiplierSource: t.exposeString('multiplierSource', {
      nullable: true,
      description: 'Who gave the host a multiplier of its own: aggregate, name and key; null where it has the usual one.',
    }),
    weighted: t.exposeFloat('weighted', { description: 'Contribution to the total: multiplier x normalized.' }),
  }),
})

export const HostVerdict = builder.objectRef<Verdict>('HostVerdict').implement({
  description: 'What became of one host.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Its name.' }),
    node: t.exposeString('node', { description: "Its node's name." }),
    host: t.field({
      type: Host,
      nullable: true,
      description: 'As it is now.',
      resolve: ({ host, node }, _args, { hosts }) => hosts.find({ host, node }),
    }),
    outcome: t.expose('outcome', { type: HostOutcome, description: 'What became of it.' }),
    rank: t.exposeInt('rank', { nullable: true, description: '1 = best; null where a filter refused it.' }),
    checks: t.field({
      type: [FilterCheck],
      description: 'Every filter, in order.',
      args: {
        shortCircuit: t.arg.boolean({
          defaultValue: false,
          description: 'True: filters after the first refusal are not run, as when deciding.',
        }),
      },
      resolve: async (verdict, { shortCircuit }) => [...(await verdict.checks(shortCircuit ?? false))],
    }),
    weights: t.field({
      type: [WeigherScore],
      description: 'Every weigher, in order; none where a filter refused it.',
      resolve: ({ weights }) => [...weights],
    }),
    distance: t.float({
      description: 'How far from passing, as in VerdictMatrix.distance; 0 = passes every filter, or is not known.',
      resolve: async (verdict) => distanceOf(await verdict.checks(false)),
    }),
    totalWeight: t.exposeFloat('total', { nullable: true, description: 'Sum of the contributions.' }),
  }),
})

export const HostVerdictConnection = connectionOf('HostVerdict', HostVerdict)
