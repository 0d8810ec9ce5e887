import { InputFault } from '../../services/calls/outcome.ts'
import { MAX_PAGE } from '../../services/calls/paging.ts'
import type { ProfileDisagreement as Disagreement, ProfileComparison as Shape } from '../../services/profile/compare-profiles.ts'
import type { Candidate } from '../../services/profile/decide-again.ts'
import type { PartUse as PartUseShape, UnusedParts as UnusedPartsShape } from '../../services/profile/unused-parts.ts'
import { builder } from '../builder.ts'
import { idOf } from '../types/ids.ts'
import { Decision, ProfileVersion } from '../types/refs.ts'

/** The kinds of disagreements, in comparisons and rollouts. */
export const DisagreementKind = builder.enumType('DisagreementKind', {
  description:
    'NEW_FAILURE: fewer instances are placed than under the other version; NEW_PLACEMENT: more are; ELSEWHERE: they go to other hosts.',
  values: ['NEW_FAILURE', 'NEW_PLACEMENT', 'ELSEWHERE'] as const,
})

const ProfileDisagreement = builder.objectRef<Disagreement>('ProfileDisagreement').implement({
  description: 'A request that the candidate decides differently, on the state of its original decision.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision that was made.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'Kind of difference between the two.' }),
    baselineHosts: t.stringList({ description: 'The hosts that the baseline chooses.', resolve: (one) => [...one.baselineHosts] }),
    candidateHosts: t.stringList({ description: 'The hosts that the candidate chooses.', resolve: (one) => [...one.candidateHosts] }),
    because: t.exposeString('because', { description: 'The reason, as a sentence.' }),
  }),
})

const ChosenHostFullness = builder.objectRef<Shape['chosen']['fullness'][number]>('ChosenHostFullness').implement({
  description: 'How full the chosen hosts were, for a resource class: the higher, the more a version packs.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The resource class.' }),
    baseline: t.exposeFloat('baseline', {
      nullable: true,
      description:
        "By the baseline: the mean share of its capacity, 0 to 1, that was used on an instance's host before its request; null if it places none.",
    }),
    candidate: t.exposeFloat('candidate', { nullable: true, description: 'Fullness of the hosts that the candidate chose.' }),
  }),
})

const ChosenHosts = builder.objectRef<Shape['chosen']>('ChosenHosts').implement({
  description: 'The chosen hosts, each request on the state of its original decision.',
  fields: (t) => ({
    baselineHostCount: t.int({ description: 'The number of different hosts, by the baseline.', resolve: ({ hosts }) => hosts.baseline }),
    candidateHostCount: t.int({ description: 'The number of different hosts, by the candidate.', resolve: ({ hosts }) => hosts.candidate }),
    fullness: t.field({
      type: [ChosenHostFullness],
      description: 'How full they were, by class.',
      resolve: ({ fullness }) => [...fullness],
    }),
  }),
})

const ZoneResources = builder.objectRef<Shape['zones'][number]['resources'][number]>('ZoneResources').implement({
  description: 'The amount of a resource class that the instances placed in a zone take.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The resource class.' }),
    baseline: t.expose('baseline', { type: 'SafeInt', description: 'By the baseline, in the unit of the class.' }),
    candidate: t.expose('candidate', { type: 'SafeInt', description: 'Amount that the candidate takes in the zone.' }),
  }),
})

const ZonePlacements = builder.objectRef<Shape['zones'][number]>('ZonePlacements').implement({
  description: 'Instances that each version places in a zone.',
  fields: (t) => ({
    zone: t.exposeString('zone', { description: 'Name of the availability zone.' }),
    baseline: t.exposeInt('baseline', { description: 'Instances that the baseline places in the zone.' }),
    candidate: t.exposeInt('candidate', { description: 'Instances that the candidate places in the zone.' }),
    resources: t.field({
      type: [ZoneResources],
      description:
        'The resources that these take there, class by class; over all zones as much as a version places. Classes of which both place nothing there are left out.',
      resolve: ({ resources }) => [...resources],
    }),
  }),
})

