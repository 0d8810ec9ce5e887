import type { ProfileDone, StepOptions } from '../../services/profile/profiles.ts'
import { builder } from '../builder.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { idOf } from '../types/ids.ts'
import { Profile, ProfileVersion } from '../types/refs.ts'
import { pathIn, profileVersionInput, toParts, twoSchedulers } from './profile-input.ts'
import { RolloutMode } from './rollout.ts'

const RolloutInput = builder.inputType('RolloutInput', {
  description: 'How to try a profile version.',
  fields: (t) => ({
    mode: t.field({ type: RolloutMode, required: true, description: 'How the version is tried.' }),
    percent: t.float({
      description:
        'The percentage of calls that the rollout affects, 0.01 to 100. Calls that name a version are never affected. For a shadow 100 by default; required for a canary.',
    }),
  }),
})

const ProfilePayload = builder.objectRef<ProfileDone>('ProfilePayload').implement({
  description: 'The profile has the requested state; for a dry run, the state that the profile would have.',
  fields: (t) => ({
    profile: t.expose('profile', { type: Profile, description: 'The profile in its present state.' }),
    version: t.expose('version', {
      type: ProfileVersion,
      description: 'The version that was created, or the version whose state was changed.',
    }),
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
    description:
      'Creates the next version of a profile. The first version of a new profile is active at once; a later version must be activated.',
    args: {
      profile: t.arg.string({ required: true, description: 'The name of the profile: 1 to 63 lower-case letters, digits and dashes.' }),
      input: t.arg({ type: profileVersionInput.type, required: true, description: 'The content of the version.' }),
      ifLatest: t.arg.int({
        description:
          'The number of the latest version that the caller read; 0 if no version exists. The call is refused if the latest version has another number.',
      }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: the call returns the resulting version, or why it cannot be created, and changes nothing.',
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
    description:
      'Activates a version of its profile, or tries the version in a rollout next to the active version. An activation ends any rollout.',
    args: {
      version: t.arg.id({ required: true, description: 'The version, as global id or name@number.' }),
      rollout: t.arg({ type: RolloutInput, description: 'How to try the version; if absent, the version is activated.' }),
      ifStanding: t.arg.string({
        description:
          'The value of `Profile.standing` that the caller read. The call is refused if the state of the profile has changed since.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns its effect and changes nothing.' }),
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
      'Ends the rollout of a version. If there is no rollout, activates the version that was active before. Each repetition goes back one more version.',
    args: {
      profile: t.arg.string({ required: true, description: 'Name of the profile.' }),
      reason: t.arg.string({ required: true, description: 'Why the change is made, recorded in the audit; 1 to 255 characters.' }),
      ifStanding: t.arg.string({
        description:
          'The value of `Profile.standing` that the caller read. The call is refused if the state of the profile has changed since.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns its effect and changes nothing.' }),
    },
    resolve: (_root, { profile, reason, ...options }, { profiles }) => profiles.rollBack(profile, reason, stepOptions(options)),
  }),
}))
