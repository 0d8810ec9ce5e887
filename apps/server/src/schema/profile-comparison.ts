import type { ProfileDisagreement as Disagreement, ProfileComparison as Shape } from '../services/compare-profiles.ts'
import type { Candidate } from '../services/decide-again.ts'
import { InputFault } from '../services/outcome.ts'
import { MAX_PAGE } from '../services/paging.ts'
import type { PartUse as PartUseShape, UnusedParts as UnusedPartsShape } from '../services/unused-parts.ts'
import { builder } from './builder.ts'
import { idOf } from './ids.ts'
import { Decision, ProfileVersion } from './refs.ts'

/** Of comparisons and rollouts. */
export const DisagreementKind = builder.enumType('DisagreementKind', {
  description:
    'NEW_FAILURE: fewer instances find a host than under the other version; NEW_PLACEMENT: more do; ELSEWHERE: they go to other hosts.',
  values: ['NEW_FAILURE', 'NEW_PLACEMENT', 'ELSEWHERE'] as const,
})

const ProfileDisagreement = builder.objectRef<Disagreement>('ProfileDisagreement').implement({
  description: 'A request that the candidate decides otherwise, on the state that it met.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'What was decided.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'How it differs.' }),
    baselineHosts: t.stringList({ description: 'Where the baseline puts the instances.', resolve: (one) => [...one.baselineHosts] }),
    candidateHosts: t.stringList({ description: 'Where the candidate puts them.', resolve: (one) => [...one.candidateHosts] }),
    because: t.exposeString('because', { description: 'Why, as a sentence.' }),
  }),
})

const ChosenHostFullness = builder.objectRef<Shape['chosen']['fullness'][number]>('ChosenHostFullness').implement({
  description: 'How full the hosts were that instances go to, of a resource class: the higher, the more a version packs.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The resource class.' }),
    baseline: t.exposeFloat('baseline', {
      nullable: true,
      description:
        'By the baseline: the mean share of its capacity, 0 to 1, that was taken on the host of an instance before its request; null when it places none.',
    }),
    candidate: t.exposeFloat('candidate', { nullable: true, description: 'By the candidate.' }),
  }),
})

const ChosenHosts = builder.objectRef<Shape['chosen']>('ChosenHosts').implement({
  description: 'The hosts that instances go to, each request on the state that it met.',
  fields: (t) => ({
    baselineHostCount: t.int({ description: 'Different hosts, by the baseline.', resolve: ({ hosts }) => hosts.baseline }),
    candidateHostCount: t.int({ description: 'Different hosts, by the candidate.', resolve: ({ hosts }) => hosts.candidate }),
    fullness: t.field({
      type: [ChosenHostFullness],
      description: 'How full they were, by class.',
      resolve: ({ fullness }) => [...fullness],
    }),
  }),
})

const ZoneResources = builder.objectRef<Shape['zones'][number]['resources'][number]>('ZoneResources').implement({
  description: 'How much of a resource class the instances take that go into a zone.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The resource class.' }),
    baseline: t.expose('baseline', { type: 'SafeInt', description: 'By the baseline, in the unit of the class.' }),
    candidate: t.expose('candidate', { type: 'SafeInt', description: 'By the candidate.' }),
  }),
})

const ZonePlacements = builder.objectRef<Shape['zones'][number]>('ZonePlacements').implement({
  description: 'Instances that each version puts into a zone.',
  fields: (t) => ({
    zone: t.exposeString('zone', { description: 'The zone.' }),
    baseline: t.exposeInt('baseline', { description: 'By the baseline.' }),
    candidate: t.exposeInt('candidate', { description: 'By the candidate.' }),
    resources: t.field({
      type: [ZoneResources],
      description:
        'What these take there, class by class; over all zones as much as a version places. Classes of which neither puts any there are left out.',
      resolve: ({ resources }) => [...resources],
    }),
  }),
})

const LeftOut = builder.objectRef<Shape['leftOut']>('LeftOutRequests').implement({
  description: 'Requests of the window that were not decided again, by reason.',
  fields: (t) => ({
    notDrawn: t.exposeInt('notDrawn', { description: 'More than the sample.' }),
    beyondRetention: t.exposeInt('beyondRetention', { description: 'Older than the log reaches.' }),
    outOfTime: t.exposeInt('outOfTime', { description: 'The deadline was over.' }),
    notReplayable: t.exposeInt('notReplayable', { description: 'What they need is not there any more.' }),
    notSolved: t.exposeInt('notSolved', {
      description:
        'A version with the scheduler SOLVER that did not decide them would have asked its solver: what it decides is not known.',
    }),
    unreadable: t.exposeInt('unreadable', { description: 'Their records cannot be read (RECORD_UNREADABLE).' }),
  }),
})

