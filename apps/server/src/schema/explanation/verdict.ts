import { type Check, distanceOf, reasonText, type Source, type Term } from '@gantt/scheduler-core'
import type { WeigherScore as Score, HostVerdict as Verdict } from '../../services/explanation/examined.ts'
import { lacksText } from '../../services/explanation/explanation-text.ts'
import { type Fact as FactShape, factsOf } from '../../services/explanation/facts.ts'
import { builder } from '../builder.ts'
import { connectionOf } from '../types/connection.ts'
import { Host } from '../types/refs.ts'

export const HostOutcome = builder.enumType('HostOutcome', {
  description: 'The result for a host. UNKNOWN: no host of that name was in the fleet.',
  values: ['SELECTED', 'ALTERNATE', 'LOST_ON_WEIGHT', 'FILTERED', 'UNKNOWN'] as const,
})

const CheckStatus = builder.enumType('CheckStatus', {
  description:
    'NOT_ASKED: the request has no demand for the filter; NOT_RUN: an earlier filter refused; ERROR: the filter failed, so the host is refused.',
  values: ['PASS', 'FAIL', 'ERROR', 'NOT_RUN', 'NOT_ASKED'] as const,
})

const ReportSource = builder.objectRef<NonNullable<Source['report']>>('ReportSource').implement({
  description: "A host's report.",
  fields: (t) => ({
    incarnation: t.exposeString('incarnation', { description: "The report's incarnation." }),
    sequence: t.exposeFloat('sequence', { description: 'Sequence number of the report.' }),
    at: t.field({ type: 'DateTime', description: 'The store time of the report.', resolve: ({ at }) => at }),
  }),
})

const EndingClaim = builder.objectRef<NonNullable<Source['claims']>['ending'][number]>('EndingClaim').implement({
  description: 'A reservation, and its expiry.',
  fields: (t) => ({
    claim: t.id({ description: 'The claim that ends.', resolve: ({ claim }) => claim }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Time at which the claim ends, if nobody extends it.',
      resolve: ({ expiresAt }) => expiresAt,
    }),
  }),
})

const ClaimsSource = builder.objectRef<NonNullable<Source['claims']>>('ClaimsSource').implement({
  description: "Claims whose resources the host's report does not count.",
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of live claims that were added up.' }),
    picked: t.exposeFloat('picked', {
      description: 'Units of instances that were placed earlier on the same state; negative for a claim that this request moves.',
    }),
    ending: t.field({
      type: [EndingClaim],
      description: 'The reservations that expire first, at most five.',
      resolve: ({ ending }) => [...ending],
    }),
  }),
})

const SourceAggregate = builder.objectRef<NonNullable<Source['aggregates']>[number]>('SourceAggregate').implement({
  description: 'An aggregate that sets a value.',
  fields: (t) => ({
    uuid: t.exposeString('uuid', { description: 'UUID of the aggregate.' }),
    name: t.exposeString('name', { description: 'Name of the aggregate.' }),
    key: t.exposeString('key', { description: 'The metadata key.' }),
  }),
})

export const FactSource = builder.objectRef<Source>('FactSource').implement({
  description: 'The source of a number or word.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description:
        'report, claims, aggregate, status, liveness, service, request, extra_spec, image_property, hint, group, attestation, option or rule (docs/explanations.md).',
    }),
    ref: t.exposeString('ref', { description: 'The source in words: a field, a key, a sequence and a time.' }),
    report: t.field({
      type: ReportSource,
      nullable: true,
      description: 'The report that it was read from.',
      resolve: ({ report }) => report,
    }),
    claims: t.field({
      type: ClaimsSource,
      nullable: true,
      description: 'The claims that the number was added up from.',
      resolve: ({ claims }) => claims,
    }),
    aggregates: t.field({
      type: [SourceAggregate],
      description: 'The aggregates that set the value; empty if none does, or the source is another one.',
      resolve: ({ aggregates }) => [...(aggregates ?? [])],
    }),
  }),
})

const FactTerm = builder.objectRef<Term>('FactTerm').implement({
  description: 'A number from which another one was computed.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'total, reserved, ratio, used, claimed, or what else the rule reads.' }),
    value: t.exposeFloat('value', { description: 'Value of the term.' }),
    source: t.expose('from', { type: FactSource, description: 'Where it comes from.' }),
  }),
})

