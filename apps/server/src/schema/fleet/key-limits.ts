import type { KeyLimitsConflict as Conflict, KeyLimitsDone, KeyLimitsView } from '../../services/fleet/key-limits.ts'
import { builder } from '../builder.ts'
import { resultUnion, UserError, ValidationError } from '../types/errors.ts'

const KeyLimits = builder.objectRef<KeyLimitsView>('KeyLimits').implement({
  description:
    'How many idempotency keys are retained after their claims have ended, and for how long. These limits apply to the whole fleet and are stored in its log.',
  fields: (t) => ({
    cap: t.exposeInt('cap', {
      description:
        'At most this many keys whose claims have all ended are retained. When the limit is reached, calls with new keys are refused. Keys with live claims are not limited.',
    }),
    afterlife: t.expose('afterlifeMs', {
      type: 'Duration',
      description: "How long a key is retained after its last claim has ended, by the database's clock.",
    }),
    version: t.exposeInt('version', { description: 'How many times the limits were set. Pass this number as `ifVersion`.' }),
    endedKeys: t.exposeInt('ended', { description: 'How many retained keys have no live claims and therefore count towards `cap`.' }),
    keptKeys: t.exposeInt('kept', { description: 'How many keys are retained in total.' }),
  }),
})

const KeyLimitsPayload = builder.objectRef<KeyLimitsDone>('KeyLimitsPayload').implement({
  description: 'The limits have the requested values.',
  fields: (t) => ({
    keyLimits: t.expose('limits', {
      type: KeyLimits,
      description: 'The limits after the change; for a dry run, the limits as they would be.',
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const KeyLimitsConflict = builder.objectRef<Conflict>('KeyLimitsConflict').implement({
  description: 'The limits were changed after the caller read them. Read the present limits and repeat the change with them.',
  interfaces: [UserError],
  fields: (t) => ({ current: t.expose('current', { type: KeyLimits, description: 'The present limits.' }) }),
})

const KeyLimitsResult = resultUnion(
  'KeyLimitsResult',
  'Outcomes of keyLimitsUpdate.',
  [KeyLimitsPayload, KeyLimitsConflict, ValidationError],
  { done: 'KeyLimitsPayload', 'key-limits-conflict': 'KeyLimitsConflict' },
)

builder.queryField('keyLimits', (t) =>
  t.field({
    type: KeyLimits,
    authScopes: { scope: 'OPERATE' },
    description: 'The limits on idempotency keys, and how many keys are retained. Answered from memory.',
    resolve: (_root, _args, { keyLimits }) => keyLimits.view(),
  }),
)

builder.mutationField('keyLimitsUpdate', (t) =>
  t.field({
    type: KeyLimitsResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Sets how many idempotency keys are retained after their claims have ended, and for how long. The limits also apply to keys whose claims have already ended.',
    args: {
      ifVersion: t.arg.int({
        required: true,
        description: 'The version that the caller read. The call is refused if the present version differs.',
      }),
      cap: t.arg.int({
        required: true,
        description: 'At most this many keys whose claims have all ended are retained, 1000 to 100000000.',
      }),
      afterlife: t.arg({
        type: 'Duration',
        required: true,
        description: 'How long a key is retained after its last claim has ended, PT1M to PT24H.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: the call returns its effect and changes nothing.' }),
    },
    resolve: (_root, { ifVersion, cap, afterlife, dryRun }, { keyLimits }) =>
      keyLimits.update(ifVersion, { cap, afterlifeMs: afterlife }, dryRun ?? false),
  }),
)