const LeftOut = builder.objectRef<Shape['leftOut']>('LeftOutRequests').implement({
  description: 'Requests of the window that were not repeated, by reason.',
  fields: (t) => ({
    notDrawn: t.exposeInt('notDrawn', { description: 'More than the sample.' }),
    beyondRetention: t.exposeInt('beyondRetention', { description: 'Older than the log.' }),
    outOfTime: t.exposeInt('outOfTime', { description: 'The deadline was over.' }),
    notReplayable: t.exposeInt('notReplayable', { description: 'An object that they need no longer exists.' }),
    notSolved: t.exposeInt('notSolved', {
      description: 'A version with the scheduler SOLVER that did not decide them would have asked its solver: its decision is not known.',
    }),
    unreadable: t.exposeInt('unreadable', { description: 'Their records cannot be read (RECORD_UNREADABLE).' }),
  }),
})

const ShadowFailure = builder.objectRef<Shape['shadowFilters'][number]['failing'][number]>('ShadowFilterFailure').implement({
  description: 'A request that a filter in shadow mode would have failed.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision that was made.' }),
    because: t.exposeString('because', { description: 'The filter that refuses, as a sentence.' }),
  }),
})

const ShadowFilterCount = builder.objectRef<Shape['shadowFilters'][number]>('ShadowFilterCount').implement({
  description:
    'The effect that a filter in shadow mode would have had if it alone had been enforced, in addition to the other filters of the candidate.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    wouldFail: t.exposeInt('wouldFail', { description: 'Requests of which fewer instances would be placed.' }),
    wouldMove: t.exposeInt('wouldMove', { description: 'Requests that would go to other hosts.' }),
    notSolved: t.exposeInt('notSolved', {
      description: 'Requests for which the solver would have been asked: their results are not known.',
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
    'The results that requests of the last hours would have had under another profile, each independently on the state of its original decision. The effect of one placement on the next is not followed: `zones` adds up what each takes, and how full the fleet would be at the end is not computed.',
  fields: (t) => ({
    baseline: t.expose('baseline', { type: ProfileVersion, description: 'The version that the candidate is compared with.' }),
    candidateName: t.string({
      description: 'The candidate, name@number; for a draft the number that it would get.',
      resolve: ({ candidate }) => `${candidate.name}@${candidate.number}`,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'The start of the window; store time.' }),
    until: t.expose('until', { type: 'DateTime', description: 'End of the time that was compared.' }),
    total: t.exposeInt('total', { description: 'Requests that versions of the baseline’s name decided in the window.' }),
    sampled: t.exposeInt('sampled', { description: 'Requests of these that were repeated.' }),
    leftOut: t.expose('leftOut', { type: LeftOut, description: 'Requests that were not compared.' }),
    agreement: t.float({
      nullable: true,
      description: 'The share of repeated requests with the same hosts as under the baseline, 0 to 1; null if there is none.',
      resolve: ({ sampled, counts }) => (sampled === 0 ? null : counts.SAME / sampled),
    }),
    elsewhere: t.int({ description: 'Requests that go to other hosts.', resolve: ({ counts }) => counts.ELSEWHERE }),
    newFailures: t.int({ description: 'Requests of which fewer instances are placed.', resolve: ({ counts }) => counts.NEW_FAILURE }),
    newPlacements: t.int({ description: 'Requests of which more instances are placed.', resolve: ({ counts }) => counts.NEW_PLACEMENT }),
    cpuRatio: t.exposeFloat('cpuRatio', {
      nullable: true,
      description: "The candidate's decision time divided by the baseline's, here and now; null below 20 requests.",
    }),
    p99DeltaMs: t.exposeFloat('p99DeltaMs', {
      nullable: true,
      description: 'How much slower the slowest hundredth is, milliseconds, here and now; null below 20 requests.',
    }),
    zones: t.field({ type: [ZonePlacements], description: 'The placed instances by zone.', resolve: ({ zones }) => [...zones] }),
    chosenHosts: t.expose('chosen', { type: ChosenHosts, description: 'Whether a version packs or spreads.' }),
    shadowFilters: t.field({
      type: [ShadowFilterCount],
      description: 'The candidate’s filters in shadow mode: they refuse no host, and these are the refusals that they would have made.',
      resolve: ({ shadowFilters }) => [...shadowFilters],
    }),
    disagreements: t.field({
      type: [ProfileDisagreement],
      description: 'New failures first, then new placements, then other hosts; at most 500 are listed.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'The maximum number, 1 to 500.' }) },
      resolve: ({ disagreements }, { first }) => {
        const count = first ?? 50
        if (count < 1 || count > MAX_PAGE) throw InputFault.at(['disagreements', 'first'], count, `1 to ${MAX_PAGE}`)
        return disagreements.slice(0, count)
      },
    }),
    text: t.exposeString('text', { description: 'The numbers as a sentence, with their limits.' }),
  }),
})

const ProfileCandidate = builder.inputType('ProfileCandidateInput', {
  description: 'The version to evaluate.',
  isOneOf: true,
  fields: (t) => ({
    version: t.id({ description: 'The global id of a version, or name@number.' }),
    draft: t.field({
      type: 'JSON',
      description: 'A profile that is not written yet: an object with filters, weighers and the other fields.',
    }),
  }),
})

/** A name without a number means its active version. */
const refOf = (given: string, path: readonly string[]): string =>
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(given) ? given : idOf('ProfileVersion', given, path)

builder.queryField('compareProfiles', (t) =>
  t.field({
    type: ProfileComparison,
    authScopes: { scope: 'READ' },
    description: 'Repeats decisions of the last hours by a baseline and by a candidate, and returns the differences. Claims nothing.',
    args: {
      baseline: t.arg.id({ required: true, description: 'The global id of a version, name@number, or a name for its active version.' }),
      candidate: t.arg({ type: ProfileCandidate, required: true, description: 'The version to evaluate.' }),
      window: t.arg({ type: 'Duration', description: 'The length of the window; PT1H by default, at most P31D.' }),
      sample: t.arg.int({ description: 'The maximum number of requests, drawn evenly; 200 by default, at most 10,000.' }),
      deadline: t.arg({ type: 'Duration', description: 'The time limit; PT30S by default, at most PT60S.' }),
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
  description: 'The kinds of parts of a profile.',
  values: ['FILTER', 'WEIGHER', 'SETTING'] as const,
})

const PartUse = builder.objectRef<PartUseShape>('ProfilePartUse').implement({
  description: 'A part of a profile, and whether it changed anything.',
  fields: (t) => ({
    kind: t.expose('kind', { type: UsedPartKind, description: 'A filter, a weigher, or a setting that differs from its default.' }),
    name: t.exposeString('name', { description: 'The name, such as tieOrder or options of RamFilter.' }),
    isUnused: t.exposeBoolean('isUnused', { description: 'Whether it changed nothing in all of the decisions.' }),
    text: t.exposeString('text', { description: 'The same as the end of a sentence.' }),
  }),
})

const UnusedParts = builder.objectRef<UnusedPartsShape>('UnusedParts').implement({
  description:
    'The parts of a profile version that changed nothing in the last decisions, each replayed on its original state: filters that refused no host, weighers without which every instance goes to the same host, settings whose default has the same effect. Other requests may need them.',
  fields: (t) => ({
    candidate: t.string({
      description: 'The version that was examined.',
      resolve: ({ candidate: { name, number } }) => `${name}@${number}`,
    }),
    found: t.exposeInt('found', { description: 'The number of the last decisions that exist.' }),
    decided: t.exposeInt('decided', { description: 'The number of decisions that were examined.' }),
    parts: t.field({ type: [PartUse], description: 'In the order of the profile.', resolve: ({ parts }) => [...parts] }),
    text: t.exposeString('text', { description: 'What was compared, and the result.' }),
  }),
})

builder.queryField('unusedParts', (t) =>
  t.field({
    type: UnusedParts,
    authScopes: { scope: 'READ' },
    description: 'Finds filters, weighers and settings of a version that changed nothing in the last decisions. Claims nothing.',
    args: {
      baseline: t.arg.id({
        required: true,
        description: 'The profile whose decisions are used: the global id of a version, name@number, or a name.',
      }),
      candidate: t.arg({ type: ProfileCandidate, required: true, description: 'The version to examine.' }),
      last: t.arg.int({ description: 'The number of decisions, newest first; 100 by default, at most 1,000.' }),
      deadline: t.arg({ type: 'Duration', description: 'The time limit; PT30S by default, at most PT60S.' }),
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
