import { type Destination as DestinationShape, intents, nameAt, showUnseen } from '@gantt/scheduler-core'
import type { HostView } from '../../services/host/host-view.ts'
import type { ForeseenMove } from '../../services/move/foreseen-moves.ts'
import type { Evacuated, EvacuationDone, EvacuationForeseen } from '../../services/move/relocation.ts'
import { countAllWithoutClaims } from '../../services/move/without-claims.ts'
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
    'What the placing is for. CREATE and UNSHELVE take room. RESIZE, LIVE_MIGRATE, COLD_MIGRATE and EVACUATE move a claim (`moveOf`): both ends are held until the destination is confirmed or released. REBUILD asks whether the claim may stay where it is, PROBE whether there is room at all; these two claim nothing.',
  values: intents,
})

export const ClaimMode = builder.enumType('ClaimMode', {
  description: 'NONE: advice only; RESERVE: held until ttl; CONFIRM: held until it is released, in one step.',
  values: ['NONE', 'RESERVE', 'CONFIRM'] as const,
})

export const ExplainLevel = builder.enumType('ExplainLevel', {
  description: 'The amount of detail in the answer. Everything can be read later from the decision.',
  values: ['NONE', 'SUMMARY', 'FULL'] as const,
})

const ClaimOptionsInput = builder.inputType('ClaimOptionsInput', {
  description: 'How the resources are claimed.',
  fields: (t) => ({
    mode: t.field({ type: ClaimMode, required: true, description: 'Whether the claim is reserved or confirmed.' }),
    ttl: t.field({ type: 'Duration', description: reservationTtl }),
  }),
})

const SelectDestinationsInput = builder.inputType('SelectDestinationsInput', {
  description: 'A call to place a request.',
  fields: (t) => ({
    spec: t.field({ type: SpecInput, required: true, description: 'The request to place.' }),
    intent: t.field({ type: Intent, required: true, defaultValue: 'CREATE', description: 'What the hosts are wanted for.' }),
    moveOf: t.field({
      type: ClaimRef,
      description: 'The claim that moves or is rebuilt, with its fence; its instance and server group complete the request.',
    }),
    idempotencyKey: t.string({
      required: true,
      description:
        '1 to 255 characters, of the calling account. The same call with the same key gets the same answer, once; kept for the life of the claim and an hour.',
    }),
    claim: t.field({ type: ClaimOptionsInput, defaultValue: { mode: 'RESERVE' }, description: 'How the resources are claimed.' }),
    alternatesPerInstance: t.int({
      defaultValue: 2,
      description: "The number of alternates per instance, 0 to 10; nothing is claimed on them. Nova's return_alternates.",
    }),
    profile: t.string({ description: 'name or name@number; the profile default if not given.' }),
    allOrNothing: t.boolean({ defaultValue: true, description: 'False: as many instances as fit are placed.' }),
    explain: t.field({
      type: ExplainLevel,
      description: 'Has no effect.',
      deprecationReason: 'Select decision { explanation { ... } } of the answer to get the explanation with it, in the selected fields.',
    }),
    minRevision: t.field({ type: 'Revision', description: 'The answering replica must have reached this revision.' }),
    deadline: t.field({ type: 'Duration', description: 'How long the caller waits; PT10S by default, at most PT60S.' }),
  }),
})

const ResourceLimit = builder.objectRef<readonly [string, number]>('ResourceLimit').implement({
  description: "The most that the host may use of one resource class, for the host's own second check.",
  fields: (t) => ({
    resource: t.string({ description: 'Name of the resource class.', resolve: ([name]) => name }),
    limit: t.field({ type: 'SafeInt', description: 'The maximum amount in total.', resolve: ([, limit]) => limit }),
  }),
})

const limitsOf = ({ limits }: DestinationShape) => Object.entries(limits)

