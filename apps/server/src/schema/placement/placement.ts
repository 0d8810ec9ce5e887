import { type Destination as DestinationShape, intents, nameAt } from '@gantt/scheduler-core'
import type { ChosenHost, InstanceDestinations as InstanceDestinationsShape } from '../../services/placement/destinations.ts'
import type {
  ReplicaBehind as Behind,
  InstanceTaken as InstanceTakenShape,
  KeyConflict,
  NoHost,
  Placed,
} from '../../services/placement/placement.ts'
import { builder } from '../builder.ts'
import { ClaimLost, ClaimRef, reservationTtl } from '../claim/claim.ts'
import { ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { idOf } from '../types/ids.ts'
import { ReasonCount, RefusalCause } from '../types/reasons.ts'
import { Claim, Decision, Host } from '../types/refs.ts'
import { SpecInput, toSpecDocument } from './request-spec.ts'

const Intent = builder.enumType('Intent', {
  description:
    'The purpose of a placement. CREATE and UNSHELVE claim resources. RESIZE, LIVE_MIGRATE, COLD_MIGRATE and EVACUATE move a claim (`moveOf`): the claims on the source and on the destination are both held until the destination claim is confirmed or released. REBUILD checks whether the claim may stay on its host. PROBE checks whether the request fits at all. REBUILD and PROBE claim nothing.',
  values: intents,
})

export const ClaimMode = builder.enumType('ClaimMode', {
  description:
    'How resources are claimed. NONE: hosts are chosen, but nothing is claimed. RESERVE: held until the TTL ends. CONFIRM: held until released, without a separate confirmation.',
  values: ['NONE', 'RESERVE', 'CONFIRM'] as const,
})

export const ExplainLevel = builder.enumType('ExplainLevel', {
  description: 'Has no effect. In older releases, it set the level of detail of explanations. Now the selected fields determine the level.',
  values: ['NONE', 'SUMMARY', 'FULL'] as const,
})

export const ClaimOptionsInput = builder.inputType('ClaimOptionsInput', {
  description: 'Whether and for how long the resources are claimed.',
  fields: (t) => ({
    mode: t.field({ type: ClaimMode, required: true, description: 'How the resources are claimed; NONE to choose hosts without a claim.' }),
    ttl: t.field({ type: 'Duration', description: reservationTtl }),
    untilCounted: t.boolean({
      defaultValue: false,
      description:
        'True: a reservation also ends when its host, which does not list its instances, counts the instance: its reported figures rise by the amounts of the reservation (docs/claims.md). For callers that do not confirm, such as Nova of 2014. While a live replica cannot read such reservations (below feature level 11), the reservation ends only by its TTL, and `ignoredFields` lists the field.',
    }),
  }),
})

const SelectDestinationsInput = builder.inputType('SelectDestinationsInput', {
  description: 'A call to place a request.',
  fields: (t) => ({
    spec: t.field({ type: SpecInput, required: true, description: 'The request to place.' }),
    intent: t.field({ type: Intent, required: true, defaultValue: 'CREATE', description: 'The purpose of the placement.' }),
    moveOf: t.field({
      type: ClaimRef,
      description: "The claim to move or rebuild. The request gets the claim's instance and server group.",
    }),
    idempotencyKey: t.string({
      required: true,
      description:
        'The idempotency key of the call, 1 to 255 characters, unique within the calling account. A repeated call with the same key gets the same answer without a second claim. Keys are retained for the life of the claim and for an hour after it.',
    }),
    claim: t.field({ type: ClaimOptionsInput, defaultValue: { mode: 'RESERVE' }, description: 'How the resources are claimed.' }),
    alternatesPerInstance: t.int({
      defaultValue: 2,
      description: "At most this many alternates for each instance, 0 to 10; nothing is claimed on them. Like Nova's return_alternates.",
    }),
    profile: t.string({ description: 'The profile to use, as name or name@number; the profile `default` if absent.' }),
    allOrNothing: t.boolean({ defaultValue: true, description: 'False: as many instances as fit are placed. True: all or none.' }),
    explain: t.field({
      type: ExplainLevel,
      description: 'Has no effect.',
      deprecationReason: 'Select decision { explanation { ... } } in the answer instead. The explanation then has the selected fields.',
    }),
    minRevision: t.field({ type: 'Revision', description: 'If the replica has not reached this revision, the answer is ReplicaBehind.' }),
    deadline: t.field({ type: 'Duration', description: 'How long the caller waits for the answer; PT10S by default, at most PT60S.' }),
  }),
})

const ResourceLimit = builder.objectRef<readonly [string, number]>('ResourceLimit').implement({
  description: 'The maximum amount of one resource class that may be used on the host. The compute service can check this limit again.',
  fields: (t) => ({
    resource: t.string({ description: 'Name of the resource class.', resolve: ([name]) => name }),
    limit: t.field({
      type: 'SafeInt',
      description:
        "The amount that the use of the host may reach. For a host that reports in Nova's form, this use is Nova's own figure, which counts reserved amounts as used.",
      resolve: ([, limit]) => limit,
    }),
  }),
})

const limitsOf = ({ limits }: DestinationShape) => Object.entries(limits)

const Destination = builder.objectRef<ChosenHost>('Destination').implement({
  description: 'A chosen host or an alternate for one instance.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'The chosen host or the alternate.' }),
    weight: t.float({ description: 'The total score of the host.', resolve: ({ destination }) => destination.weight }),
    claim: t.expose('claim', { type: Claim, nullable: true, description: 'The claim on the host; null if no claim was made on it.' }),
    reportAge: t.field({
      type: 'Duration',
      nullable: true,
      description:
        "How old the host's report was when the host was chosen, counted from its last report in the log, which is the last one with new content. Null if the log no longer contains that report.",
      resolve: async ({ host: { record }, decided }, _args, { reportAges }) => {
        const then = await decided()
        // the name of the host at the time of the decision is used, because the host can have a different name now
        return reportAges.of(nameAt(record, then.basis), then)
      },
    }),
    limits: t.field({
      type: [ResourceLimit],
      description: 'For each requested resource class, the total that may be allocated on the host, with all its instances counted.',
      resolve: ({ destination }) => limitsOf(destination),
    }),
  }),
})

