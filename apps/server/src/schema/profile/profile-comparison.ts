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
    'How a result for a request differs from the result with which it is compared. NEW_FAILURE: fewer instances are placed. NEW_PLACEMENT: more instances are placed. ELSEWHERE: the instances go to other hosts.',
  values: ['NEW_FAILURE', 'NEW_PLACEMENT', 'ELSEWHERE'] as const,
})

const ProfileDisagreement = builder.objectRef<Disagreement>('ProfileDisagreement').implement({
  description: 'A request that the candidate and the baseline decide differently, on the state of the original decision.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The original decision on the request.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: "How the candidate's result differs from the baseline's." }),
    baselineHosts: t.stringList({ description: 'The hosts that the baseline chooses.', resolve: (one) => [...one.baselineHosts] }),
    candidateHosts: t.stringList({ description: 'The hosts that the candidate chooses.', resolve: (one) => [...one.candidateHosts] }),
    because: t.exposeString('because', { description: "Why the candidate's result differs from the baseline's, as a sentence." }),
  }),
})

const ChosenHostFullness = builder.objectRef<Shape['chosen']['fullness'][number]>('ChosenHostFullness').implement({
  description:
    'How full the chosen hosts were, for one resource class. A profile version with a higher value packs instances more tightly.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The name of the resource class.' }),
    baseline: t.exposeFloat('baseline', {
      nullable: true,
      description:
        'The mean used share of the resource class, 0 to 1, on the hosts that the baseline chose, before each request was placed; null if the baseline placed no instance.',
    }),
    candidate: t.exposeFloat('candidate', {
      nullable: true,
      description:
        'The mean used share of the resource class, 0 to 1, on the hosts that the candidate chose, before each request was placed; null if the candidate placed no instance.',
    }),
  }),
})

const ChosenHosts = builder.objectRef<Shape['chosen']>('ChosenHosts').implement({
  description: 'The hosts that the baseline and the candidate chose. Each request was decided on the state of its original decision.',
  fields: (t) => ({
    baselineHostCount: t.int({ description: 'How many different hosts the baseline chose.', resolve: ({ hosts }) => hosts.baseline }),
    candidateHostCount: t.int({ description: 'How many different hosts the candidate chose.', resolve: ({ hosts }) => hosts.candidate }),
    fullness: t.field({
      type: [ChosenHostFullness],
      description: 'How full the chosen hosts were, for each resource class.',
      resolve: ({ fullness }) => [...fullness],
    }),
  }),
})

const ZoneResources = builder.objectRef<Shape['zones'][number]['resources'][number]>('ZoneResources').implement({
  description: 'How much of a resource class the instances placed in a zone use.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The name of the resource class.' }),
    baseline: t.expose('baseline', {
      type: 'SafeInt',
      description: "The amount that the baseline's placements use, in units of the resource class.",
    }),
    candidate: t.expose('candidate', {
      type: 'SafeInt',
      description: "The amount that the candidate's placements use, in units of the resource class.",
    }),
  }),
})

const ZonePlacements = builder.objectRef<Shape['zones'][number]>('ZonePlacements').implement({
  description: 'The instances that the baseline and the candidate place in one availability zone.',
  fields: (t) => ({
    zone: t.exposeString('zone', { description: 'Name of the availability zone.' }),
    baseline: t.exposeInt('baseline', { description: 'How many instances the baseline places in the zone.' }),
    candidate: t.exposeInt('candidate', { description: 'How many instances the candidate places in the zone.' }),
    resources: t.field({
      type: [ZoneResources],
      description:
        'The resources that the placed instances use, by resource class. Classes of which neither version uses anything in the zone are left out.',
      resolve: ({ resources }) => [...resources],
    }),
  }),
})

const LeftOut = builder.objectRef<Shape['leftOut']>('LeftOutRequests').implement({
  description: 'How many requests of the time window were not replayed, by reason.',
  fields: (t) => ({
    notDrawn: t.exposeInt('notDrawn', {
      description: 'Requests that were not sampled, because the window has more requests than the sample.',
    }),
    beyondRetention: t.exposeInt('beyondRetention', { description: 'Requests whose state the log no longer contains.' }),
    outOfTime: t.exposeInt('outOfTime', { description: 'Requests that were not replayed before the deadline.' }),
    notReplayable: t.exposeInt('notReplayable', { description: 'Requests that need an object that no longer exists.' }),
    notSolved: t.exposeInt('notSolved', {
      description:
        'Requests whose replay would need a solver. The solver is not called for a version that did not make the original decision.',
    }),
    unreadable: t.exposeInt('unreadable', { description: 'Requests whose records cannot be read (RECORD_UNREADABLE).' }),
  }),
})