const ShadowFailure = builder.objectRef<Shape['shadowFilters'][number]['failing'][number]>('ShadowFilterFailure').implement({
  description: 'A request that a filter in shadow mode would have failed.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'What was decided.' }),
    because: t.exposeString('because', { description: 'Who refuses, as a sentence.' }),
  }),
})

const ShadowFilterCount = builder.objectRef<Shape['shadowFilters'][number]>('ShadowFilterCount').implement({
  description: 'Whom a filter in shadow mode would have refused, had it been asked in earnest: alone, beside the candidate as it is.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'The filter.' }),
    wouldFail: t.exposeInt('wouldFail', { description: 'Requests of which fewer instances would find a host.' }),
    wouldMove: t.exposeInt('wouldMove', { description: 'Requests that would go to other hosts.' }),
    notSolved: t.exposeInt('notSolved', {
      description: 'Requests about which the solver would have been asked: what comes of them is not known.',
    }),
    failing: t.field({
      type: [ShadowFailure],
      description: 'The first ten that would fail.',
      resolve: ({ failing }) => [...failing],
    }),
  }),
})

const ProfileComparison = builder.objectRef<Shape>('ProfileComparison').implement({
  description:
    'What requests of the last hours would have met under another profile, each by itself on the state that it met. What one placement would have left for the next is not followed: `zones` adds up what each takes, and how full the fleet would be at the end is not said.',
  fields: (t) => ({
    baseline: t.expose('baseline', { type: ProfileVersion, description: 'The version that they are compared with.' }),
    candidateName: t.string({
      description: 'The candidate, name@number; of a draft the number that it would get.',
      resolve: ({ candidate }) => `${candidate.name}@${candidate.number}`,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'Begin of the window; store time.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Its end.' }),
    total: t.exposeInt('total', { description: 'Requests that versions of the baseline’s name decided in it.' }),
    sampled: t.exposeInt('sampled', { description: 'Of these, decided again.' }),
    leftOut: t.expose('leftOut', { type: LeftOut, description: 'The others.' }),
    agreement: t.float({
      nullable: true,
      description: 'Share of those decided again that go where they go under the baseline, 0 to 1; null when there is none.',
      resolve: ({ sampled, counts }) => (sampled === 0 ? null : counts.SAME / sampled),
    }),
    elsewhere: t.int({ description: 'Requests that go to other hosts.', resolve: ({ counts }) => counts.ELSEWHERE }),
    newFailures: t.int({ description: 'Requests of which fewer instances find a host.', resolve: ({ counts }) => counts.NEW_FAILURE }),
    newPlacements: t.int({ description: 'Requests of which more instances find a host.', resolve: ({ counts }) => counts.NEW_PLACEMENT }),
    cpuRatio: t.exposeFloat('cpuRatio', {
      nullable: true,
      description: 'Time of deciding by the candidate over that by the baseline, here and now; null below 20 requests.',
    }),
    p99DeltaMs: t.exposeFloat('p99DeltaMs', {
      nullable: true,
      description: 'By how much the slowest hundredth is slower, milliseconds, here and now; null below 20 requests.',
    }),
    zones: t.field({ type: [ZonePlacements], description: 'Where instances go, by zone.', resolve: ({ zones }) => [...zones] }),
    chosenHosts: t.expose('chosen', { type: ChosenHosts, description: 'Whether a version packs or spreads.' }),
    shadowFilters: t.field({
      type: [ShadowFilterCount],
      description: 'The candidate’s filters in shadow mode: they refuse nobody, and this is what they would have done.',
      resolve: ({ shadowFilters }) => [...shadowFilters],
    }),
    disagreements: t.field({
      type: [ProfileDisagreement],
      description: 'New failures first, then new placements, then other hosts; at most 500 are told.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'How many, 1 to 500.' }) },
      resolve: ({ disagreements }, { first }) => {
        const count = first ?? 50
        if (count < 1 || count > MAX_PAGE) throw InputFault.at(['disagreements', 'first'], count, `1 to ${MAX_PAGE}`)
        return disagreements.slice(0, count)
      },
    }),
    text: t.exposeString('text', { description: 'The numbers as a sentence, with what they do not cover.' }),
  }),
})

