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
  description:
    'SHA-256 hashes of a decision, each with 64 hexadecimal digits. They show whether the stored decision is unchanged, and are the same on every replica.',
  fields: (t) => ({
    inputs: t.exposeString('inputs', {
      nullable: true,
      description:
        'The hash of all inputs of the decision, computed when the decision was stored. Null for a decision that an older release stored.',
    }),
    decided: t.exposeString('decided', {
      nullable: true,
      description:
        'The hash of the hosts, scores, alternates, counts and best ten hosts, computed when the decision was stored. Null for a decision that an older release stored.',
    }),
    row: t.exposeString('row', {
      nullable: true,
      description:
        'The hash of the outcome, time, account, claims and reasons, and of the hosts and instances in search columns, computed when the decision was stored. Null for a decision that was stored before this hash existed.',
    }),
    matrix: t.exposeString('matrix', {
      nullable: true,
      description:
        "The hash of all filters' verdicts on all hosts, for every instance. On a large fleet, the hash covers only the first instances: as many as have at most a million verdicts together, but at least eight. Null until verifyDecision replays the decision for the first time.",
    }),
    matrixSince: t.expose('matrixAt', {
      type: 'DateTime',
      nullable: true,
      description: "When verifyDecision first replayed the decision, by the database's clock.",
    }),
  }),
})

builder.objectField(Decision, 'receipt', (t) =>
  t.field({
    type: DecisionReceipt,
    description: 'Hashes of the decision, which show later whether the stored decision is unchanged.',
    resolve: async (view, _args, { decisions }) => decisions.receiptOf(await view.load()),
  }),
)

builder.objectField(Decision, 'replica', (t) =>
  t.string({
    nullable: true,
    description:
      "The name of the replica that made the decision, from the decision's log entry. Null if nothing was appended to the log, as for a refusal or a call that claims nothing, or if the log no longer contains the entry.",
    resolve: async (view, _args, { log }) => log.writerOf(await view.load()),
  }),
)

builder.objectField(Decision, 'explanationRetainedUntil', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Until when the decision can be replayed exactly, estimated from the present growth of the log and the limits of its age and size (`fleetLog`). Null if the decision can no longer be replayed exactly, so that its explanations are APPROXIMATE.',
    resolve: async (view, _args, { log }) => log.retainedUntil(await view.load()),
  }),
)

const CheckOutcome = builder.enumType('VerificationOutcome', {
  description:
    'The result of comparing a stored decision, or a part of it, with its receipt, the log or a replay. SAME: equal to the last bit. DIFFERENT: not equal. UNKNOWN: there is nothing to compare with, or the decision cannot be replayed.',
  values: ['SAME', 'DIFFERENT', 'UNKNOWN'] as const,
})

const VerifiedPart = builder.enumType('VerifiedPart', {
  description:
    'The comparisons that verifyDecision makes. INPUTS, DECIDED and ROW: the stored record and its columns are compared with the hashes in the receipt. LOG: the decision is compared with its log entry. REPLAY: the decision is compared with a new decision on the same inputs. MATRIX: all verdicts are compared with the hash of the first replay.',
  values: verifiedParts,
})

const VerificationDifference = builder.objectRef<NonNullable<Check['difference']>>('VerificationDifference').implement({
  description: 'The first difference between what was recorded and what this check found.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path to the value that differs, as field names and indexes joined by dots.' }),
    was: t.exposeString('was', { nullable: true, description: 'The recorded value, as JSON; null if absent.' }),
    is: t.exposeString('is', { nullable: true, description: 'The value found in this check, as JSON; null if absent.' }),
  }),
})

const VerificationCheck = builder.objectRef<Check>('VerificationCheck').implement({
  description: 'One comparison of a stored decision with its receipt, the log or a replay.',
  fields: (t) => ({
    part: t.expose('part', { type: VerifiedPart, description: 'Which part of the decision was compared, and with what.' }),
    outcome: t.expose('outcome', { type: CheckOutcome, description: 'The result of comparing this part of the decision.' }),
    text: t.exposeString('text', { description: 'The result of comparing this part of the decision, as a sentence.' }),
    kept: t.exposeString('kept', {
      nullable: true,
      description: 'The hash that was stored for this part of the decision; null if there is none.',
    }),
    found: t.exposeString('found', {
      nullable: true,
      description: 'The hash that was computed for this part of the decision now; null if the comparison does not use hashes.',
    }),
    difference: t.expose('difference', {
      type: VerificationDifference,
      nullable: true,
      description: 'The first difference between what was recorded and what this check found; null if there is none.',
    }),
  }),
})

const DecisionVerification = builder.objectRef<Shape>('DecisionVerification').implement({
  description: 'The result of comparing a stored decision with its receipt, with the log, and with a replay.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision that was checked.' }),
    outcome: t.expose('outcome', {
      type: CheckOutcome,
      description:
        'The result of all checks. DIFFERENT if any check is DIFFERENT. UNKNOWN if there is neither a stored hash nor a log entry to compare with. In all other cases, the result of the replay.',
    }),
    fidelity: t.expose('fidelity', {
      type: Fidelity,
      description: 'How reliable the replay is. APPROXIMATE if the decision could not be replayed, or was made by another release.',
    }),
    fleetRevision: t.field({
      type: 'Revision',
      nullable: true,
      description: 'The revision of the fleet on which the decision was replayed; null if the replay was not possible.',
      resolve: ({ revision }) => revision,
    }),
    checks: t.field({
      type: [VerificationCheck],
      description: 'The comparisons, one for each part of the decision.',
      resolve: ({ checks }) => [...checks],
    }),
  }),
})

builder.queryField('verifyDecision', (t) =>
  t.field({
    type: DecisionVerification,
    authScopes: { scope: 'READ' },
    description: 'Replays a decision and compares it with its receipt and with the log, and compares every verdict with the first replay.',
    args: { id: t.arg.id({ required: true, description: 'Global id of the object.' }) },
    resolve: (_root, { id }, { verifyDecision }) => verifyDecision(idOf('Decision', id, ['id'])),
  }),
)
