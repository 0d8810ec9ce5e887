import type { KeptReceipt } from '../../services/decision/decisions.ts'
import {
  type VerificationCheck as Check,
  type DecisionVerification as Shape,
  verifiedParts,
} from '../../services/decision/verify-decision.ts'
import { builder } from '../builder.ts'
import { Fidelity } from '../explanation/explanation.ts'
import { idOf } from '../types/ids.ts'
import { Decision } from '../types/refs.ts'

const DecisionReceipt = builder.objectRef<KeptReceipt>('DecisionReceipt').implement({
  description: 'SHA-256 hashes, 64 hexadecimal digits, that show whether a decision is unchanged: the same on every replica.',
  fields: (t) => ({
    inputs: t.exposeString('inputs', {
      nullable: true,
      description: 'The hash of all inputs, computed when the decision was kept; null for a decision that an older release kept.',
    }),
    decided: t.exposeString('decided', {
      nullable: true,
      description: 'The hash of hosts, scores, alternates, counts and the best ten, computed at the same time.',
    }),
    row: t.exposeString('row', {
      nullable: true,
      description:
        'The hash of outcome, time, account, claims, reasons, and of the hosts and instances in search columns, computed at the same time; null for a decision from before this hash existed.',
    }),
    matrix: t.exposeString('matrix', {
      nullable: true,
      description:
        "The hash of all filters' verdicts on all hosts, for every instance (on a large fleet for the first instances: a million verdicts in all, at least eight instances); null until verifyDecision replays it for the first time.",
    }),
    matrixSince: t.expose('matrixAt', { type: 'DateTime', nullable: true, description: 'Store time of that replay.' }),
  }),
})

builder.objectField(Decision, 'receipt', (t) =>
  t.field({
    type: DecisionReceipt,
    description: 'The hashes that later show whether the decision is unchanged.',
    resolve: async (view, _args, { decisions }) => decisions.receiptOf(await view.load()),
  }),
)

builder.objectField(Decision, 'replica', (t) =>
  t.string({
    nullable: true,
    description:
      'The name of the replica that made it, from its log entry. Null: nothing was appended, as for a refusal or advice, or the log no longer contains the entry.',
    resolve: async (view, _args, { log }) => log.writerOf(await view.load()),
  }),
)

builder.objectField(Decision, 'explanationRetainedUntil', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Until when it can be replayed exactly, estimated from the present growth of the log and its limits of age and size (fleetLog). Null: it cannot be replayed exactly any longer, and its explanations are APPROXIMATE.',
    resolve: async (view, _args, { log }) => log.retainedUntil(await view.load()),
  }),
)

const CheckOutcome = builder.enumType('VerificationOutcome', {
  description: 'SAME: equal to the last bit. UNKNOWN: there is nothing to compare with, or it cannot be replayed.',
  values: ['SAME', 'DIFFERENT', 'UNKNOWN'] as const,
})

const VerifiedPart = builder.enumType('VerifiedPart', {
  description:
    'The compared parts. INPUTS, DECIDED, ROW: the stored record and its columns with its receipt; LOG: with its log entry; REPLAY: with a new decision on the same inputs; MATRIX: all verdicts with the hash of the first replay.',
  values: verifiedParts,
})

const VerificationDifference = builder.objectRef<NonNullable<Check['difference']>>('VerificationDifference').implement({
  description: 'The first difference of two documents.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path: members and positions, joined by dots.' }),
    was: t.exposeString('was', { nullable: true, description: 'The value as JSON; null if absent.' }),
    is: t.exposeString('is', { nullable: true, description: 'The other value as JSON; null if absent.' }),
  }),
})

const VerificationCheck = builder.objectRef<Check>('VerificationCheck').implement({
  description: 'One comparison of a decision with its replay.',
  fields: (t) => ({
    part: t.expose('part', { type: VerifiedPart, description: 'The part of the decision that was compared.' }),
    outcome: t.expose('outcome', { type: CheckOutcome, description: 'How the comparison ended.' }),
    text: t.exposeString('text', { description: 'The same as a sentence.' }),
    kept: t.exposeString('kept', { nullable: true, description: 'The hash that was stored.' }),
    found: t.exposeString('found', { nullable: true, description: 'The hash of the present content.' }),
    difference: t.expose('difference', { type: VerificationDifference, nullable: true, description: 'The first difference.' }),
  }),
})

const DecisionVerification = builder.objectRef<Shape>('DecisionVerification').implement({
  description: 'A decision compared with its receipt, with the log, and with its replay.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision that was replayed.' }),
    outcome: t.expose('outcome', {
      type: CheckOutcome,
      description:
        'DIFFERENT if any check is; UNKNOWN if neither a hash nor the log shows the original; otherwise the result of the replay.',
    }),
    fidelity: t.expose('fidelity', { type: Fidelity, description: 'APPROXIMATE: it was not replayed, or was decided by another release.' }),
    fleetRevision: t.field({
      type: 'Revision',
      nullable: true,
      description: 'The revision on which it was replayed; null if that was not possible.',
      resolve: ({ revision }) => revision,
    }),
    checks: t.field({ type: [VerificationCheck], description: 'One check for each part.', resolve: ({ checks }) => [...checks] }),
  }),
})

builder.queryField('verifyDecision', (t) =>
  t.field({
    type: DecisionVerification,
    authScopes: { scope: 'READ' },
    description: 'Replays a decision and compares it with its receipt, with the log, and every verdict with those of the first replay.',
    args: { id: t.arg.id({ required: true, description: 'Global id of the object.' }) },
    resolve: (_root, { id }, { verifyDecision }) => verifyDecision(idOf('Decision', id, ['id'])),
  }),
)
