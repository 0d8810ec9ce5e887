import type { KeyLimitsConflict as Conflict, KeyLimitsDone, KeyLimitsView } from '../../services/fleet/key-limits.ts'
import { builder } from '../builder.ts'
import { resultUnion, UserError, ValidationError } from '../types/errors.ts'

const KeyLimits = builder.objectRef<KeyLimitsView>('KeyLimits').implement({
  description:
    'How many idempotency keys are kept after their claims have ended, and for how long. A setting of the fleet, kept in its log.',
  fields: (t) => ({
    cap: t.exposeInt('cap', {
      description:
        'The maximum number of keys whose claims have all ended; beyond it new keys are refused. Keys of live claims do not count.',
    }),
    afterlife: t.expose('afterlifeMs', { type: 'Duration', description: 'How long a key is kept after its last claim, in store time.' }),
    version: t.exposeInt('version', { description: 'How many times the limits were set; pass it as ifVersion.' }),
    endedKeys: t.exposeInt('ended', { description: 'The number of keys that count towards the limit now.' }),
    keptKeys: t.exposeInt('kept', { description: 'The number of all kept keys.' }),
  }),
})

const KeyLimitsPayload = builder.objectRef<KeyLimitsDone>('KeyLimitsPayload').implement({
  description: 'The limits have the requested values.',
  fields: (t) => ({
    keyLimits: t.expose('limits', { type: KeyLimits, description: 'The present limits, or the result of the dry run.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const KeyLimitsConflict = builder.objectRef<Conflict>('KeyLimitsConflict').implement({
  description: 'The limits were set after they were read. Read the present ones and set those.',
  interfaces: [UserError],
  fields: (t) => ({ current: t.expose('current', { type: KeyLimits, description: 'The present limits.' }) }),
})

const KeyLimitsResult = resultUnion(
  'KeyLimitsResult',
  'Outcomes of setting the limits of idempotency keys.',
  [KeyLimitsPayload, KeyLimitsConflict, ValidationError],
  { done: 'KeyLimitsPayload', 'key-limits-conflict': 'KeyLimitsConflict' },
)

builder.queryField('keyLimits', (t) =>
  t.field({
    type: KeyLimits,
    authScopes: { scope: 'OPERATE' },
    description: 'The limits of idempotency keys, and their number. Answered from memory.',
    resolve: (_root, _args, { keyLimits }) => keyLimits.view(),
  }),
)

builder.mutationField('keyLimitsUpdate', (t) =>
  t.field({
    type: KeyLimitsResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Sets how many ended idempotency keys are kept, and for how long; applies to keys that have ended already too.',
    args: {
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      cap: t.arg.int({ required: true, description: '1000 to 100000000.' }),
      afterlife: t.arg({ type: 'Duration', required: true, description: 'PT1M to PT24H.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the effect of the call, and changes nothing.' }),
    },
    resolve: (_root, { ifVersion, cap, afterlife, dryRun }, { keyLimits }) =>
      keyLimits.update(ifVersion, { cap, afterlifeMs: afterlife }, dryRun ?? false),
  }),
)