const Destination = builder.objectRef<ChosenHost>('Destination').implement({
  description: 'A host for an instance.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'Host that was chosen.' }),
    weight: t.float({ description: 'Total score of the host.', resolve: ({ destination }) => destination.weight }),
    claim: t.expose('claim', { type: Claim, nullable: true, description: 'The claim; null for alternates and advice.' }),
    reportAge: t.field({
      type: 'Duration',
      nullable: true,
      description:
        'The age of its report at the choice, counted from its last report in the log, which is the last one with new content. Null: the log no longer contains it.',
      resolve: async ({ host: { record }, decided }, _args, { reportAges }) => {
        const then = await decided()
        // the decision has the name of that time, and the host may have been replaced since
        return reportAges.of(nameAt(record, then.basis), then)
      },
    }),
    limits: t.field({
      type: [ResourceLimit],
      description: 'The limits of each requested class.',
      resolve: ({ destination }) => limitsOf(destination),
    }),
  }),
})

export const InstanceDestinations = builder.objectRef<InstanceDestinationsShape>('InstanceDestinations').implement({
  description: 'The host of an instance, and its alternates.',
  fields: (t) => ({
    instanceUuid: t.expose('instance', {
      type: 'UUID',
      nullable: true,
      description: 'The UUID of the instance; null if the caller named none.',
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
  'Fields without effect: fields of a document of Nova that this release does not know, and extra specs, hints and image properties that no part of the profile reads. As paths in the request as it was sent. In addition `claim.ttl`, if nothing is reserved.'

const SelectDestinationsPayload = builder.objectRef<Placed>('SelectDestinationsPayload').implement({
  description: 'The instances are placed; the claims are durable.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision, for later questions.' }),
    destinations: t.field({
      type: [InstanceDestinations],
      description: 'In the order of the instances.',
      resolve: ({ destinations }) => [...destinations],
    }),
    replayed: t.exposeBoolean('replayed', { description: 'True if the key was answered before: this is the same answer.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
    ignoredFields: t.exposeStringList('ignored', { description: ignoredFields }),
  }),
})

const NoValidHost = builder.objectRef<NoHost>('NoValidHost').implement({
  description: 'No host can take the request; nothing is claimed and the key is not bound.',
  interfaces: [UserError],
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision, for later questions.' }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused, for the instance that was not placed: each reason once, in the order of the cause, with its code first.',
      resolve: ({ reasons }) => [...reasons],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'The content of the message, in parts. A key that is bound to a project may not read it.',
      resolve: ({ cause }) => cause,
    }),
    placedCount: t.exposeInt('placedCount', { description: 'The number of instances that were placed before one was not.' }),
    ignoredFields: t.exposeStringList('ignored', { description: ignoredFields }),
  }),
})

const IdempotencyConflict = builder.objectRef<KeyConflict>('IdempotencyConflict').implement({
  description: 'The key was used for another request.',
  interfaces: [UserError],
  fields: (t) => ({
    firstSeenAt: t.expose('firstSeenAt', { type: 'DateTime', description: 'Store time at which the key was first used.' }),
  }),
})

const InstanceTaken = builder.objectRef<InstanceTakenShape>('InstanceTaken').implement({
  description:
    'An instance of the request has a live claim in its project (without a project, in its account). Nothing is claimed, and the key is not bound.',
  interfaces: [UserError],
  fields: (t) => ({
    rule: t.exposeString('rule', { description: 'The code of the rule, from the catalogue of errors: `claim.instance_taken`.' }),
    claim: t.expose('claim', { type: Claim, nullable: true, description: 'The live claim; null for a caller that may not read it.' }),
  }),
})

