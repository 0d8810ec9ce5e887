import { type HostChange as Change, type ExaminedStep, NOT_THERE, reasonText, type ShadowStep, withoutGone } from '@gantt/scheduler-core'
import { keptCause } from '../replica/kept-cause.ts'
import type { Subject } from '../services/explain.ts'
import { type SelectionNote as Note, nearMissesOf, reasonsOf, selectionOf } from '../services/explanation.ts'
import { headlineOf, textOf } from '../services/explanation-text.ts'
import { type WeigherMeta as Meta, type Weighing as WeighingShape, weighingOf } from '../services/weighing.ts'
import type { WhyNotAnswer as Answer, NeverConsidered as Excluded, WeigherGap as Gap } from '../services/why-not.ts'
import { builder } from './builder.ts'
import { ResourceNameInput } from './common.ts'
import { pageArgs } from './connection.ts'
import { idOf } from './ids.ts'
import { ReasonCount, RefusalCause } from './reasons.ts'
import { Explanation, ProfileVersion } from './refs.ts'
import { SpecInput, toSpecDocument } from './request-spec.ts'
import { FactSource, FilterCheck, HostOutcome, HostVerdict, HostVerdictConnection } from './verdict.ts'
import { VerdictMatrix } from './verdict-matrix.ts'

/** Of everything that is made again. */
export const Fidelity = builder.enumType('Fidelity', {
  description: 'RECORDED: as kept; REPLAYED: made again, bit for bit; APPROXIMATE: by other code or on another state than it was made.',
  values: ['RECORDED', 'REPLAYED', 'APPROXIMATE'] as const,
})

const FilterStep = builder
  .objectRef<ExaminedStep & { readonly index: number; readonly isShortCircuited: boolean }>('FilterStep')
  .implement({
    description: 'One step of the funnel.',
    fields: (t) => ({
      index: t.exposeInt('index', { description: 'In the order of running.' }),
      name: t.exposeString('filter', { description: 'The filter.' }),
      entered: t.exposeInt('entered', { description: 'Hosts that were still in.' }),
      passed: t.exposeInt('passed', { description: 'Hosts left.' }),
      rejected: t.int({ description: 'Hosts refused here.', resolve: ({ entered, passed }) => entered - passed }),
      reasons: t.field({
        type: [ReasonCount],
        description: 'Why, most first.',
        resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
      }),
      skippedBecause: t.string({
        nullable: true,
        description: 'Why it did not run.',
        resolve: ({ asked }) => (asked ? null : 'The request asks nothing of it.'),
      }),
      isNet: t.exposeBoolean('isNet', {
        description:
          "True when it is not of the profile: what every claim has to keep, asked of hosts that the profile's own filters let through.",
      }),
      soleRejections: t.int({
        nullable: true,
        description:
          'Hosts that this filter alone refuses: without it they would have passed everything. Null with shortCircuit: not known.',
        resolve: ({ soleRejections, isShortCircuited }) => (isShortCircuited ? null : soleRejections),
      }),
    }),
  })

const ShadowFilterStep = builder.objectRef<ShadowStep>('ShadowFilterStep').implement({
  description: 'What a filter in shadow mode would have refused.',
  fields: (t) => ({
    name: t.exposeString('filter', { description: 'The filter.' }),
    isAsked: t.exposeBoolean('asked', { description: 'False when the request asks nothing of it.' }),
    wouldReject: t.exposeInt('wouldRefuse', { description: 'Hosts that it would refuse, whatever the others say.' }),
    ofThosePassing: t.exposeInt('ofThosePassing', {
      description: 'Of these, hosts that passed every filter: what would be missing with it.',
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why, most first.',
      resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }),
  }),
})