const ShadowFailure = builder.objectRef<Shape['shadowFilters'][number]['failing'][number]>('ShadowFilterFailure').implement({
  description: 'A request that a filter in shadow mode would have made fail.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The original decision on the request.' }),
    because: t.exposeString('because', { description: 'Why the filter refuses the hosts, as a sentence.' }),
  }),
})

const ShadowFilterCount = builder.objectRef<Shape['shadowFilters'][number]>('ShadowFilterCount').implement({
  description:
    'What would have changed if one filter in shadow mode had been enforced in addition to the enforced filters of the candidate.',
  fields: (t) => ({
    filter: t.exposeString('filter', { description: 'Name of the filter.' }),
    wouldFail: t.exposeInt('wouldFail', { description: 'For how many requests fewer instances would be placed.' }),
    wouldMove: t.exposeInt('wouldMove', { description: 'How many requests would go to other hosts.' }),
    notSolved: t.exposeInt('notSolved', {
      description: 'For how many requests a solver would have been called. Their results are not known.',
    }),
    failing: t.field({
      type: [ShadowFailure],
      description: 'The first ten requests that the filter would have made fail.',
      resolve: ({ failing }) => [...failing],
    }),
  }),
})

const ProfileComparison = builder.objectRef<Shape>('ProfileComparison').implement({
  description:
    'The results that requests of the last hours would have had under another profile. Each request is decided on the state of its original decision, independently of the other requests. How one placement affects the next is not simulated: `zones` sums up the resources of all placements, and the final usage of the fleet is not computed.',
  fields: (t) => ({
    baseline: t.expose('baseline', { type: ProfileVersion, description: 'The profile version with which the candidate is compared.' }),
    candidateName: t.string({
      description: 'The candidate as name@number; for a draft, the number that the draft would get.',
      resolve: ({ candidate }) => `${candidate.name}@${candidate.number}`,
    }),
    since: t.expose('since', { type: 'DateTime', description: "When the compared time window begins, by the database's clock." }),
    until: t.expose('until', { type: 'DateTime', description: "When the compared time window ends, by the database's clock." }),
    total: t.exposeInt('total', {
      description: "How many requests in the time window were decided by a version of the baseline's profile.",
    }),
    sampled: t.exposeInt('sampled', { description: 'How many requests of the time window were replayed.' }),
    leftOut: t.expose('leftOut', { type: LeftOut, description: 'How many requests of the time window were not compared, by reason.' }),
    agreement: t.float({
      nullable: true,
      description:
        'The share of replayed requests for which the candidate and the baseline choose the same hosts, 0 to 1; null if no request was replayed.',
      resolve: ({ sampled, counts }) => (sampled === 0 ? null : counts.SAME / sampled),
    }),
    elsewhere: t.int({
      description: 'How many requests go to other hosts under the candidate.',
      resolve: ({ counts }) => counts.ELSEWHERE,
    }),
    newFailures: t.int({
      description: 'For how many requests the candidate places fewer instances than the baseline.',
      resolve: ({ counts }) => counts.NEW_FAILURE,
    }),
    newPlacements: t.int({
      description: 'For how many requests the candidate places more instances than the baseline.',
      resolve: ({ counts }) => counts.NEW_PLACEMENT,
    }),
    cpuRatio: t.exposeFloat('cpuRatio', {
      nullable: true,
      description:
        "The candidate's decision time divided by the baseline's, measured on this replica; null if fewer than 20 requests were replayed.",
    }),
    p99DeltaMs: t.exposeFloat('p99DeltaMs', {
      nullable: true,
      description:
        "The candidate's 99th percentile of the decision time minus the baseline's, in milliseconds, measured on this replica; null if fewer than 20 requests were replayed.",
    }),
    zones: t.field({
      type: [ZonePlacements],
      description: 'The placed instances by availability zone.',
      resolve: ({ zones }) => [...zones],
    }),
    chosenHosts: t.expose('chosen', {
      type: ChosenHosts,
      description: 'How many different hosts were chosen and how full they were, which shows whether a version packs or spreads instances.',
    }),
    shadowFilters: t.field({
      type: [ShadowFilterCount],
      description: "The effect that the candidate's filters in shadow mode would have had. These filters do not refuse hosts.",
      resolve: ({ shadowFilters }) => [...shadowFilters],
    }),
    disagreements: t.field({
      type: [ProfileDisagreement],
      description:
        'The requests with different results, at most 500: new failures first, then new placements, then requests that go to other hosts.',
      args: { first: t.arg.int({ defaultValue: 50, description: 'At most this many requests are listed, 1 to 500.' }) },
      resolve: ({ disagreements }, { first }) => {
        const count = first ?? 50
        if (count < 1 || count > MAX_PAGE) throw InputFault.at(['disagreements', 'first'], count, `1 to ${MAX_PAGE}`)
        return disagreements.slice(0, count)
      },
    }),
    text: t.exposeString('text', { description: 'The result in words, with the counts, and how many decisions were left out and why.' }),
  }),
})