export const InstanceDestinations = builder.objectRef<InstanceDestinationsShape>('InstanceDestinations').implement({
  description: 'The chosen host of an instance, and its alternates.',
  fields: (t) => ({
    instanceUuid: t.expose('instance', {
      type: 'UUID',
      nullable: true,
      description: 'The UUID of the instance; null if the request does not name the instance.',
    }),
    selected: t.expose('selected', { type: Destination, description: 'The chosen host.' }),
    alternates: t.field({
      type: [Destination],
      description: 'The next best hosts, best first.',
      resolve: ({ alternates }) => [...alternates],
    }),
  }),
})

const ignoredFields =
  'The paths in the request of fields that had no effect: fields of a Nova document that this release does not know, extra specs, hints and image properties that nothing in the profile reads, and hints, volumes and ports that no recent document locates, unless a filter refuses hosts for that. Includes `claim.ttl` (`ttl` of claimCreate) if nothing is reserved, `claim.untilCounted` if nothing is reserved, if a claim moves, or while a live replica cannot read such reservations, and `claim.mode` if it is CONFIRM and the intent claims nothing.'

const unlocatedFields =
  'Those of `ignoredFields` that something in the profile reads, and that have no effect because no recent document of another service locates the volumes and ports that they name, for example because the collector of a host is paused.'

const SelectDestinationsPayload = builder.objectRef<Placed>('SelectDestinationsPayload').implement({
  description: 'The instances are placed, and their claims are stored durably.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision, from which the placement can be explained later.' }),
    destinations: t.field({
      type: [InstanceDestinations],
      description: 'The chosen hosts and alternates, in the order of the instances.',
      resolve: ({ destinations }) => [...destinations],
    }),
    replayed: t.exposeBoolean('replayed', { description: 'True if an earlier call with the same idempotency key got the same answer.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
    ignoredFields: t.exposeStringList('ignored', { description: ignoredFields }),
    unlocatedFields: t.stringList({ description: unlocatedFields, resolve: ({ unlocated }) => [...unlocated()] }),
  }),
})

const NoValidHost = builder.objectRef<NoHost>('NoValidHost').implement({
  description: 'No host can take an instance of the request. Nothing is claimed, and the idempotency key can be used again.',
  interfaces: [UserError],
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision, from which the refusal can be explained later.' }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused for the instance that was not placed. Each reason is listed once, in the order of the cause, and the code of the cause comes first.',
      resolve: ({ reasons }) => [...reasons],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'The cause of the refusal, which the message describes, as separate fields. Null for a key that is bound to a project.',
      resolve: ({ cause }) => cause,
    }),
    placedCount: t.exposeInt('placedCount', { description: 'How many instances found a host before the first instance that did not.' }),
    ignoredFields: t.exposeStringList('ignored', { description: ignoredFields }),
    unlocatedFields: t.stringList({ description: unlocatedFields, resolve: ({ unlocated }) => [...unlocated()] }),
  }),
})

const IdempotencyConflict = builder.objectRef<KeyConflict>('IdempotencyConflict').implement({
  description: 'An earlier call used the same idempotency key for another request.',
  interfaces: [UserError],
  fields: (t) => ({
    firstSeenAt: t.expose('firstSeenAt', { type: 'DateTime', description: "When the key was first used, by the database's clock." }),
  }),
})