const ProfileCandidate = builder.inputType('ProfileCandidateInput', {
  description: 'The version to try.',
  isOneOf: true,
  fields: (t) => ({
    version: t.id({ description: 'Global id of a version, or name@number.' }),
    draft: t.field({ type: 'JSON', description: 'A profile that is not written yet: an object with filters, weighers and the rest.' }),
  }),
})

/** A name alone is its active version. */
const refOf = (given: string, path: readonly string[]): string =>
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(given) ? given : idOf('ProfileVersion', given, path)

builder.queryField('compareProfiles', (t) =>
  t.field({
    type: ProfileComparison,
    authScopes: { scope: 'READ' },
    description: 'Decides requests of the last hours again, by a baseline and by a candidate, and tells what differs. Claims nothing.',
    args: {
      baseline: t.arg.id({ required: true, description: 'Global id of a version, name@number, or a name for its active version.' }),
      candidate: t.arg({ type: ProfileCandidate, required: true, description: 'The version to try.' }),
      window: t.arg({ type: 'Duration', description: 'How far back; PT1H if not given, at most P31D.' }),
      sample: t.arg.int({ description: 'How many requests at most, drawn evenly; 200 if not given, at most 10,000.' }),
      deadline: t.arg({ type: 'Duration', description: 'How long it may take; PT30S if not given, at most PT60S.' }),
    },
    resolve: (_root, { baseline, candidate, window, sample, deadline }, { compareProfiles }) =>
      compareProfiles({
        baseline: refOf(baseline, ['baseline']),
        candidate: toCandidate(candidate),
        windowMs: window ?? null,
        sample: sample ?? null,
        deadlineMs: deadline ?? null,
      }),
  }),
)

const toCandidate = ({ version, draft }: typeof ProfileCandidate.$inferInput): Candidate =>
  version ? { version: idOf('ProfileVersion', version, ['candidate', 'version']) } : { draft }

const UsedPartKind = builder.enumType('ProfilePartUseKind', {
  description: 'What of a profile.',
  values: ['FILTER', 'WEIGHER', 'SETTING'] as const,
})

const PartUse = builder.objectRef<PartUseShape>('ProfilePartUse').implement({
  description: 'A part of a profile, and whether it changed anything.',
  fields: (t) => ({
    kind: t.expose('kind', { type: UsedPartKind, description: 'A filter, a weigher, or a setting that is not as it is by default.' }),
    name: t.exposeString('name', { description: 'Its name, such as tieOrder or options of RamFilter.' }),
    isUnused: t.exposeBoolean('isUnused', { description: 'It changed nothing in any of the decisions.' }),
    text: t.exposeString('text', { description: 'The same as a sentence without its beginning.' }),
  }),
})

const UnusedParts = builder.objectRef<UnusedPartsShape>('UnusedParts').implement({
  description:
    'What of a profile version changed nothing in the last decisions, each made again on the state that it met: filters that refused no host, weighers without which every instance goes to the same host, settings that might as well be as they are by default. Another day may need them.',
  fields: (t) => ({
    candidate: t.string({
      description: 'The version that was looked at.',
      resolve: ({ candidate: { name, number } }) => `${name}@${number}`,
    }),
    found: t.exposeInt('found', { description: 'Decisions that there are of the last so many.' }),
    decided: t.exposeInt('decided', { description: 'Decisions that were looked at.' }),
    parts: t.field({ type: [PartUse], description: 'In the order of the profile.', resolve: ({ parts }) => [...parts] }),
    text: t.exposeString('text', { description: 'What was looked at, and what came of it.' }),
  }),
})

builder.queryField('unusedParts', (t) =>
  t.field({
    type: UnusedParts,
    authScopes: { scope: 'READ' },
    description: 'Names filters, weighers and settings of a version that changed nothing in the last decisions. Claims nothing.',
    args: {
      baseline: t.arg.id({ required: true, description: 'The profile whose decisions: global id of a version, name@number, or a name.' }),
      candidate: t.arg({ type: ProfileCandidate, required: true, description: 'The version to look at.' }),
      last: t.arg.int({ description: 'How many decisions, newest first; 100 if not given, at most 1,000.' }),
      deadline: t.arg({ type: 'Duration', description: 'How long it may take; PT30S if not given, at most PT60S.' }),
    },
    resolve: (_root, { baseline, candidate, last, deadline }, { findUnusedParts }) =>
      findUnusedParts({
        baseline: refOf(baseline, ['baseline']),
        candidate: toCandidate(candidate),
        last: last ?? null,
        deadlineMs: deadline ?? null,
      }),
  }),
)