const ProfileCandidate = builder.inputType('ProfileCandidateInput', {
  description: 'The profile version or draft to evaluate. Exactly one of these fields must be set.',
  isOneOf: true,
  fields: (t) => ({
    version: t.id({ description: 'A version, as global id or name@number.' }),
    draft: t.field({
      type: 'JSON',
      description:
        'A draft of a profile that is not created yet, as an object with `filters`, `weighers` and the other fields of a version.',
    }),
  }),
})

/** Converts the id of a profile version to name@number. A profile name means the active version and is returned unchanged. */
const refOf = (given: string, path: readonly string[]): string =>
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(given) ? given : idOf('ProfileVersion', given, path)

builder.queryField('compareProfiles', (t) =>
  t.field({
    type: ProfileComparison,
    authScopes: { scope: 'READ' },
    description:
      'Replays decisions of the last hours with a baseline and with a candidate profile version, and returns the differences. Nothing is claimed.',
    args: {
      baseline: t.arg.id({
        required: true,
        description: 'The baseline: a version as global id or name@number, or a name, which means the active version of that profile.',
      }),
      candidate: t.arg({ type: ProfileCandidate, required: true, description: 'The profile version or draft to evaluate.' }),
      window: t.arg({ type: 'Duration', description: 'The length of the time window, which ends now; PT1H by default, at most P31D.' }),
      sample: t.arg.int({
        description: 'At most this many requests are replayed, drawn evenly from the time window; 200 by default, at most 10,000.',
      }),
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
  description: 'The kinds of parts whose effect is examined.',
  values: ['FILTER', 'WEIGHER', 'SETTING'] as const,
})

const PartUse = builder.objectRef<PartUseShape>('ProfilePartUse').implement({
  description: 'A filter, weigher or setting of a profile, and whether it changed the result of any decision.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: UsedPartKind,
      description: 'The kind of the part: a filter, a weigher, or a setting that differs from its default.',
    }),
    name: t.exposeString('name', { description: 'The name of the part, such as RamFilter, tieOrder or options of RamFilter.' }),
    isUnused: t.exposeBoolean('isUnused', { description: 'True if no examined decision would have another result without the part.' }),
    text: t.exposeString('text', { description: 'The effect of the part, in words that complete a sentence that begins with its name.' }),
  }),
})

const UnusedParts = builder.objectRef<UnusedPartsShape>('UnusedParts').implement({
  description:
    'The parts of a profile version that changed nothing in the last decisions, each replayed on its original state: filters that refused no host, weighers without which every instance would still go to the same host, and settings whose default values have the same effect. Other requests may need these parts.',
  fields: (t) => ({
    candidate: t.string({
      description: 'The profile version that was examined, as name@number; for a draft, the number that the draft would get.',
      resolve: ({ candidate: { name, number } }) => `${name}@${number}`,
    }),
    found: t.exposeInt('found', { description: 'How many of the requested last decisions exist.' }),
    decided: t.exposeInt('decided', { description: 'How many decisions were examined.' }),
    parts: t.field({
      type: [PartUse],
      description: 'The filters, weighers and settings, in the order of the profile.',
      resolve: ({ parts }) => [...parts],
    }),
    text: t.exposeString('text', {
      description: 'In words: how many decisions were replayed without each part, and how many parts changed nothing.',
    }),
  }),
})

builder.queryField('unusedParts', (t) =>
  t.field({
    type: UnusedParts,
    authScopes: { scope: 'READ' },
    description:
      'Finds the filters, weighers and settings of a profile version that changed nothing in the last decisions. Nothing is claimed.',
    args: {
      baseline: t.arg.id({
        required: true,
        description: 'The profile whose decisions are examined: a version as global id or name@number, or the name of the profile.',
      }),
      candidate: t.arg({
        type: ProfileCandidate,
        required: true,
        description: 'The version whose filters, weighers and settings are examined.',
      }),
      last: t.arg.int({ description: 'How many of the newest decisions are examined; 100 by default, at most 1,000.' }),
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
