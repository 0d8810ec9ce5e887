import type { HostChange as Change } from '@gantt/scheduler-core'
import type { WhyNotAnswer as Answer, NeverConsidered as Excluded, WeigherGap as Gap } from '../../services/explanation/why-not.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { Explanation } from '../types/refs.ts'
import { explainFields, toSubject } from './explanation.ts'
import { FactSource, FilterCheck, HostOutcome, HostVerdict } from './verdict.ts'

export const WhyNotInput = builder.inputType('WhyNotInput', {
  description: 'A host, and the decision or request for which it was not chosen.',
  fields: (t) => ({
    ...explainFields(t),
    host: t.field({ type: ResourceNameInput, required: true, description: 'The name of the host.' }),
  }),
})

const WeigherGap = builder.objectRef<Gap>('WeigherGap').implement({
  description: 'The difference between the contributions of one weigher to the scores of a host and of the winner.',
  fields: (t) => ({
    weigher: t.exposeString('weigher', { description: 'Name of the weigher.' }),
    unit: t.exposeString('unit', { description: 'The unit of the raw values.' }),
    host: t.exposeFloat('host', { description: "The weigher's contribution to the host's score." }),
    winner: t.exposeFloat('winner', { description: "The weigher's contribution to the winner's score." }),
    gap: t.exposeFloat('gap', { description: "The winner's contribution minus the host's contribution." }),
    hostRaw: t.exposeFloat('hostRaw', { description: "The host's raw value." }),
    winnerRaw: t.exposeFloat('winnerRaw', { description: "The winner's raw value." }),
    hostMissing: t.exposeString('hostMissing', {
      nullable: true,
      description: 'Why the host has no raw value of its own, as in `WeigherScore.missing`; null if it has one.',
    }),
    winnerMissing: t.exposeString('winnerMissing', {
      nullable: true,
      description: 'Why the winner has no raw value of its own, as in `WeigherScore.missing`; null if it has one.',
    }),
    wouldFlipAt: t.exposeFloat('wouldFlipAt', {
      nullable: true,
      description:
        'The multiplier nearest to the present one at which the host would have ranked first while all other multipliers are unchanged. It was confirmed by computing all scores with this multiplier. Null if no multiplier between -1e9 and 1e9 has this effect.',
    }),
  }),
})

const WhyNotCase = builder.enumType('WhyNotCase', {
  description:
    'Why a host was not chosen. SELECTED: it was chosen. REFUSED: a filter refused it. LOST: it passed, but another host was chosen. NEVER_CONSIDERED: the fleet did not have it at that time, or the request excludes it.',
  values: ['SELECTED', 'REFUSED', 'LOST', 'NEVER_CONSIDERED'] as const,
})

const NeverConsideredKind = builder.enumType('NeverConsideredKind', {
  description:
    'Why a host was not considered. SEEN_LATER: its first report came after the decision. NEVER_SEEN: it never reported. FORGOTTEN: it had left the fleet. EXCLUDED: the request excludes it.',
  values: ['SEEN_LATER', 'NEVER_SEEN', 'FORGOTTEN', 'EXCLUDED'] as const,
})

const NeverConsidered = builder.objectRef<Excluded>('NeverConsidered').implement({
  description: 'Why a host was not considered in a decision.',
  fields: (t) => ({
    kind: t.expose('kind', { type: NeverConsideredKind, description: 'Why the host was not considered.' }),
    text: t.exposeString('text', { description: 'Why the host was not considered, as a sentence.' }),
    firstSeenRevision: t.field({
      type: 'Revision',
      nullable: true,
      description: "The revision of the host's first report, if it came after the decision.",
      resolve: ({ firstSeen }) => firstSeen?.revision,
    }),
    firstSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        "When the host first reported, by the database's clock. Null if it did not report after the decision, or if the log no longer contains its first report.",
      resolve: ({ firstSeen }) => firstSeen?.at,
    }),
    fields: t.stringList({ description: 'The fields of the request that exclude the host.', resolve: ({ fields }) => [...fields] }),
  }),
})

const HostChange = builder.objectRef<Change>('HostChange').implement({
  description: 'A value of a host that has changed since an earlier state.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'The name of the changed value, such as VCPU free, status, aggregate <name>, claim <id>.',
    }),
    before: t.exposeString('before', { nullable: true, description: 'The value in the earlier state; null if the host did not have it.' }),
    after: t.exposeString('after', { nullable: true, description: 'The present value; null if the host no longer has the value.' }),
    source: t.expose('source', {
      type: FactSource,
      description: 'The source of the present value; if there is no present value, the source of the earlier one.',
    }),
  }),
})

export const WhyNotAnswer = builder.objectRef<Answer>('WhyNotAnswer').implement({
  description: 'Why a host was not chosen, or that it was chosen.',
  fields: (t) => ({
    headline: t.exposeString('headline', { description: 'Why the host was not chosen, or that it was chosen, in one or two sentences.' }),
    outcome: t.expose('outcome', { type: HostOutcome, description: 'The result for the host in the decision.' }),
    because: t.expose('because', { type: WhyNotCase, description: 'Why the host was not chosen.' }),
    neverConsidered: t.expose('neverConsidered', {
      type: NeverConsidered,
      nullable: true,
      description: 'Why the host was not considered; null if it was considered.',
    }),
    verdict: t.expose('verdict', { type: HostVerdict, description: 'The results of all filters and weighers for the host, with numbers.' }),
    versusWinner: t.field({
      type: [WeigherGap],
      description:
        'For each weigher, the gap between the host and the chosen host (the winner); empty if the host did not pass the filters.',
      resolve: ({ versusWinner }) => [...versusWinner],
    }),
    wouldPassNow: t.exposeBoolean('wouldPassNow', {
      nullable: true,
      description: 'True if the host would pass every filter now; null if the host no longer exists.',
    }),
    nowRefusedBy: t.field({
      type: [FilterCheck],
      description: 'The filters that refuse the host now; empty if the host would pass, or if it no longer exists.',
      resolve: ({ nowRefusedBy }) => [...nowRefusedBy],
    }),
    changedSince: t.field({
      type: [HostChange],
      description: "What has changed on the host, its aggregates and its claims since the decision's state.",
      resolve: ({ changedSince }) => [...changedSince],
    }),
    changedSinceNote: t.exposeString('changedSinceNote', {
      nullable: true,
      description: 'Why `changedSince` is not available; null if it is available.',
    }),
    explanation: t.expose('examined', { type: Explanation, description: 'The explanation of the whole decision.' }),
  }),
})

builder.queryFields((t) => ({
  whyNot: t.field({
    type: WhyNotAnswer,
    authScopes: { scope: 'READ' },
    description: 'Why a host was not chosen for a request.',
    args: { input: t.arg({ type: WhyNotInput, required: true, description: 'The decision or request, and the host.' }) },
    resolve: (_root, { input: { subject, host, instanceIndex: instance, ...options } }, { explain }) =>
      explain.whyNot(toSubject(subject), host, { ...options, instance }),
  }),
}))
