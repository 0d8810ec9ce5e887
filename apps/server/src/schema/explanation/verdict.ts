import { type Check, distanceOf, reasonText, type Source, type Term } from '@gantt/scheduler-core'
import type { WeigherScore as Score, HostVerdict as Verdict } from '../../services/explanation/examined.ts'
import { lacksText } from '../../services/explanation/explanation-text.ts'
import { type Fact as FactShape, factsOf } from '../../services/explanation/facts.ts'
import { builder } from '../builder.ts'
import { connectionOf } from '../types/connection.ts'
import { Host } from '../types/refs.ts'

export const HostOutcome = builder.enumType('HostOutcome', {
  description:
    'The result for a host. SELECTED: chosen. ALTERNATE: a next best host. LOST_ON_WEIGHT: passed every filter, but other hosts were chosen. FILTERED: refused. UNKNOWN: the fleet has no host with this name.',
  values: ['SELECTED', 'ALTERNATE', 'LOST_ON_WEIGHT', 'FILTERED', 'UNKNOWN'] as const,
})

const CheckStatus = builder.enumType('CheckStatus', {
  description:
    'The result of one filter on one host. PASS and FAIL: the filter passed or refused the host. NOT_ASKED: the request does not use the filter. NOT_RUN: an earlier filter refused the host. ERROR: the filter failed, so the host is refused.',
  values: ['PASS', 'FAIL', 'ERROR', 'NOT_RUN', 'NOT_ASKED'] as const,
})

const ReportSource = builder.objectRef<NonNullable<Source['report']>>('ReportSource').implement({
  description: 'The report of a host from which a value was read.',
  fields: (t) => ({
    incarnation: t.exposeString('incarnation', { description: 'The incarnation of the reporter, a random id for each of its starts.' }),
    sequence: t.exposeFloat('sequence', { description: 'The sequence number of the report.' }),
    at: t.field({ type: 'DateTime', description: "When the report arrived, by the database's clock.", resolve: ({ at }) => at }),
  }),
})

const EndingClaim = builder.objectRef<NonNullable<Source['claims']>['ending'][number]>('EndingClaim').implement({
  description: 'A reservation with its expiry, or an ended claim with the time until which its amounts stay held.',
  fields: (t) => ({
    claim: t.id({ description: 'The id of the claim.', resolve: ({ claim }) => claim }),
    expiresAt: t.field({
      type: 'DateTime',
      description:
        'When a reservation expires if its holder does not extend or confirm it, or when the amounts of an ended claim are free.',
      resolve: ({ expiresAt }) => expiresAt,
    }),
  }),
})

const ClaimsSource = builder.objectRef<NonNullable<Source['claims']>>('ClaimsSource').implement({
  description: "Claims whose resources the host's report does not count: live claims, and ended claims whose amounts stay held.",
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many claims were added up.' }),
    picked: t.exposeFloat('picked', {
      description:
        'Units that earlier instances of the same batch take, which are not claims yet. Negative for units of a claim that this request moves.',
    }),
    ending: t.field({
      type: [EndingClaim],
      description:
        'The claims among these that end first, at most five: reservations, and ended claims whose amounts stay held until a time.',
      resolve: ({ ending }) => [...ending],
    }),
  }),
})

const SourceAggregate = builder.objectRef<NonNullable<Source['aggregates']>[number]>('SourceAggregate').implement({
  description: 'An aggregate whose metadata contains a value that a verdict depends on.',
  fields: (t) => ({
    uuid: t.exposeString('uuid', { description: 'UUID of the aggregate.' }),
    name: t.exposeString('name', { description: 'Name of the aggregate.' }),
    key: t.exposeString('key', { description: 'The metadata key of the aggregate that the filter read this value from.' }),
  }),
})

export const FactSource = builder.objectRef<Source>('FactSource').implement({
  description: "The source of a value in a fact, such as a field of the host's report or the metadata of an aggregate.",
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description:
        'The kind of source: report, claims, aggregate, status, liveness, service, request, extra_spec, image_property, hint, group, attestation, option or rule (docs/explanations.md).',
    }),
    ref: t.exposeString('ref', { description: 'The source in words, such as a field, a key, or a sequence number with a time.' }),
    report: t.field({
      type: ReportSource,
      nullable: true,
      description: "The host's report that contains the value of the fact; null if the value does not come from a report.",
      resolve: ({ report }) => report,
    }),
    claims: t.field({
      type: ClaimsSource,
      nullable: true,
      description: 'The claims whose amounts were added up to the value of the fact; null if the value does not come from claims.',
      resolve: ({ claims }) => claims,
    }),
    aggregates: t.field({
      type: [SourceAggregate],
      description: 'The aggregates whose metadata contains the value of the fact; empty if the value does not come from aggregates.',
      resolve: ({ aggregates }) => [...(aggregates ?? [])],
    }),
  }),
})

const FactTerm = builder.objectRef<Term>('FactTerm').implement({
  description: 'A value from which another value was computed.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The name of the term: total, reserved, ratio, used, claimed, or another value that the rule reads.',
    }),
    value: t.exposeFloat('value', { description: 'The value of the term.' }),
    source: t.expose('from', { type: FactSource, description: "The source of the term's value." }),
  }),
})

