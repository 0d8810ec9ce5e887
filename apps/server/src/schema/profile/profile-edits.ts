import type { ProfileDone, StepOptions } from '../../services/profile/profiles.ts'
import { builder } from '../builder.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { idOf } from '../types/ids.ts'
import { Profile, ProfileVersion } from '../types/refs.ts'
import { pathIn, profileVersionInput, toParts, twoSchedulers } from './profile-input.ts'
import { RolloutMode } from './rollout.ts'

const RolloutInput = builder.inputType('RolloutInput', {
  description: 'How a version is tried.',
  fields: (t) => ({
    mode: t.field({ type: RolloutMode, required: true, description: 'How the version is tried.' }),
    percent: t.float({
      description:
        'The share of calls that name no version, percent: 0.01 to 100. All of them for a shadow by default; required for a canary.',
    }),
  }),
})

const ProfilePayload = builder.objectRef<ProfileDone>('ProfilePayload').implement({
  description: 'The profile is in the requested state, or would be.',
  fields: (t) => ({
    profile: t.expose('profile', { type: Profile, description: 'The present profile.' }),
    version: t.expose('version', { type: ProfileVersion, description: 'The affected version.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
  }),
})

const ProfileResult = resultUnion('ProfileResult', 'Outcomes of calls about profiles.', [ProfilePayload, NotFound, ValidationError], {
  done: 'ProfilePayload',
})

const stepOptions = ({
  dryRun,
  ifStanding,
}: {
  dryRun?: boolean | null | undefined
  ifStanding?: string | null | undefined
}): StepOptions => ({
  dryRun: dryRun ?? false,
  ifStanding: ifStanding ?? null,
})

builder.mutationFields((t) => ({
  profileVersionCreate: t.field({
    type: ProfileResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Writes the next version of a profile. It decides once it is activated; the first version of a new name decides at once.',
    args: {
      profile: t.arg.string({ required: true, description: 'The name: 1 to 63 lower-case letters, digits and dashes.' }),
      input: t.arg({ type: profileVersionInput.type, required: true, description: 'The version to write.' }),
      ifLatest: t.arg.int({
        description:
          'Refuse the call if the latest version of the name has another number (0: none was written), because the draft is then not based on the latest version.',
      }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: returns whether it could be written and the result, and changes nothing.',
      }),
    },
    resolve: (_root, { profile, input, ifLatest, dryRun }, { profiles }) =>
      twoSchedulers(input) ??
      profiles.create(profile, toParts(input), {
        ...{ ifLatest: ifLatest ?? null, dryRun: dryRun ?? false },
        pathOf: pathIn(input),
      }),
  }),
  profileActivate: t.field({
    type: ProfileResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Activates a version under its name, or tries it next to the active version. An activation ends any trial.',
    args: {
      version: t.arg.id({ required: true, description: 'The global id, or name@number.' }),
      rollout: t.arg({ type: RolloutInput, description: 'Only try the version in this way; by default it is activated.' }),
      ifStanding: t.arg.string({
        description:
          'Refuse the call if the state of the profile is another one now, so that the step is based on the state that was read.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the effect of the call, and changes nothing.' }),
    },
    resolve: (_root, { version, rollout, ...options }, { profiles }) =>
      profiles.activate(
        idOf('ProfileVersion', version, ['version']),
        rollout ? { mode: rollout.mode, percent: rollout.percent ?? null } : null,
        stepOptions(options),
      ),
  }),
  profileRollback: t.field({
    type: ProfileResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Ends the trial of a version; if none is tried, activates the version that was active before. Each repetition goes back one version further.',
    args: {
      profile: t.arg.string({ required: true, description: 'Name of the profile.' }),
      reason: t.arg.string({ required: true, description: 'The reason, for the audit; 1 to 255 characters.' }),
      ifStanding: t.arg.string({
        description:
          'Refuse the call if the state of the profile is another one now, so that the step is based on the state that was read.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the effect of the call, and changes nothing.' }),
    },
    resolve: (_root, { profile, reason, ...options }, { profiles }) => profiles.rollBack(profile, reason, stepOptions(options)),
  }),
}))
