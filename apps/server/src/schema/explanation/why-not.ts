import type { HostChange as Change } from '@gantt/scheduler-core'
import type { WhyNotAnswer as Answer, NeverConsidered as Excluded, WeigherGap as Gap } from '../../services/explanation/why-not.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { Explanation } from '../types/refs.ts'
import { explainFields, toSubject } from './explanation.ts'
import { FactSource, FilterCheck, HostOutcome, HostVerdict } from './verdict.ts'

export const WhyNotInput = builder.inputType('WhyNotInput', {
  description: 'A question about one host.',
  fields: (t) => ({
    ...explainFields(t),
    host: t.field({ type: ResourceNameInput, required: true, description: 'Name of the host that is asked about.' }),
  }),
})

const WeigherGap = builder.objectRef<Gap>('WeigherGap').implement({
  description: 'The difference between a host and the winner by one weigher.',
  fields: (t) => ({
    weigher: t.exposeString('weigher', { description: 'Name of the weigher.' }),
    unit: t.exposeString('unit', { description: 'The unit of the raw numbers.' }),
    host: t.exposeFloat('host', { description: "The host's contribution." }),
    winner: t.exposeFloat('winner', { description: "The winner's contribution." }),
    gap: t.exposeFloat('gap', { description: 'winner - host.' }),
    hostRaw: t.exposeFloat('hostRaw', { description: "The host's raw number." }),
    winnerRaw: t.exposeFloat('winnerRaw', { description: "The winner's raw number." }),
    wouldFlipAt: t.exposeFloat('wouldFlipAt', {
      nullable: true,
      description:
        'The multiplier nearest to the present one at which the host would have ranked first while all others are unchanged, confirmed by adding all totals with it. Null: none between -1e9 and 1e9.',
    }),
  }),
})

const WhyNotCase = builder.enumType('WhyNotCase', {
  description:
    'SELECTED; REFUSED by a filter; LOST: it passed, and another host was chosen; NEVER_CONSIDERED: not known or forgotten at the time, or excluded by the request.',
  values: ['SELECTED', 'REFUSED', 'LOST', 'NEVER_CONSIDERED'] as const,
})

const NeverConsideredKind = builder.enumType('NeverConsideredKind', {
  description:
    'SEEN_LATER: its first report came later; NEVER_SEEN: it never reported; FORGOTTEN: it had left the fleet; EXCLUDED: by the request.',
  values: ['SEEN_LATER', 'NEVER_SEEN', 'FORGOTTEN', 'EXCLUDED'] as const,
})

const NeverConsidered = builder.objectRef<Excluded>('NeverConsidered').implement({
  description: 'Why a host was not considered.',
  fields: (t) => ({
    kind: t.expose('kind', { type: NeverConsideredKind, description: 'Which of the cases it is.' }),
    text: t.exposeString('text', { description: 'The same as a sentence.' }),
    firstSeenRevision: t.field({
      type: 'Revision',
      nullable: true,
      description: 'The revision of its first report, if that came later.',
      resolve: ({ firstSeen }) => firstSeen?.revision,
    }),
    firstSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The time of that entry; null if the log no longer contains it.',
      resolve: ({ firstSeen }) => firstSeen?.at,
    }),
    fields: t.stringList({ description: 'The fields of the request that exclude it.', resolve: ({ fields }) => [...fields] }),
  }),
})

const HostChange = builder.objectRef<Change>('HostChange').implement({
  description: 'A value of a host that has changed.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the value, such as VCPU free, status, aggregate <name>, claim <id>.' }),
    before: t.exposeString('before', { nullable: true, description: 'The value at that time; null if there was none.' }),
    after: t.exposeString('after', { nullable: true, description: 'The present value; null if there is none any longer.' }),
    source: t.expose('source', { type: FactSource, description: 'The source of the present value, or of the earlier one.' }),
  }),
})

export const WhyNotAnswer = builder.objectRef<Answer>('WhyNotAnswer').implement({
  description: 'Why a host was not chosen, or that it was.',
  fields: (t) => ({
    headline: t.exposeString('headline', { description: 'The answer in a sentence or two.' }),
    outcome: t.expose('outcome', { type: HostOutcome, description: 'The verdict on the host.' }),
    because: t.expose('because', { type: WhyNotCase, description: 'Which of the cases it is.' }),
    neverConsidered: t.expose('neverConsidered', {
      type: NeverConsidered,
      nullable: true,
      description: 'Why the host was not considered, if it was not.',
    }),
    verdict: t.expose('verdict', { type: HostVerdict, description: 'Every check with its numbers.' }),
    versusWinner: t.field({
      type: [WeigherGap],
      description: 'The gaps to the winner by weigher, if the host passed.',
      resolve: ({ versusWinner }) => [...versusWinner],
    }),
    wouldPassNow: t.exposeBoolean('wouldPassNow', {
      nullable: true,
      description: 'Whether it would pass every filter now; null if it no longer exists.',
    }),
    nowRefusedBy: t.field({
      type: [FilterCheck],
      description: 'The checks that refuse it now; empty if it would pass or no longer exists.',
      resolve: ({ nowRefusedBy }) => [...nowRefusedBy],
    }),
    changedSince: t.field({
      type: [HostChange],
      description: 'The changes of the host, its aggregates and its claims between the state of the question and now.',
      resolve: ({ changedSince }) => [...changedSince],
    }),
    changedSinceNote: t.exposeString('changedSinceNote', {
      nullable: true,
      description: 'Why changedSince is not available; null if it is.',
    }),
    explanation: t.expose('examined', { type: Explanation, description: 'The explanation of the whole decision.' }),
  }),
})

builder.queryFields((t) => ({
  whyNot: t.field({
    type: WhyNotAnswer,
    authScopes: { scope: 'READ' },
    description: 'Why a host was not chosen.',
    args: { input: t.arg({ type: WhyNotInput, required: true, description: 'The decision or request, and the host.' }) },
    resolve: (_root, { input: { subject, host, instanceIndex: instance, ...options } }, { explain }) =>
      explain.whyNot(toSubject(subject), host, { ...options, instance }),
  }),
}))