const ReplicaBehind = builder.objectRef<Behind>('ReplicaBehind').implement({
  description: 'This replica has not reached minRevision.',
  interfaces: [UserError],
  fields: (t) => ({
    replicaEpoch: t.expose('revision', { type: 'Revision', description: 'The revision that it has reached.' }),
    retryAfter: t.expose('retryAfterMs', { type: 'Duration', description: 'The time after which to retry.' }),
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
    description: 'Chooses a host for every instance of a request and claims the resources.',
    args: { input: t.arg({ type: SelectDestinationsInput, required: true, description: 'The request, and how to place it.' }) },
    resolve: (_root, { input }, { placement, caller }) =>
      placement.select(caller.account, {
        spec: toSpecDocument(input.spec, ['input', 'spec']),
        intent: input.intent,
        moveOf: input.moveOf ? { id: idOf('Claim', input.moveOf.id, ['input', 'moveOf', 'id']), fence: input.moveOf.fence } : null,
        idempotencyKey: input.idempotencyKey,
        mode: input.claim?.mode ?? 'RESERVE',
        ttlMs: input.claim?.ttl ?? null,
        alternatesPerInstance: input.alternatesPerInstance ?? 2,
        profile: input.profile ?? null,
        allOrNothing: input.allOrNothing ?? true,
        minRevision: input.minRevision ?? null,
        deadlineMs: input.deadline ?? null,
      }),
  }),
)

const ClaimCreateInput = builder.inputType('ClaimCreateInput', {
  description: 'Resources of a host that an earlier answer named, usually an alternate.',
  fields: (t) => ({
    idempotencyKey: t.string({ required: true, description: 'Key of the call; the same rules as for selectDestinations.' }),
    decisionId: t.id({ required: true, description: 'The decision whose request is placed there.' }),
    host: t.field({ type: ResourceNameInput, required: true, description: 'Host on which the room is claimed.' }),
    instanceUuid: t.field({ type: 'UUID', description: 'The instance of that request, by its UUID; absent: the first.' }),
    mode: t.field({ type: ClaimMode, defaultValue: 'RESERVE', description: 'RESERVE or CONFIRM.' }),
    ttl: t.field({ type: 'Duration', description: reservationTtl }),
    moveOf: t.field({
      type: ClaimRef,
      description: 'The claim that it replaces: both are held until this one is confirmed.',
    }),
  }),
})

const ClaimCreateResult = resultUnion(
  'ClaimCreateResult',
  'Outcomes of claimCreate.',
  [SelectDestinationsPayload, NoValidHost, ValidationError, IdempotencyConflict, ClaimLost, InstanceTaken, ReplicaBehind, NotFound],
  placed,
)

const EvacuationMove = builder.objectRef<Evacuated>('EvacuationMove').implement({
  description: 'One claim of the host, and the result of the search for a new host.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that has to leave.' }),
    result: t.field({
      type: ClaimCreateResult,
      description: 'The destination: confirm the claim there to end this one. Otherwise why it stays.',
      resolve: ({ outcome }) => outcome,
    }),
  }),
})

const WITHOUT_CLAIMS = 'The number of reported instances without a claim: none of them is moved, so the host is not empty afterwards.'

const withoutClaims = (hosts: readonly HostView[]): number => countAllWithoutClaims(hosts.map(({ record }) => record))

const HostEvacuatePayload = builder.objectRef<EvacuationDone>('HostEvacuatePayload').implement({
  description: 'Every claim of the host was tried; claims without a destination stay.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The nodes of the host.', resolve: ({ hosts }) => [...hosts] }),
    moves: t.field({ type: [EvacuationMove], description: 'The claims, oldest first.', resolve: ({ moves }) => [...moves] }),
    placedCount: t.exposeInt('placed', { description: 'The number of claims that have a destination.' }),
    instancesWithoutClaims: t.int({ description: WITHOUT_CLAIMS, resolve: ({ hosts }) => withoutClaims(hosts) }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const EvacuationMovePreview = builder.objectRef<ForeseenMove>('EvacuationMovePreview').implement({
  description: 'One claim of the host, and its destination.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that has to leave.' }),
    destination: t.expose('destination', { type: Host, nullable: true, description: 'The destination; null if the claim would stay.' }),
    message: t.string({
      nullable: true,
      description: 'Why it would stay; null if it would move.',
      resolve: ({ message }) => (message === null ? null : showUnseen(message)),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, if none was found.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

const HostEvacuatePreview = builder.objectRef<EvacuationForeseen>('HostEvacuatePreview').implement({
  description: 'The result that an evacuation would have now. Nothing was changed, and nothing is reserved.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The nodes of the host.', resolve: ({ hosts }) => [...hosts] }),
    moves: t.field({ type: [EvacuationMovePreview], description: 'The claims, oldest first.', resolve: ({ moves }) => [...moves] }),
    placedCount: t.int({
      description: 'The number of claims that would have a destination.',
      resolve: ({ moves }) => moves.filter(({ destination }) => destination !== null).length,
    }),
    instancesWithoutClaims: t.int({ description: WITHOUT_CLAIMS, resolve: ({ hosts }) => withoutClaims(hosts) }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'The revision of the fleet.' }),
  }),
})

