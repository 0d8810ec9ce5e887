import type { KeptReceipt } from '../services/decisions.ts'
import { type VerificationCheck as Check, type DecisionVerification as Shape, verifiedParts } from '../services/verify-decision.ts'
import { builder } from './builder.ts'
import { Fidelity } from './explanation.ts'
import { idOf } from './ids.ts'
import { Decision } from './refs.ts'

const DecisionReceipt = builder.objectRef<KeptReceipt>('DecisionReceipt').implement({
  description: 'SHA-256 hashes, 64 hexadecimal digits, that show whether a decision is still what it was: the same on every replica.',
  fields: (t) => ({
    inputs: t.exposeString('inputs', {
      nullable: true,
      description: 'Of everything that decided, taken when the decision was kept; null for one that an older release kept.',
    }),
    decided: t.exposeString('decided', {
      nullable: true,
      description: 'Of hosts, scores, next bests, counts and the best ten, taken then too.',
    }),
    row: t.exposeString('row', {
      nullable: true,
      description:
        'Of outcome, time, account, claims, reasons, and the hosts and instances that it is searched by, taken then too; null for a decision that was kept before there was this hash.',
    }),
    matrix: t.exposeString('matrix', {
      nullable: true,
      description:
        "Of every filter's word on every host, of every instance (of many on a large fleet the first: a million verdicts in all, at least eight instances); null until verifyDecision replays it for the first time.",
    }),
    matrixSince: t.expose('matrixAt', { type: 'DateTime', nullable: true, description: 'When that was.' }),
  }),
})

builder.objectField(Decision, 'receipt', (t) =>
  t.field({
    type: DecisionReceipt,
    description: 'What shows later that it is still the same.',
    resolve: async (view, _args, { decisions }) => decisions.receiptOf(await view.load()),
  }),
)

builder.objectField(Decision, 'replica', (t) =>
  t.string({
    nullable: true,
    description:
      'Name of the replica that made it, as its entry of the log says. Null: nothing was appended, as for a refusal or advice, or the log does not reach back to it any more.',
    resolve: async (view, _args, { log }) => log.writerOf(await view.load()),
  }),
)

builder.objectField(Decision, 'explanationRetainedUntil', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Until when it can be made again exactly, at least by present growth of the log: its age or the size of the log ends first (fleetLog). Null: it is beyond that already, and explanations of it are APPROXIMATE.',
    resolve: async (view, _args, { log }) => log.retainedUntil(await view.load()),
  }),
)

const CheckOutcome = builder.enumType('VerificationOutcome', {
  description: 'SAME: to the last bit. UNKNOWN: there is nothing to compare with, or it cannot be made again.',
  values: ['SAME', 'DIFFERENT', 'UNKNOWN'] as const,
})

const VerifiedPart = builder.enumType('VerifiedPart', {
  description:
    'What is compared. INPUTS, DECIDED, ROW: the stored record and its columns with its receipt; LOG: with the entry that carried it; REPLAY: with what the same inputs decide now; MATRIX: every verdict with the hash of the first replay.',
  values: verifiedParts,
})

const VerificationDifference = builder.objectRef<NonNullable<Check['difference']>>('VerificationDifference').implement({
  description: 'Where two documents differ first.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Members and positions, joined by dots.' }),
    was: t.exposeString('was', { nullable: true, description: 'As JSON; null: not there.' }),
    is: t.exposeString('is', { nullable: true, description: 'As JSON; null: not there.' }),
  }),
})

const VerificationCheck = builder.objectRef<Check>('VerificationCheck').implement({
  description: 'One comparison.',
  fields: (t) => ({
    part: t.expose('part', { type: VerifiedPart, description: 'Of what.' }),
    outcome: t.expose('outcome', { type: CheckOutcome, description: 'How it ended.' }),
    text: t.exposeString('text', { description: 'The same as a sentence.' }),
    kept: t.exposeString('kept', { nullable: true, description: 'The hash that was kept.' }),
    found: t.exposeString('found', { nullable: true, description: 'The hash of what is there now.' }),
    difference: t.expose('difference', { type: VerificationDifference, nullable: true, description: 'The first difference.' }),
  }),
})

const DecisionVerification = builder.objectRef<Shape>('DecisionVerification').implement({
  description: 'A decision against its receipt, the log, and itself made again.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision.' }),
    outcome: t.expose('outcome', {
      type: CheckOutcome,
      description: 'DIFFERENT where any check is; UNKNOWN where neither a hash nor the log says what was kept; else as the replay is.',
    }),
    fidelity: t.expose('fidelity', { type: Fidelity, description: 'APPROXIMATE: not made again, or by another release.' }),
    fleetRevision: t.field({
      type: 'Revision',
      nullable: true,
      description: 'The state that it was made again on; null where it could not be.',
      resolve: ({ revision }) => revision,
    }),
    checks: t.field({ type: [VerificationCheck], description: 'One for each part.', resolve: ({ checks }) => [...checks] }),
  }),
})

builder.queryField('verifyDecision', (t) =>
  t.field({
    type: DecisionVerification,
    authScopes: { scope: 'READ' },
    description: 'Replays a decision and compares: with its receipt, with the log, and every verdict with those of the first replay.',
    args: { id: t.arg.id({ required: true, description: 'Its global id.' }) },
    resolve: (_root, { id }, { verifyDecision }) => verifyDecision(idOf('Decision', id, ['id'])),
  }),
)