const Fact = builder.objectRef<FactShape>('Fact').implement({
  description: "The evidence for a filter's verdict: the required value, the host's value, and the source of each.",
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'What the filter compared, such as a resource class or a property.' }),
    required: t.exposeString('required', { nullable: true, description: 'The amount or value that the filter required of the host.' }),
    actual: t.exposeString('actual', { nullable: true, description: 'The amount or value that the host had.' }),
    shortfall: t.exposeString('shortfall', { nullable: true, description: 'How much the host lacks, if both values are numbers.' }),
    unit: t.exposeString('unit', { nullable: true, description: "The unit of the required value and of the host's value." }),
    source: t.expose('actualSource', {
      type: FactSource,
      description: "The source of the host's value; the same as `actualSource`.",
    }),
    requiredSource: t.expose('requiredSource', { type: FactSource, description: 'The source of the required value.' }),
    actualSource: t.expose('actualSource', { type: FactSource, description: "The source of the host's value." }),
    terms: t.field({
      type: [FactTerm],
      description:
        'The terms from which the actual value was computed, in most cases (total - reserved) x ratio - used - claimed; or the terms from which the required value follows.',
      resolve: ({ terms }) => [...terms],
    }),
  }),
})

export const FilterCheck = builder.objectRef<Check>('FilterCheck').implement({
  description: 'The result of one filter on one host.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    status: t.expose('verdict', { type: CheckStatus, description: 'The result of the filter on the host.' }),
    reason: t.string({
      nullable: true,
      description: 'The code of the reason; null if the filter did not refuse the host.',
      resolve: ({ reason }) => reason?.code,
    }),
    text: t.string({
      nullable: true,
      description: 'The reason with its numbers, as a sentence.',
      resolve: ({ reason }) => (reason ? reasonText(reason) : null),
    }),
    facts: t.field({ type: [Fact], description: "The required values and the host's values that the filter compared.", resolve: factsOf }),
  }),
})

const WeigherScore = builder.objectRef<Score>('WeigherScore').implement({
  description: 'What one weigher contributes to the score of one host.',
  fields: (t) => ({
    weigher: t.exposeString('weigher', { description: 'Name of the weigher.' }),
    unit: t.exposeString('unit', { description: 'The unit of the raw value.' }),
    raw: t.exposeFloat('raw', { description: 'The raw value that the weigher computed, before normalisation.' }),
    missing: t.exposeString('missing', {
      nullable: true,
      description:
        'Why the host has no raw value of its own: what the weigher reads is not reported about it, or its collector does not send it. `raw` is then a value that does not put it before hosts with a value: the lowest value of the other hosts, a larger distance than theirs, or 0. Null if the host has a value.',
    }),
    normalized: t.exposeFloat('normalized', { description: 'The raw value after normalisation.' }),
    multiplier: t.exposeFloat('multiplier', {
      description: "The multiplier for the host: the profile's, or one that the host's aggregates set.",
    }),
    multiplierSource: t.exposeString('multiplierSource', {
      nullable: true,
      description: "The aggregate and the metadata key that set the multiplier; null if the multiplier is the profile's.",
    }),
    weighted: t.exposeFloat('weighted', { description: 'The contribution to the total score: multiplier x normalized.' }),
  }),
})

export const HostVerdict = builder.objectRef<Verdict>('HostVerdict').implement({
  description: 'The results of all filters and weighers for one host.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host.' }),
    node: t.exposeString('node', { description: "The name of the host's node." }),
    host: t.field({
      type: Host,
      nullable: true,
      description: 'The host in its present state; null if it no longer exists.',
      resolve: ({ host, node }, _args, { hosts }) => hosts.find({ host, node }),
    }),
    outcome: t.expose('outcome', { type: HostOutcome, description: 'The result for the host, such as SELECTED or FILTERED.' }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description: 'The rank of the host, where 1 is the best; null if a filter refused the host.',
    }),
    checks: t.field({
      type: [FilterCheck],
      description: 'The result of each filter, in the order of evaluation.',
      args: {
        shortCircuit: t.arg.boolean({
          description:
            'True: filters after the first refusal are not evaluated, as when a decision is made. By default, the same filters are evaluated as in the explanation that contains the verdict.',
        }),
      },
      resolve: async (verdict, { shortCircuit }) => [...(await verdict.checks(shortCircuit ?? undefined))],
    }),
    lacks: t.string({
      description: 'All reasons why any filter refuses the host, in the sentences that `RefusalCause` uses; empty if the host passes.',
      resolve: lacksText,
    }),
    weights: t.field({
      type: [WeigherScore],
      description: 'The scores by all weighers, in the order of the profile; empty if a filter refused the host.',
      resolve: ({ weights }) => [...weights],
    }),
    distance: t.float({
      description:
        'How far the host is from passing, as in `VerdictMatrix.distance`. 0 if the host passes every filter, or if the distance is not known.',
      resolve: async (verdict) => distanceOf(await verdict.checks()),
    }),
    reportAge: t.expose('reportAgeMs', {
      type: 'Duration',
      nullable: true,
      description:
        "How old the host's report was at the decision, counted from its last report in the log, which is the last one with new content. Null if the host had never reported.",
    }),
    totalWeight: t.exposeFloat('total', { nullable: true, description: "The sum of the weighers' contributions." }),
  }),
})

export const HostVerdictConnection = connectionOf('HostVerdict', HostVerdict)