const WeigherMeta = builder.objectRef<Meta>('WeigherMeta').implement({
  description: 'How one weigher went.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The weigher.' }),
    unit: t.exposeString('unit', { description: 'Of the raw numbers.' }),
    multiplier: t.exposeFloat('multiplier', { description: 'Of the hosts that have none of their own.' }),
    multiplierVaries: t.exposeBoolean('multiplierVaries', { description: 'True when aggregates gave some host one of its own.' }),
    min: t.exposeFloat('min', { description: 'Least raw number.' }),
    max: t.exposeFloat('max', { description: 'Greatest raw number.' }),
    spread: t.exposeFloat('spread', { description: 'Between them.' }),
    decisive: t.boolean({
      description: 'True when the winner would be another without it.',
      resolve: (weigher) => weigher.without().isDecisive,
    }),
    winnerWithout: t.string({
      nullable: true,
      description: 'Who would rank first without it, as host or host/node.',
      resolve: (weigher) => weigher.without().winner,
    }),
    idle: t.boolean({
      description: 'True when the first ten hosts would be the same without it, in the same order.',
      resolve: (weigher) => weigher.without().isIdle,
    }),
    flipsBelow: t.float({
      nullable: true,
      description:
        'The next multiplier below at which another host ranks first, the others staying as they are: at the floating-point number before it the winner is still the same. Null: none down to -1e9.',
      resolve: (weigher) => weigher.flips().below?.multiplier,
    }),
    winnerBelow: t.string({
      nullable: true,
      description: 'Who ranks first there, as host or host/node.',
      resolve: (weigher) => weigher.flips().below?.winner,
    }),
    flipsAbove: t.float({
      nullable: true,
      description: 'As flipsBelow, upwards: null where there is none up to 1e9.',
      resolve: (weigher) => weigher.flips().above?.multiplier,
    }),
    winnerAbove: t.string({
      nullable: true,
      description: 'Who ranks first there, as host or host/node.',
      resolve: (weigher) => weigher.flips().above?.winner,
    }),
  }),
})

const Weighing = builder.objectRef<WeighingShape>('Weighing').implement({
  description: 'How the hosts that passed were ranked.',
  fields: (t) => ({
    weighers: t.field({ type: [WeigherMeta], description: 'In the order of the profile.', resolve: ({ weighers }) => [...weighers] }),
    hosts: t.field({ type: [HostVerdict], description: 'Best first.', resolve: ({ hosts }) => [...hosts] }),
    truncatedAt: t.exposeInt('truncatedAt', { description: 'How many hosts are listed.' }),
    candidateCount: t.exposeInt('candidateCount', { description: 'How many passed.' }),
    margin: t.exposeFloat('margin', {
      nullable: true,
      description:
        'Total of the host that ranks first less that of the second; 0 where the order of hosts decided, null where there are no two.',
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'Where who is taken depends on more than the ranks, or no weigher ran: what margin and limits are about.',
    }),
  }),
})

const SelectionNote = builder.objectRef<Note>('SelectionNote').implement({
  description: 'How one of the best was taken.',
  fields: (t) => ({
    subsetSize: t.exposeInt('subsetSize', { description: 'One of this many best hosts is taken.' }),
    seed: t.exposeString('seed', { nullable: true, description: 'Seed of the choice.' }),
    pickedRank: t.exposeInt('pickedRank', { description: 'Rank of the host taken; 0 when none was.' }),
    tied: t.exposeInt('tied', { description: 'Hosts that share the best total.' }),
    text: t.exposeString('text', { description: 'As a sentence.' }),
  }),
})

const VerdictFilter = builder.inputType('VerdictFilter', {
  description: 'Which hosts.',
  fields: (t) => ({
    outcome: t.field({ type: [HostOutcome], description: 'What became of them.' }),
    rejectedBy: t.stringList({ description: 'Refused first by one of these filters.' }),
    reason: t.stringList({ description: 'Codes: the first refusing filter gave one of these.' }),
    refusedBy: t.stringList({ description: 'Refused by every one of these filters, whatever those before them said.' }),
    refusedOnlyBy: t.stringList({ description: 'Refused by one of these filters and by no other: the hosts behind soleRejections.' }),
    reached: t.stringList({ description: 'Still in when each of these filters was asked: the hosts behind entered.' }),
    passed: t.stringList({ description: 'Still in after each of these filters: the hosts behind passed.' }),
    tied: t.boolean({ description: 'True: those that share the best total, the hosts behind SelectionNote.tied.' }),
    hosts: t.field({ type: [ResourceNameInput], description: 'Only these, at most 500.' }),
    query: t.string({ description: 'A line of the filter grammar (docs/query.md) with host, node and words of the name.' }),
  }),
})

