import { type Check, distanceOf, reasonText, type Source, type Term } from '@gantt/scheduler-core'
import type { WeigherScore as Score, HostVerdict as Verdict } from '../services/examined.ts'
import { lacksText } from '../services/explanation-text.ts'
import { type Fact as FactShape, factsOf } from '../services/facts.ts'
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

const ReportSource = builder.objectRef<NonNullable<Source['report']>>('ReportSource').implement({
  description: "A host's report.",
  fields: (t) => ({
    incarnation: t.exposeString('incarnation', { description: 'Of the agent that sent it.' }),
    sequence: t.exposeFloat('sequence', { description: 'Its number.' }),
    at: t.field({ type: 'DateTime', description: "The store's time of it.", resolve: ({ at }) => at }),
  }),
})

const EndingClaim = builder.objectRef<NonNullable<Source['claims']>['ending'][number]>('EndingClaim').implement({
  description: 'A reservation, and when it ends by itself.',
  fields: (t) => ({
    claim: t.id({ description: 'The claim.', resolve: ({ claim }) => claim }),
    expiresAt: t.field({ type: 'DateTime', description: 'Its end.', resolve: ({ expiresAt }) => expiresAt }),
  }),
})

const ClaimsSource = builder.objectRef<NonNullable<Source['claims']>>('ClaimsSource').implement({
  description: "Claims that hold room which the host's report does not count.",
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many.' }),
    picked: t.exposeFloat('picked', {
      description: 'Units held by picks that were decided before on the same state; negative: of a claim that this request moves.',
    }),
    ending: t.field({
      type: [EndingClaim],
      description: 'The reservations that end first, at most five.',
      resolve: ({ ending }) => [...ending],
    }),
  }),
})

const SourceAggregate = builder.objectRef<NonNullable<Source['aggregates']>[number]>('SourceAggregate').implement({
  description: 'An aggregate that says a value.',
  fields: (t) => ({
    uuid: t.exposeString('uuid', { description: 'Its uuid.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    key: t.exposeString('key', { description: 'The key of its metadata.' }),
  }),
})

export const FactSource = builder.objectRef<Source>('FactSource').implement({
  description: 'The input that a number or word comes from.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description:
        'report, claims, aggregate, status, liveness, service, request, extra_spec, image_property, hint, group, attestation, option or rule (docs/explanations.md).',
    }),
    ref: t.exposeString('ref', { description: 'Which one, in words: a field, a key, a sequence and a time.' }),
    report: t.field({ type: ReportSource, nullable: true, description: 'Of a report.', resolve: ({ report }) => report }),
    claims: t.field({ type: ClaimsSource, nullable: true, description: 'Of claims.', resolve: ({ claims }) => claims }),
    aggregates: t.field({
      type: [SourceAggregate],
      description: 'The aggregates that say it; none where no aggregate does, or the number comes from elsewhere.',
      resolve: ({ aggregates }) => [...(aggregates ?? [])],
    }),
  }),
})

const FactTerm = builder.objectRef<Term>('FactTerm').implement({
  description: 'A number that another one was worked out of.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'total, reserved, ratio, used, claimed, or what else the rule reads.' }),
    value: t.exposeFloat('value', { description: 'The number.' }),
    source: t.expose('from', { type: FactSource, description: 'Where it comes from.' }),
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
    source: t.expose('actualSource', { type: FactSource, description: 'As actualSource.' }),
    requiredSource: t.expose('requiredSource', { type: FactSource, description: 'Where the need comes from.' }),
    actualSource: t.expose('actualSource', { type: FactSource, description: "Where the host's side comes from." }),
    terms: t.field({
      type: [FactTerm],
      description: 'How the actual number was worked out: (total - reserved) x ratio - used - claimed, or as the terms are named.',
      resolve: ({ terms }) => [...terms],
    }),
  }),
})

export const FilterCheck = builder.objectRef<Check>('FilterCheck').implement({
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
          description: 'True: filters after the first refusal are not run, as when deciding. If not said, as the explanation was asked.',
        }),
      },
      resolve: async (verdict, { shortCircuit }) => [...(await verdict.checks(shortCircuit ?? undefined))],
    }),
    lacks: t.string({
      description: 'All that keeps it out, by every filter and in the sentences of the cause; empty where it passes.',
      resolve: lacksText,
    }),
    weights: t.field({
      type: [WeigherScore],
      description: 'Every weigher, in order; none where a filter refused it.',
      resolve: ({ weights }) => [...weights],
    }),
    distance: t.float({
      description: 'How far from passing, as in VerdictMatrix.distance; 0 = passes every filter, or is not known.',
      resolve: async (verdict) => distanceOf(await verdict.checks()),
    }),
    reportAge: t.expose('reportAgeMs', {
      type: 'Duration',
      nullable: true,
      description:
        'How old its report was when it was decided: from its last report in the log, which is the last that said something new. Null: it had never reported.',
    }),
    totalWeight: t.exposeFloat('total', { nullable: true, description: 'Sum of the contributions.' }),
  }),
})

export const HostVerdictConnection = connectionOf('HostVerdict', HostVerdict)
