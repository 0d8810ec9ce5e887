import { rolloutModes } from '@gantt/scheduler-core'
import { MAX_PAGE } from '../../services/calls/paging.ts'
import { steps } from '../../services/decision/decision-counts.ts'
import type { RolloutView } from '../../services/profile/profiles.ts'
import type {
  KeptDisagreement,
  RankedChoice as RankedChoiceShape,
  RolloutStep as RolloutStepShape,
} from '../../services/profile/rollouts.ts'
import { builder } from '../builder.ts'
import { Decision, ProfileVersion } from '../types/refs.ts'
import { DisagreementKind } from './profile-comparison.ts'

export const RolloutMode = builder.enumType('RolloutMode', {
  description:
    'SHADOW: decides in addition to the active version on the same states, and claims nothing; CANARY: decides a share of the calls; when the share grows, the calls that were in it stay in it.',
  values: rolloutModes,
})

const RankedChoice = builder.objectRef<RankedChoiceShape>('RankedChoice').implement({
  description: 'The host of an instance by one version, and its rank by the other version.',
  fields: (t) => ({
    hostName: t.exposeString('host', { nullable: true, description: 'The host, or host/node if they differ; null: see because.' }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description:
        'The rank of the host in the order of the other version for this instance on the state of the decision, 1 = best; null if it has none.',
    }),
    because: t.exposeString('because', {
      nullable: true,
      description:
        'Why it has no rank, as a sentence: the other version refuses the host, or one of them places no instance; null if it has one.',
    }),
  }),
})

const RolloutDisagreement = builder.objectRef<KeptDisagreement>('RolloutDisagreement').implement({
  description: 'A decision for which the two versions differ, compared with the active one.',
  fields: (t) => ({
    decision: t.field({
      type: Decision,
      description: 'The decision that was made.',
      resolve: ({ decision }, _args, { decisions }) => decisions.view(decision),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'The store time of the decision.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'Kind of difference between the two.' }),
    because: t.exposeString('because', { description: 'The result of the version that did not decide, as a sentence.' }),
    instance: t.exposeInt('instance', {
      nullable: true,
      description: 'The first instance with another host, 0 = the first of the request; null if one version places fewer.',
    }),
    baselineChoice: t.expose('baseline', {
      type: RankedChoice,
      description: 'The host by the active version, and its rank by the candidate.',
    }),
    candidateChoice: t.expose('candidate', {
      type: RankedChoice,
      description: 'The host by the candidate, and its rank by the active version.',
    }),
  }),
})

const sampledIn = ({ agreed, elsewhere, newFailures, newPlacements }: RolloutStepShape): number =>
  agreed + elsewhere + newFailures + newPlacements

const RolloutStep = builder.objectRef<RolloutStepShape>('RolloutStep').implement({
  description: 'Decisions of one time step, and the results of the other version in a rollout.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'The start of the step, inclusive.' }),
    until: t.expose('until', { type: 'DateTime', description: 'The end of the step, exclusive.' }),
    sampled: t.int({ description: 'Decisions that were replayed: the sum of the next four fields.', resolve: sampledIn }),
    agreed: t.exposeInt('agreed', { description: 'Decisions of these with the same hosts.' }),
    elsewhere: t.exposeInt('elsewhere', { description: 'Decisions with other hosts.' }),
    newFailures: t.exposeInt('newFailures', { description: 'Decisions of which the candidate places fewer instances.' }),
    newPlacements: t.exposeInt('newPlacements', { description: 'Decisions of which the candidate places more instances.' }),
    agreement: t.float({
      nullable: true,
      description: 'The share of replayed decisions with the same hosts, 0 to 1; null if there is none.',
      resolve: (step) => (sampledIn(step) === 0 ? null : step.agreed / sampledIn(step)),
    }),
    skipped: t.exposeInt('skipped', { description: 'Decisions that could not be replayed in time; not among the replayed ones.' }),
    notSolved: t.exposeInt('notSolved', {
      description: 'Decisions that would need a solver; not among the replayed ones.',
    }),
  }),
})

export const Rollout = builder.objectRef<RolloutView>('Rollout').implement({
  description: 'A version that is being tried next to the one that decides.',
  fields: (t) => ({
    mode: t.expose('mode', { type: RolloutMode, description: 'How the version is tried.' }),
    percent: t.float({ description: 'The share of calls that name no version, percent.', resolve: ({ share }) => share / 100 }),
    candidate: t.expose('candidate', { type: ProfileVersion, description: 'The version that is tried.' }),
    since: t.expose('since', { type: 'DateTime', description: 'The time at which this candidate began in this mode; store time.' }),
    sampled: t.int({
      description:
        'Decisions of either version that this replica has replayed by the other one, on the same state, since the rollout began or since it started: placements of all replicas, refusals of its own.',
      resolve: ({ report }) => report?.sampled ?? 0,
    }),
    skipped: t.int({ description: 'Decisions for which it had no time.', resolve: ({ report }) => report?.skipped ?? 0 }),
    notSolved: t.int({
      description:
        'Decisions for which the other version would have asked its solver: its result is not known, and they are not among the replayed ones.',
      resolve: ({ report }) => report?.notSolved ?? 0,
    }),
    agreement: t.float({
      nullable: true,
      description: 'The share of replayed decisions in which both versions choose the same hosts, 0 to 1; null if there is none.',
      resolve: ({ report }) => (report === undefined || report.sampled === 0 ? null : report.counts.SAME / report.sampled),
    }),
    newFailures: t.int({
      description: 'Replayed decisions of which the candidate places fewer instances than the active version.',
      resolve: ({ report }) => report?.counts.NEW_FAILURE ?? 0,
    }),
    newPlacements: t.int({
      description: 'Replayed decisions of which the candidate places more instances.',
      resolve: ({ report }) => report?.counts.NEW_PLACEMENT ?? 0,
    }),
    overTime: t.field({
      type: [RolloutStep],
      description:
        'The findings of all replicas since the rollout began, at most 31 days, in steps of equal length, a minute or more, oldest first; including steps without decisions. Each decision is counted by the replica that made it, a few seconds later.',
      args: { most: t.arg.int({ defaultValue: 60, description: `The maximum number of steps, ${steps.least} to ${steps.most}.` }) },
      resolve: (rollout, { most }, { rollouts }) => rollouts.overTime(rollout, most ?? 60),
    }),
    disagreements: t.field({
      type: [RolloutDisagreement],
      description:
        'The differing decisions of all replicas, latest first: of each minute the first fifty that a replica found, of the rollout the newest 500, for 31 days.',
      args: { first: t.arg.int({ defaultValue: 50, description: `The maximum number, 1 to ${MAX_PAGE}.` }) },
      resolve: async (rollout, { first }, { rollouts }) => [...(await rollouts.disagreements(rollout, first))],
    }),
  }),
})