const VerdictOrder = builder.enumType('VerdictOrder', {
  description: 'RANK: best first, then those refused latest; NAME: by name; DISTANCE: best first, then those refused, nearest first.',
  values: ['RANK', 'NAME', 'DISTANCE'] as const,
})

const TextFormat = builder.enumType('TextFormat', { description: 'How text is written.', values: ['MARKDOWN', 'PLAIN'] as const })

Explanation.implement({
  description: 'Everything that one instance of a request met, host by host.',
  fields: (t) => ({
    headline: t.string({ description: 'What happened, in a sentence with numbers.', resolve: (examined) => headlineOf(examined) }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'Why no host passes; null where one does.',
      resolve: ({ cause }) => cause && keptCause(cause),
    }),
    matrix: t.field({
      type: VerdictMatrix,
      description: "Every filter's word on every host, as columns.",
      resolve: async (examined) => {
        const matrix = await examined.matrix()
        // hosts that are gone have no word on them, and no place among the others
        const names = examined.names.filter((_, index) => matrix.firstRefusing[index] !== NOT_THERE)
        return { matrix: withoutGone(matrix), names }
      },
    }),
    nearMisses: t.field({
      type: [HostVerdict],
      description: 'Refused hosts, nearest to passing first; those that the request does not admit come after all others.',
      args: { first: t.arg.int({ defaultValue: 10, description: 'How many at most, 1 to 100.' }) },
      resolve: (examined, { first }) => nearMissesOf(examined, first ?? 10),
    }),
    fidelity: t.field({ type: Fidelity, description: 'How far it can be trusted.', resolve: ({ question }) => question.fidelity }),
    fleetRevision: t.field({ type: 'Revision', description: 'The state that it is about.', resolve: ({ question }) => question.basis }),
    profile: t.field({
      type: ProfileVersion,
      description: 'The profile version that decides.',
      resolve: ({ question }) => question.profile,
    }),
    instanceIndex: t.exposeInt('instance', { description: 'Which instance of the request.' }),
    hostCount: t.exposeInt('hostCount', { description: 'Hosts in all.' }),
    steps: t.field({
      type: [FilterStep],
      description: 'The funnel, in execution order.',
      resolve: ({ steps, isShortCircuited }) => steps.map((step, index) => ({ ...step, index, isShortCircuited })),
    }),
    shadowSteps: t.field({
      type: [ShadowFilterStep],
      description: "The profile's filters in shadow mode: they refuse nobody and are not among the steps.",
      resolve: ({ shadows }) => [...shadows],
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, each counted once: in the order of the cause where none passes, else most first.',
      resolve: reasonsOf,
    }),
    verdicts: t.field({
      type: HostVerdictConnection,
      description: 'Host by host.',
      args: {
        ...pageArgs(),
        filter: t.arg({ type: VerdictFilter, description: 'Which hosts.' }),
        orderBy: t.arg({ type: VerdictOrder, defaultValue: 'RANK', description: 'In which order.' }),
      },
      resolve: (examined, { filter, orderBy, ...page }, { explain }) => explain.verdicts(examined, page, filter ?? {}, orderBy ?? 'RANK'),
    }),
    weighing: t.field({
      type: Weighing,
      description: 'How those that passed were ranked.',
      args: {
        instanceIndex: t.arg.int({ description: "Which instance; this explanation's own if not given." }),
        top: t.arg.int({ defaultValue: 50, description: 'How many hosts, 1 to 500.' }),
      },
      resolve: (examined, { instanceIndex, top }) => weighingOf(examined, instanceIndex ?? examined.instance, top ?? 50),
    }),
    selection: t.field({ type: SelectionNote, description: 'How one of the best was taken.', resolve: selectionOf }),
    text: t.string({
      description: 'The whole as a page for people.',
      args: { format: t.arg({ type: TextFormat, defaultValue: 'MARKDOWN', description: 'How it is written.' }) },
      resolve: (examined, { format }) => textOf(examined, format ?? 'MARKDOWN'),
    }),
  }),
})