const HostEvacuateResult = resultUnion(
  'HostEvacuateResult',
  'Outcomes of hostEvacuate.',
  [HostEvacuatePayload, HostEvacuatePreview, NotFound, ValidationError],
  { done: 'HostEvacuatePayload', foreseen: 'HostEvacuatePreview' },
)

const HostEvacuateInput = builder.inputType('HostEvacuateInput', {
  description: 'The evacuation of a host.',
  fields: (t) => ({
    host: t.field({ type: ResourceNameInput, required: true, description: 'The host; without a node, all its nodes.' }),
    idempotencyKey: t.string({ required: true, description: '1 to 200 characters; each claim is moved under this key and its own id.' }),
    claim: t.field({
      type: ClaimOptionsInput,
      defaultValue: { mode: 'RESERVE' },
      description: 'How the resources are claimed: RESERVE or CONFIRM.',
    }),
    profile: t.string({ description: 'name or name@number; the profile default if not given.' }),
    deadline: t.field({ type: 'Duration', description: 'How long the caller waits; PT10S by default, at most PT60S.' }),
  }),
})

builder.mutationFields((t) => ({
  claimCreate: t.field({
    type: ClaimCreateResult,
    authScopes: { scope: 'CLAIM' },
    description:
      'Claims resources of a host that an earlier decision named, if every filter still passes it: a fallback after a failure, without a new search.',
    args: { input: t.arg({ type: ClaimCreateInput, required: true, description: 'The decision, the host, and how to claim.' }) },
    resolve: (_root, { input }, { relocation, caller }) =>
      relocation.claimOn(caller.account, {
        decisionId: idOf('Decision', input.decisionId, ['input', 'decisionId']),
        host: input.host,
        instance: input.instanceUuid ?? null,
        idempotencyKey: input.idempotencyKey,
        mode: input.mode === 'CONFIRM' ? 'CONFIRM' : 'RESERVE',
        ttlMs: input.ttl ?? null,
        moveOf: input.moveOf ? { id: idOf('Claim', input.moveOf.id, ['input', 'moveOf', 'id']), fence: input.moveOf.fence } : null,
      }),
  }),
  hostEvacuate: t.field({
    type: HostEvacuateResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Finds another host for every claim of a host, in one call whose decisions take each other into account. The claims here stay until those there are confirmed.',
    args: {
      input: t.arg({ type: HostEvacuateInput, required: true, description: 'The host, and how to move its claims.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: returns the destination of each claim, and changes nothing.' }),
    },
    resolve: (_root, { input, dryRun }, { relocation, caller }) => {
      const profile = input.profile ?? null
      if (dryRun) return relocation.foreseeEvacuation({ host: input.host, profile })
      return relocation.evacuate(caller.account, {
        host: input.host,
        idempotencyKey: input.idempotencyKey,
        mode: input.claim?.mode === 'CONFIRM' ? 'CONFIRM' : 'RESERVE',
        ttlMs: input.claim?.ttl ?? null,
        profile,
        deadlineMs: input.deadline ?? null,
      })
    },
  }),
}))
