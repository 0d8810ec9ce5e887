import type { KeyLimitsConflict as Conflict, KeyLimitsDone, KeyLimitsView } from '../services/key-limits.ts'
import { builder } from './builder.ts'
import { resultUnion, UserError, ValidationError } from './errors.ts'

const KeyLimits = builder.objectRef<KeyLimitsView>('KeyLimits').implement({
  description:
    'How many idempotency keys are kept after their claims have ended, and for how long. A setting of the fleet, kept in its log.',
  fields: (t) => ({
    cap: t.exposeInt('cap', {
      description: 'Keys whose claims have all ended, at most; beyond, new keys are refused. Keys of live claims do not count.',
    }),
    afterlife: t.expose('afterlifeMs', { type: 'Duration', description: 'How long a key outlives its last claim, in store time.' }),
    version: t.exposeInt('version', { description: 'How often they were set; name it as ifVersion.' }),
    endedKeys: t.exposeInt('ended', { description: 'Keys that count against the cap now.' }),
    keptKeys: t.exposeInt('kept', { description: 'All keys that are kept now.' }),
  }),
})

const KeyLimitsPayload = builder.objectRef<KeyLimitsDone>('KeyLimitsPayload').implement({
  description: 'They are as asked.',
  fields: (t) => ({
    keyLimits: t.expose('limits', { type: KeyLimits, description: 'As they are now, or would be.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const KeyLimitsConflict = builder.objectRef<Conflict>('KeyLimitsConflict').implement({
  description: 'They were set since they were read. Look at the present ones and set those.',
  interfaces: [UserError],
  fields: (t) => ({ current: t.expose('current', { type: KeyLimits, description: 'As they are now.' }) }),
})

const KeyLimitsResult = resultUnion(
  'KeyLimitsResult',
  'Ends of setting the limits of idempotency keys.',
  [KeyLimitsPayload, KeyLimitsConflict, ValidationError],
  { done: 'KeyLimitsPayload', 'key-limits-conflict': 'KeyLimitsConflict' },
)

builder.queryField('keyLimits', (t) =>
  t.field({
    type: KeyLimits,
    authScopes: { scope: 'OPERATE' },
    description: 'The limits of idempotency keys, and how many there are. Answered from memory.',
    resolve: (_root, _args, { keyLimits }) => keyLimits.view(),
  }),
)

builder.mutationField('keyLimitsUpdate', (t) =>
  t.field({
    type: KeyLimitsResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Sets how many ended idempotency keys are kept, and for how long: for those that have ended already too.',
    args: {
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      cap: t.arg.int({ required: true, description: '1000 to 100000000.' }),
      afterlife: t.arg({ type: 'Duration', required: true, description: 'PT1M to PT24H.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell what they would be.' }),
    },
    resolve: (_root, { ifVersion, cap, afterlife, dryRun }, { keyLimits }) =>
      keyLimits.update(ifVersion, { cap, afterlifeMs: afterlife }, dryRun ?? false),
  }),
)
