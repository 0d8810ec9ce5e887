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
    'How a version is tried. SHADOW: it decides in addition to the active version on the same states, and claims nothing. CANARY: it decides a share of the calls. If the share grows, calls that were in the share stay in it.',
  values: rolloutModes,
})

const RankedChoice = builder.objectRef<RankedChoiceShape>('RankedChoice').implement({
  description: 'The host that one profile version chooses for an instance, and the rank that the other version gives this host.',
  fields: (t) => ({
    hostName: t.exposeString('host', {
      nullable: true,
      description: 'The name of the chosen host, or host/node if they differ. Null if the version chooses no host; see `because`.',
    }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description:
        'The rank that the other version gives the host for this instance, on the state of the decision; 1 is the best. Null if the host has no rank.',
    }),
    because: t.exposeString('because', {
      nullable: true,
      description:
        'Why the host has no rank, as a sentence: the other version refuses the host, or one of the versions places no instance. Null if the host has a rank.',
    }),
  }),
})

const RolloutDisagreement = builder.objectRef<KeptDisagreement>('RolloutDisagreement').implement({
  description: 'A decision for which the active version and the candidate differ.',
  fields: (t) => ({
    decision: t.field({
      type: Decision,
      description: 'The original decision on the request.',
      resolve: ({ decision }, _args, { decisions }) => decisions.view(decision),
    }),
    at: t.expose('at', { type: 'DateTime', description: "When the decision was made, by the database's clock." }),
    kind: t.expose('kind', { type: DisagreementKind, description: "How the candidate's result differs from the active version's." }),
    because: t.exposeString('because', { description: 'The result of the version that did not make the decision, as a sentence.' }),
    instance: t.exposeInt('instance', {
      nullable: true,
      description:
        'The index of the first instance that goes to another host; 0 is the first instance of the request. Null if one version places fewer instances.',
    }),
    baselineChoice: t.expose('baseline', {
      type: RankedChoice,
      description: "The host that the active version chooses, with the candidate's rank of this host.",
    }),
    candidateChoice: t.expose('candidate', {
      type: RankedChoice,
      description: "The host that the candidate chooses, with the active version's rank of this host.",
    }),
  }),
})

const sampledIn = ({ agreed, elsewhere, newFailures, newPlacements }: RolloutStepShape): number =>
  agreed + elsewhere + newFailures + newPlacements

const RolloutStep = builder.objectRef<RolloutStepShape>('RolloutStep').implement({
  description: 'The decisions in one time step of a rollout, and the results of the version that did not make them.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: "When the step begins (inclusive), by the database's clock." }),
    until: t.expose('until', { type: 'DateTime', description: "When the step ends (exclusive), by the database's clock." }),
    sampled: t.int({
      description: 'How many decisions were replayed: the sum of `agreed`, `newFailures`, `newPlacements` and `elsewhere`.',
      resolve: sampledIn,
    }),
    agreed: t.exposeInt('agreed', { description: 'In how many replayed decisions both versions chose the same hosts.' }),
    elsewhere: t.exposeInt('elsewhere', {
      description: 'In how many replayed decisions the candidate chose other hosts than the active version.',
    }),
    newFailures: t.exposeInt('newFailures', {
      description: 'For how many replayed decisions the candidate places fewer instances than the active version.',
    }),
    newPlacements: t.exposeInt('newPlacements', {
      description: 'For how many replayed decisions the candidate places more instances than the active version.',
    }),
    agreement: t.float({
      nullable: true,
      description: 'The share of replayed decisions in which both versions chose the same hosts, 0 to 1; null if no decision was replayed.',
      resolve: (step) => (sampledIn(step) === 0 ? null : step.agreed / sampledIn(step)),
    }),
    skipped: t.exposeInt('skipped', {
      description: 'How many decisions could not be replayed in time. They are not among the replayed ones.',
    }),
    notSolved: t.exposeInt('notSolved', {
      description: 'For how many decisions a replay would need a solver. They are not among the replayed ones.',
    }),
  }),
})

export const Rollout = builder.objectRef<RolloutView>('Rollout').implement({
  description: 'A profile version that is being tried next to the active version.',
  fields: (t) => ({
    mode: t.expose('mode', { type: RolloutMode, description: 'How the candidate is tried: as a shadow or as a canary.' }),
    percent: t.float({
      description: 'The percentage of calls that the rollout affects. Calls that name a version are never affected.',
      resolve: ({ share }) => share / 100,
    }),
    candidate: t.expose('candidate', { type: ProfileVersion, description: 'The version that is being tried.' }),
    since: t.expose('since', { type: 'DateTime', description: "When this candidate started in this mode, by the database's clock." }),
    sampled: t.int({
      description:
        'How many decisions of either version this replica has replayed with the other version, on the same state, since the rollout began or since the replica started. Includes placements of all replicas, and refusals of this replica.',
      resolve: ({ report }) => report?.sampled ?? 0,
    }),
    skipped: t.int({
      description: 'How many decisions this replica had no time to replay.',
      resolve: ({ report }) => report?.skipped ?? 0,
    }),
    notSolved: t.int({
      description:
        'For how many decisions a replay by the other version would need a solver. The results are not known, so these decisions are not among the replayed ones.',
      resolve: ({ report }) => report?.notSolved ?? 0,
    }),
    agreement: t.float({
      nullable: true,
      description:
        'The share of replayed decisions in which both versions choose the same hosts, 0 to 1; null if no decision was replayed.',
      resolve: ({ report }) => (report === undefined || report.sampled === 0 ? null : report.counts.SAME / report.sampled),
    }),
    newFailures: t.int({
      description: 'For how many replayed decisions the candidate places fewer instances than the active version.',
      resolve: ({ report }) => report?.counts.NEW_FAILURE ?? 0,
    }),
    newPlacements: t.int({
      description: 'For how many replayed decisions the candidate places more instances than the active version.',
      resolve: ({ report }) => report?.counts.NEW_PLACEMENT ?? 0,
    }),
    overTime: t.field({
      type: [RolloutStep],
      description:
        'The results of all replicas since the rollout began, at most 31 days, oldest first. The steps have equal lengths of at least a minute and include steps without decisions. The replica that made a decision counts it a few seconds later.',
      args: {
        most: t.arg.int({ defaultValue: 60, description: `At most this many steps are returned, ${steps.least} to ${steps.most}.` }),
      },
      resolve: (rollout, { most }, { rollouts }) => rollouts.overTime(rollout, most ?? 60),
    }),
    disagreements: t.field({
      type: [RolloutDisagreement],
      description:
        'The decisions of all replicas for which the active version and the candidate differ, newest first. Each replica stores at most fifty per minute, and the newest 500 of the rollout are stored for 31 days.',
      args: { first: t.arg.int({ defaultValue: 50, description: `At most this many decisions are listed, 1 to ${MAX_PAGE}.` }) },
      resolve: async (rollout, { first }, { rollouts }) => [...(await rollouts.disagreements(rollout, first))],
    }),
  }),
})