const Fact = builder.objectRef<FactShape>('Fact').implement({
  description: 'Typed evidence: what was needed, what the host had, and the source of each.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'The subject of the comparison.' }),
    required: t.exposeString('required', { nullable: true, description: 'Amount or value that was needed.' }),
    actual: t.exposeString('actual', { nullable: true, description: 'What the host had.' }),
    shortfall: t.exposeString('shortfall', { nullable: true, description: 'The shortfall, if both are numbers.' }),
    unit: t.exposeString('unit', { nullable: true, description: 'Unit of both numbers.' }),
    source: t.expose('actualSource', {
      type: FactSource,
      description: 'The same as actualSource.',
    }),
    requiredSource: t.expose('requiredSource', { type: FactSource, description: 'The source of the needed value.' }),
    actualSource: t.expose('actualSource', { type: FactSource, description: "The source of the host's value." }),
    terms: t.field({
      type: [FactTerm],
      description:
        'What the actual number was computed from: (total - reserved) x ratio - used - claimed, or as the terms are named; or what the required one follows from.',
      resolve: ({ terms }) => [...terms],
    }),
  }),
})

export const FilterCheck = builder.objectRef<Check>('FilterCheck').implement({
  description: 'The verdict of one filter on one host.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    status: t.expose('verdict', { type: CheckStatus, description: 'What the filter says of the host.' }),
    reason: t.string({ nullable: true, description: 'The code of the reason, if it refused.', resolve: ({ reason }) => reason?.code }),
    text: t.string({
      nullable: true,
      description: 'The reason with its numbers.',
      resolve: ({ reason }) => (reason ? reasonText(reason) : null),
    }),
    facts: t.field({ type: [Fact], description: 'The numbers that the filter compared.', resolve: factsOf }),
  }),
})

const WeigherScore = builder.objectRef<Score>('WeigherScore').implement({
  description: 'The score of one host by one weigher.',
  fields: (t) => ({
    weigher: t.exposeString('weigher', { description: 'Name of the weigher.' }),
    unit: t.exposeString('unit', { description: 'The unit of the raw number.' }),
    raw: t.exposeFloat('raw', { description: 'The number that the weigher gave, before it is normalised.' }),
    normalized: t.exposeFloat('normalized', { description: 'The normalised number.' }),
    multiplier: t.exposeFloat('multiplier', { description: "The host's multiplier: the profile's, or that of one of its aggregates." }),
    multiplierSource: t.exposeString('multiplierSource', {
      nullable: true,
      description: "The source of the host's own multiplier: aggregate, name and key; null if it has the profile's.",
    }),
    weighted: t.exposeFloat('weighted', { description: 'The contribution to the total: multiplier x normalized.' }),
  }),
})

export const HostVerdict = builder.objectRef<Verdict>('HostVerdict').implement({
  description: 'The verdict on one host.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host.' }),
    node: t.exposeString('node', { description: "Name of the host's node." }),
    host: t.field({
      type: Host,
      nullable: true,
      description: 'The host in its present state.',
      resolve: ({ host, node }, _args, { hosts }) => hosts.find({ host, node }),
    }),
    outcome: t.expose('outcome', { type: HostOutcome, description: 'The result for the host.' }),
    rank: t.exposeInt('rank', { nullable: true, description: 'The rank, 1 for the best; null if a filter refused the host.' }),
    checks: t.field({
      type: [FilterCheck],
      description: 'All filters, in order.',
      args: {
        shortCircuit: t.arg.boolean({
          description: 'True: filters after the first refusal are not evaluated, as in a decision. By default as in the explanation.',
        }),
      },
      resolve: async (verdict, { shortCircuit }) => [...(await verdict.checks(shortCircuit ?? undefined))],
    }),
    lacks: t.string({
      description: 'Everything for which it is refused, by all filters and in the sentences of the cause; empty if it passes.',
      resolve: lacksText,
    }),
    weights: t.field({
      type: [WeigherScore],
      description: 'All weighers, in order; empty if a filter refused the host.',
      resolve: ({ weights }) => [...weights],
    }),
    distance: t.float({
      description: 'The distance from passing, as in VerdictMatrix.distance; 0: it passes every filter, or the distance is not known.',
      resolve: async (verdict) => distanceOf(await verdict.checks()),
    }),
    reportAge: t.expose('reportAgeMs', {
      type: 'Duration',
      nullable: true,
      description:
        'The age of its report at the decision, counted from its last report in the log, which is the last one with new content. Null: it had never reported.',
    }),
    totalWeight: t.exposeFloat('total', { nullable: true, description: 'The sum of the contributions.' }),
  }),
})

export const HostVerdictConnection = connectionOf('HostVerdict', HostVerdict)