const ExplainSubject = builder.inputType('ExplainSubject', {
  description: 'What is to be explained.',
  isOneOf: true,
  fields: (t) => ({
    decisionId: t.id({ description: 'A decision.' }),
    requestSpecId: t.id({ description: 'A request that was asked before.' }),
    spec: t.field({ type: SpecInput, description: 'A request that nobody asked yet; nothing is claimed.' }),
  }),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** What both questions may say. */
const explainFields = (t: InputFields) => ({
  subject: t.field({ type: ExplainSubject, required: true, description: 'What is to be explained.' }),
  at: t.field({ type: 'Revision', description: 'Ask at this revision instead.' }),
  profile: t.string({ description: 'Ask this profile instead, name or name@number.' }),
  instanceIndex: t.int({ description: 'Which instance; if not given the one that found no host, else the first.' }),
})

const ExplainPlacementInput = builder.inputType('ExplainPlacementInput', {
  description: 'A question about a placement.',
  fields: (t) => ({
    ...explainFields(t),
    shortCircuit: t.boolean({
      defaultValue: false,
      description:
        'True: no filter is asked of a host that one before it refused, as when deciding. Then sole rejections are not known, and bits and distances are of the first refusal alone.',
    }),
  }),
})

const WhyNotInput = builder.inputType('WhyNotInput', {
  description: 'A question about one host.',
  fields: (t) => ({ ...explainFields(t), host: t.field({ type: ResourceNameInput, required: true, description: 'Which host.' }) }),
})

const WeigherGap = builder.objectRef<Gap>('WeigherGap').implement({
  description: 'How far a host stayed behind the winner by one weigher.',
  fields: (t) => ({
    weigher: t.exposeString('weigher', { description: 'The weigher.' }),
    unit: t.exposeString('unit', { description: 'Of the raw numbers.' }),
    host: t.exposeFloat('host', { description: "The host's contribution." }),
    winner: t.exposeFloat('winner', { description: "The winner's contribution." }),
    gap: t.exposeFloat('gap', { description: 'winner - host.' }),
    hostRaw: t.exposeFloat('hostRaw', { description: "The host's raw number." }),
    winnerRaw: t.exposeFloat('winnerRaw', { description: "The winner's raw number." }),
    wouldFlipAt: t.exposeFloat('wouldFlipAt', {
      nullable: true,
      description:
        'The multiplier nearest to the present one at which the host would have ranked first, the others staying as they are: all totals were added up with it. Null: none between -1e9 and 1e9.',
    }),
  }),
})

const WhyNotCase = builder.enumType('WhyNotCase', {
  description:
    'SELECTED; REFUSED by a filter; LOST: it passed, and another host was taken; NEVER_CONSIDERED: not known then, or left out by the request.',
  values: ['SELECTED', 'REFUSED', 'LOST', 'NEVER_CONSIDERED'] as const,
})

const NeverConsideredKind = builder.enumType('NeverConsideredKind', {
  description: 'SEEN_LATER: it reported for the first time after that; NEVER_SEEN: never so far; EXCLUDED: by the request.',
  values: ['SEEN_LATER', 'NEVER_SEEN', 'EXCLUDED'] as const,
})

const NeverConsidered = builder.objectRef<Excluded>('NeverConsidered').implement({
  description: 'Why a host was not looked at.',
  fields: (t) => ({
    kind: t.expose('kind', { type: NeverConsideredKind, description: 'Which of the reasons.' }),
    text: t.exposeString('text', { description: 'As a sentence.' }),
    firstSeenRevision: t.field({
      type: 'Revision',
      nullable: true,
      description: 'Revision at which it was first seen, if later.',
      resolve: ({ firstSeen }) => firstSeen?.revision,
    }),
    firstSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of that entry; null where the log does not reach it any more.',
      resolve: ({ firstSeen }) => firstSeen?.at,
    }),
    fields: t.stringList({ description: 'Fields of the request that leave it out.', resolve: ({ fields }) => [...fields] }),
  }),
})

