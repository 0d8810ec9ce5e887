import { rolloutModes } from '@gantt/scheduler-core'
import { steps } from '../services/decision-counts.ts'
import { MAX_PAGE } from '../services/paging.ts'
import type { RolloutView } from '../services/profiles.ts'
import type { KeptDisagreement, RankedChoice as RankedChoiceShape, RolloutStep as RolloutStepShape } from '../services/rollouts.ts'
import { builder } from './builder.ts'
import { DisagreementKind } from './profile-comparison.ts'
import { Decision, ProfileVersion } from './refs.ts'

export const RolloutMode = builder.enumType('RolloutMode', {
  description:
    'SHADOW: decides beside the active version on the same states, and claims nothing; CANARY: decides for a share of the calls, the same ones for as long as it grows.',
  values: rolloutModes,
})

const RankedChoice = builder.objectRef<RankedChoiceShape>('RankedChoice').implement({
  description: 'Where a version puts an instance, and how the other version ranks that host.',
  fields: (t) => ({
    hostName: t.exposeString('host', { nullable: true, description: 'The host, host/node where they differ; null: see because.' }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description:
        'Its place in the order of the other version for this instance on the state of the decision, 1 = best; null: it has none.',
    }),
    because: t.exposeString('because', {
      nullable: true,
      description:
        'Why it has no rank, as a sentence: the other version refuses the host, or one of them finds none; null where it has one.',
    }),
  }),
})

const RolloutDisagreement = builder.objectRef<KeptDisagreement>('RolloutDisagreement').implement({
  description: 'A decision that the two versions make otherwise, seen from the active one.',
  fields: (t) => ({
    decision: t.field({
      type: Decision,
      description: 'What was decided.',
      resolve: ({ decision }, _args, { decisions }) => decisions.view(decision),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was decided; store time.' }),
    kind: t.expose('kind', { type: DisagreementKind, description: 'How they differ.' }),
    because: t.exposeString('because', { description: 'What the version that did not decide would have done, as a sentence.' }),
    instance: t.exposeInt('instance', {
      nullable: true,
      description: 'The first instance that goes to another host, 0 = the first of the request; null where a version places fewer.',
    }),
    baselineChoice: t.expose('baseline', {
      type: RankedChoice,
      description: 'Where the active version puts it, and its rank by the candidate.',
    }),
    candidateChoice: t.expose('candidate', {
      type: RankedChoice,
      description: 'Where the candidate puts it, and its rank by the active version.',
    }),
  }),
})

const sampledIn = ({ agreed, elsewhere, newFailures, newPlacements }: RolloutStepShape): number =>
  agreed + elsewhere + newFailures + newPlacements

const RolloutStep = builder.objectRef<RolloutStepShape>('RolloutStep').implement({
  description: 'Decisions of a short time, and how the other version of a rollout makes them.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it begins: in it.' }),
    until: t.expose('until', { type: 'DateTime', description: 'When it ends: not in it.' }),
    sampled: t.int({ description: 'Decisions that were made again: the next four added up.', resolve: sampledIn }),
    agreed: t.exposeInt('agreed', { description: 'Of these, those that go to the same hosts.' }),
    elsewhere: t.exposeInt('elsewhere', { description: 'Those that go to other hosts.' }),
    newFailures: t.exposeInt('newFailures', { description: 'Those of which fewer instances find a host by the candidate.' }),
    newPlacements: t.exposeInt('newPlacements', { description: 'Those of which more do.' }),
    agreement: t.float({
      nullable: true,
      description: 'Share of the sampled that go to the same hosts, 0 to 1; null where there is none.',
      resolve: (step) => (sampledIn(step) === 0 ? null : step.agreed / sampledIn(step)),
    }),
    skipped: t.exposeInt('skipped', { description: 'Decisions that there was no time for; not among the sampled.' }),
    notSolved: t.exposeInt('notSolved', {
      description: 'Decisions about which a solver would have to be asked; not among the sampled.',
    }),
  }),
})

export const Rollout = builder.objectRef<RolloutView>('Rollout').implement({
  description: 'A version that is being tried beside the one that decides.',
  fields: (t) => ({
    mode: t.expose('mode', { type: RolloutMode, description: 'How.' }),
    percent: t.float({ description: 'Of the calls that name no version.', resolve: ({ share }) => share / 100 }),
    candidate: t.expose('candidate', { type: ProfileVersion, description: 'The version that is tried.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When this candidate began in this mode; store time.' }),
    sampled: t.int({
      description:
        'Decisions of either version that this replica has made again by the other one, on the same state, since the rollout or since it started: placements of all replicas, refusals of its own.',
      resolve: ({ report }) => report?.sampled ?? 0,
    }),
    skipped: t.int({ description: 'Decisions that it had no time for.', resolve: ({ report }) => report?.skipped ?? 0 }),
    notSolved: t.int({
      description:
        'Decisions about which the version that did not make them would have asked its solver: what it decides is not known, and they are not among the sampled.',
      resolve: ({ report }) => report?.notSolved ?? 0,
    }),
    agreement: t.float({
      nullable: true,
      description: 'Share of the sampled in which both go to the same hosts, 0 to 1; null while there is none.',
      resolve: ({ report }) => (report === undefined || report.sampled === 0 ? null : report.counts.SAME / report.sampled),
    }),
    newFailures: t.int({
      description: 'Of the sampled, those of which fewer instances find a host by the candidate than by the active version.',
      resolve: ({ report }) => report?.counts.NEW_FAILURE ?? 0,
    }),
    newPlacements: t.int({ description: 'Those of which more do.', resolve: ({ report }) => report?.counts.NEW_PLACEMENT ?? 0 }),
    overTime: t.field({
      type: [RolloutStep],
      description:
        'What all replicas found from the begin of the rollout on, 31 days at most, in steps of one length, a minute or more, oldest first; steps in which nothing was looked at too. Each decision is counted by the replica that made it, and a few seconds later.',
      args: { most: t.arg.int({ defaultValue: 60, description: `At most so many, ${steps.least} to ${steps.most}.` }) },
      resolve: (rollout, { most }, { rollouts }) => rollouts.overTime(rollout, most ?? 60),
    }),
    disagreements: t.field({
      type: [RolloutDisagreement],
      description:
        'Of all replicas, latest first: of each minute the first fifty that a replica came upon, of the rollout the newest 500, for 31 days.',
      args: { first: t.arg.int({ defaultValue: 50, description: `How many at most, 1 to ${MAX_PAGE}.` }) },
      resolve: async (rollout, { first }, { rollouts }) => [...(await rollouts.disagreements(rollout, first))],
    }),
  }),
})