const InstanceTaken = builder.objectRef<InstanceTakenShape>('InstanceTaken').implement({
  description:
    'An instance of the request already has a live claim in its project, or in its account if there is no project. Nothing is claimed, and the idempotency key can be used again.',
  interfaces: [UserError],
  fields: (t) => ({
    rule: t.exposeString('rule', { description: 'The code of the violated rule, from the catalogue of errors: `claim.instance_taken`.' }),
    claim: t.expose('claim', { type: Claim, nullable: true, description: 'The live claim; null if the caller may not read it.' }),
  }),
})

const ReplicaBehind = builder.objectRef<Behind>('ReplicaBehind').implement({
  description: 'The answering replica has not yet reached the revision `minRevision` of the call.',
  interfaces: [UserError],
  fields: (t) => ({
    replicaEpoch: t.expose('revision', { type: 'Revision', description: 'The revision that the replica has reached.' }),
    retryAfter: t.expose('retryAfterMs', { type: 'Duration', description: 'How long to wait before a retry.' }),
  }),
})

const placed = {
  placed: 'SelectDestinationsPayload',
  'no-host': 'NoValidHost',
  'key-conflict': 'IdempotencyConflict',
  'instance-taken': 'InstanceTaken',
  behind: 'ReplicaBehind',
}

const SelectDestinationsResult = resultUnion(
  'SelectDestinationsResult',
  'Outcomes of selectDestinations.',
  [SelectDestinationsPayload, NoValidHost, ValidationError, IdempotencyConflict, ClaimLost, InstanceTaken, ReplicaBehind],
  placed,
)

builder.mutationField('selectDestinations', (t) =>
  t.field({
    type: SelectDestinationsResult,
    authScopes: { scope: 'SCHEDULE' },
    description: 'Chooses a host for every instance of a request, and claims the resources.',
    args: { input: t.arg({ type: SelectDestinationsInput, required: true, description: 'The request, and how to place it.' }) },
    resolve: (_root, { input }, { placement, caller }) =>
      placement.select(caller.account, {
        spec: toSpecDocument(input.spec, ['input', 'spec']),
        intent: input.intent,
        moveOf: input.moveOf ? { id: idOf('Claim', input.moveOf.id, ['input', 'moveOf', 'id']), fence: input.moveOf.fence } : null,
        idempotencyKey: input.idempotencyKey,
        mode: input.claim?.mode ?? 'RESERVE',
        ttlMs: input.claim?.ttl ?? null,
        untilCounted: input.claim?.untilCounted ?? false,
        alternatesPerInstance: input.alternatesPerInstance ?? 2,
        profile: input.profile ?? null,
        allOrNothing: input.allOrNothing ?? true,
        minRevision: input.minRevision ?? null,
        deadlineMs: input.deadline ?? null,
      }),
  }),
)

const ClaimCreateInput = builder.inputType('ClaimCreateInput', {
  description: 'A claim on a host that an earlier decision named, usually an alternate.',
  fields: (t) => ({
    idempotencyKey: t.string({ required: true, description: 'The idempotency key; the rules of selectDestinations apply to it.' }),
    decisionId: t.id({ required: true, description: 'The decision whose request is placed on the host.' }),
    host: t.field({ type: ResourceNameInput, required: true, description: 'The host whose resources are claimed.' }),
    instanceUuid: t.field({ type: 'UUID', description: 'An instance in the request of the decision; by default its first instance.' }),
    mode: t.field({ type: ClaimMode, defaultValue: 'RESERVE', description: 'How the resources are claimed: RESERVE or CONFIRM.' }),
    ttl: t.field({ type: 'Duration', description: reservationTtl }),
    moveOf: t.field({ type: ClaimRef, description: 'The claim to replace, which is held until the new claim is confirmed.' }),
  }),
})

export const ClaimCreateResult = resultUnion(
  'ClaimCreateResult',
  'Outcomes of claimCreate.',
  [SelectDestinationsPayload, NoValidHost, ValidationError, IdempotencyConflict, ClaimLost, InstanceTaken, ReplicaBehind, NotFound],
  placed,
)

builder.mutationFields((t) => ({
  claimCreate: t.field({
    type: ClaimCreateResult,
    authScopes: { scope: 'CLAIM' },
    description:
      'Claims resources of a host that an earlier decision named, if the host still passes every filter. Use it as a fallback after a failure, without a new search.',
    args: {
      input: t.arg({ type: ClaimCreateInput, required: true, description: 'The decision, the host, and how to claim its resources.' }),
    },
    resolve: (_root, { input }, { relocation, caller }) =>
      relocation.claimOn(caller.account, {
        decisionId: idOf('Decision', input.decisionId, ['input', 'decisionId']),
        host: input.host,
        instance: input.instanceUuid ?? null,
        idempotencyKey: input.idempotencyKey,
        mode: input.mode ?? 'RESERVE',
        ttlMs: input.ttl ?? null,
        moveOf: input.moveOf ? { id: idOf('Claim', input.moveOf.id, ['input', 'moveOf', 'id']), fence: input.moveOf.fence } : null,
      }),
  }),
}))