const HostChange = builder.objectRef<Change>('HostChange').implement({
  description: 'What of a host is not as it was.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Such as VCPU free, status, aggregate <name>, claim <id>.' }),
    before: t.exposeString('before', { nullable: true, description: 'Then; null: it was not there.' }),
    after: t.exposeString('after', { nullable: true, description: 'Now; null: it is not there any more.' }),
    source: t.expose('source', { type: FactSource, description: 'The input that says it now, or said it then.' }),
  }),
})

const WhyNotAnswer = builder.objectRef<Answer>('WhyNotAnswer').implement({
  description: 'Why a host was not chosen, or that it was.',
  fields: (t) => ({
    headline: t.exposeString('headline', { description: 'As a sentence or two.' }),
    outcome: t.expose('outcome', { type: HostOutcome, description: 'What became of it.' }),
    because: t.expose('because', { type: WhyNotCase, description: 'Which of the cases it is.' }),
    neverConsidered: t.expose('neverConsidered', {
      type: NeverConsidered,
      nullable: true,
      description: 'Where it was not looked at: why.',
    }),
    verdict: t.expose('verdict', { type: HostVerdict, description: 'Every check with its numbers.' }),
    versusWinner: t.field({
      type: [WeigherGap],
      description: 'Where it passed: the gap to the winner, by weigher.',
      resolve: ({ versusWinner }) => [...versusWinner],
    }),
    wouldPassNow: t.exposeBoolean('wouldPassNow', {
      nullable: true,
      description: 'Whether it would pass every filter now; null when it is not there.',
    }),
    nowRefusedBy: t.field({
      type: [FilterCheck],
      description: 'The checks that refuse it now; none where it would pass or is not there.',
      resolve: ({ nowRefusedBy }) => [...nowRefusedBy],
    }),
    changedSince: t.field({
      type: [HostChange],
      description: 'What of the host, its aggregates and its claims changed between the state of the question and now.',
      resolve: ({ changedSince }) => [...changedSince],
    }),
    changedSinceNote: t.exposeString('changedSinceNote', {
      nullable: true,
      description: 'Why changedSince cannot say; null where it does.',
    }),
    explanation: t.expose('examined', { type: Explanation, description: 'The whole.' }),
  }),
})

function toSubject({ decisionId, requestSpecId, spec }: typeof ExplainSubject.$inferInput): Subject {
  const path = ['input', 'subject']
  // one of them is given, if only as an empty text
  if (typeof decisionId === 'string') return { type: 'decision', id: idOf('Decision', decisionId, [...path, 'decisionId']) }
  if (typeof requestSpecId === 'string') return { type: 'request-spec', id: idOf('RequestSpec', requestSpecId, [...path, 'requestSpecId']) }
  return { type: 'spec', spec: toSpecDocument(spec ?? {}, [...path, 'spec']) }
}

builder.queryFields((t) => ({
  explainPlacement: t.field({
    type: Explanation,
    authScopes: { scope: 'READ' },
    description: 'Why a request goes where it goes, or nowhere.',
    args: { input: t.arg({ type: ExplainPlacementInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input: { subject, instanceIndex: instance, ...options } }, { explain }) =>
      explain.explain(toSubject(subject), { ...options, instance }),
  }),
  whyNot: t.field({
    type: WhyNotAnswer,
    authScopes: { scope: 'READ' },
    description: 'Why a host was not chosen.',
    args: { input: t.arg({ type: WhyNotInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input: { subject, host, instanceIndex: instance, ...options } }, { explain }) =>
      explain.whyNot(toSubject(subject), host, { ...options, instance }),
  }),
}))
