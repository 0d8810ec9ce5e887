import { type Destination as DestinationShape, intents, nameAt } from '@gantt/scheduler-core'
import type { ChosenHost, InstanceDestinations as InstanceDestinationsShape } from '../services/destinations.ts'
import type { ForeseenMove } from '../services/foreseen-moves.ts'
import type { HostView } from '../services/host-view.ts'
import type { ReplicaBehind as Behind, InstanceTaken as InstanceTakenShape, KeyConflict, NoHost, Placed } from '../services/placement.ts'
import type { Evacuated, EvacuationDone, EvacuationForeseen } from '../services/relocation.ts'
import { countAllWithoutClaims } from '../services/without-claims.ts'
import { builder } from './builder.ts'
import { ClaimLost, ClaimRef } from './claim.ts'
import { ResourceNameInput } from './common.ts'
import { NotFound, resultUnion, UserError, ValidationError } from './errors.ts'
import { idOf } from './ids.ts'
import { ReasonCount, RefusalCause } from './reasons.ts'
import { Claim, Decision, Host } from './refs.ts'
import { SpecInput, toSpecDocument } from './request-spec.ts'

const Intent = builder.enumType('Intent', {
  description:
    'What the placing is for. CREATE and UNSHELVE take room. RESIZE, LIVE_MIGRATE, COLD_MIGRATE and EVACUATE move a claim (`moveOf`): both ends are held until the destination is confirmed or released. REBUILD asks whether the claim may stay where it is, PROBE whether there is room at all; these two claim nothing.',
  values: intents,
})

export const ClaimMode = builder.enumType('ClaimMode', {
  description: 'NONE: advice only; RESERVE: held until ttl; CONFIRM: held for good, in one step.',
  values: ['NONE', 'RESERVE', 'CONFIRM'] as const,
})

export const ExplainLevel = builder.enumType('ExplainLevel', {
  description: 'How much is told at once. Everything can be asked later through the decision.',
  values: ['NONE', 'SUMMARY', 'FULL'] as const,
})

const ClaimOptionsInput = builder.inputType('ClaimOptionsInput', {
  description: 'How the room is held.',
  fields: (t) => ({
    mode: t.field({ type: ClaimMode, required: true, description: 'Whether, and for how long.' }),
    ttl: t.field({ type: 'Duration', description: 'How long a reservation holds, PT1S to PT24H; PT2M if not given.' }),
  }),
})

const SelectDestinationsInput = builder.inputType('SelectDestinationsInput', {
  description: 'A call to place a request.',
  fields: (t) => ({
    spec: t.field({ type: SpecInput, required: true, description: 'What is to be placed.' }),
    intent: t.field({ type: Intent, required: true, defaultValue: 'CREATE', description: 'What for.' }),
    moveOf: t.field({
      type: ClaimRef,
      description: 'The claim that moves or is rebuilt, with its fence; its instance and server group complete the request.',
    }),
    idempotencyKey: t.string({
      required: true,
      description:
        '1 to 255 characters, of the calling account. The same call with the same key gets the same answer, once; kept for the life of the claim and an hour.',
    }),
    claim: t.field({ type: ClaimOptionsInput, defaultValue: { mode: 'RESERVE' }, description: 'How the room is held.' }),
    alternatesPerInstance: t.int({
      defaultValue: 2,
      description: "Next best hosts told per instance, 0 to 10; nothing is claimed on them. Nova's return_alternates.",
    }),
    profile: t.string({ description: 'name or name@number; the profile default if not given.' }),
    allOrNothing: t.boolean({ defaultValue: true, description: 'False: place as many instances as fit.' }),
    explain: t.field({
      type: ExplainLevel,
      description: 'Has no effect.',
      deprecationReason: 'Select decision { explanation { ... } } of the answer: it comes with it, as full as it is selected.',
    }),
    minRevision: t.field({ type: 'Revision', description: 'Do not answer from a replica older than this.' }),
    deadline: t.field({ type: 'Duration', description: 'How long the caller waits; PT10S if not given, at most PT60S.' }),
  }),
})

const ResourceLimit = builder.objectRef<readonly [string, number]>('ResourceLimit').implement({
  description: "What the host could hold at most of one resource class, for the host's own double check.",
  fields: (t) => ({
    resource: t.string({ description: 'The class.', resolve: ([name]) => name }),
    limit: t.field({ type: 'SafeInt', description: 'At most this much in all.', resolve: ([, limit]) => limit }),
  }),
})

const limitsOf = ({ limits }: DestinationShape) => Object.entries(limits)

const Destination = builder.objectRef<ChosenHost>('Destination').implement({
  description: 'A host for an instance.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'Where.' }),
    weight: t.float({ description: 'Its total score.', resolve: ({ destination }) => destination.weight }),
    claim: t.expose('claim', { type: Claim, nullable: true, description: 'The room held there; null for alternates and advice.' }),
    reportAge: t.field({
      type: 'Duration',
      nullable: true,
      description:
        'How old its report was when it was chosen: from its last report in the log, which is the last that said something new. Null: the log does not reach back there.',
      resolve: async ({ host: { record }, decided }, _args, { reportAges }) => {
        const then = await decided()
        // by the name that it had then: it may have been replaced since
        return reportAges.of(nameAt(record, then.basis), then)
      },
    }),
    limits: t.field({ type: [ResourceLimit], description: 'Per class asked for.', resolve: ({ destination }) => limitsOf(destination) }),
  }),
})

export const InstanceDestinations = builder.objectRef<InstanceDestinationsShape>('InstanceDestinations').implement({
  description: 'Where one instance goes, and where else it could.',
  fields: (t) => ({
    instanceUuid: t.expose('instance', { type: 'UUID', nullable: true, description: 'Null when the caller named none.' }),
    selected: t.expose('selected', { type: Destination, description: 'The host chosen.' }),
    alternates: t.field({ type: [Destination], description: 'Next best hosts, best first.', resolve: ({ alternates }) => [...alternates] }),
  }),
})

const ignoredFields =
  "What had no effect: fields of a document of Nova's that this release does not know, and extra specs, hints and image properties that no part of the profile looks at. As paths in the request as it was sent. Beside it `claim.ttl`, where nothing is reserved."

const SelectDestinationsPayload = builder.objectRef<Placed>('SelectDestinationsPayload').implement({
  description: 'Placed; what is claimed is durable.',
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision, to ask about later.' }),
    destinations: t.field({
      type: [InstanceDestinations],
      description: 'In the order of the instances.',
      resolve: ({ destinations }) => [...destinations],
    }),
    replayed: t.exposeBoolean('replayed', { description: 'True when the key was answered before: this is the same answer.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
    ignoredFields: t.exposeStringList('ignored', { description: ignoredFields }),
  }),
})

const NoValidHost = builder.objectRef<NoHost>('NoValidHost').implement({
  description: 'No host can take the request; nothing is claimed and the key is not bound.',
  interfaces: [UserError],
  fields: (t) => ({
    decision: t.expose('decision', { type: Decision, description: 'The decision, to ask about later.' }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused, for the instance that found none: each counted once, in the order of the cause, with its code first.',
      resolve: ({ reasons }) => [...reasons],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'What the message says, in parts. A key that is bound to a project may not ask for it.',
      resolve: ({ cause }) => cause,
    }),
    placedCount: t.exposeInt('placedCount', { description: 'Instances that found a host before one did not.' }),
    ignoredFields: t.exposeStringList('ignored', { description: ignoredFields }),
  }),
})

const IdempotencyConflict = builder.objectRef<KeyConflict>('IdempotencyConflict').implement({
  description: 'The key was used for another request.',
  interfaces: [UserError],
  fields: (t) => ({ firstSeenAt: t.expose('firstSeenAt', { type: 'DateTime', description: 'Store time.' }) }),
})

const InstanceTaken = builder.objectRef<InstanceTakenShape>('InstanceTaken').implement({
  description:
    'An instance of the request has a live claim in its project (without one, in its account). Nothing is claimed, and the key is not bound.',
  interfaces: [UserError],
  fields: (t) => ({
    rule: t.exposeString('rule', { description: 'Code of the rule, from the catalogue of errors: `claim.instance_taken`.' }),
    claim: t.expose('claim', { type: Claim, nullable: true, description: 'The live claim; null for a caller that may not read it.' }),
  }),
})

const ReplicaBehind = builder.objectRef<Behind>('ReplicaBehind').implement({
  description: 'This replica has not reached minRevision.',
  interfaces: [UserError],
  fields: (t) => ({
    replicaEpoch: t.expose('revision', { type: 'Revision', description: 'What it has reached.' }),
    retryAfter: t.expose('retryAfterMs', { type: 'Duration', description: 'When to ask again.' }),
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
  'Ends of selectDestinations.',
  [SelectDestinationsPayload, NoValidHost, ValidationError, IdempotencyConflict, ClaimLost, InstanceTaken, ReplicaBehind],
  placed,
)

builder.mutationField('selectDestinations', (t) =>
  t.field({
    type: SelectDestinationsResult,
    authScopes: { scope: 'SCHEDULE' },
    description: 'Chooses a host for every instance of a request and claims the room.',
    args: { input: t.arg({ type: SelectDestinationsInput, required: true, description: 'The call.' }) },
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
  description: 'Room on a host that an earlier answer named: an alternate, as a rule.',
  fields: (t) => ({
    idempotencyKey: t.string({ required: true, description: 'As for selectDestinations.' }),
    decisionId: t.id({ required: true, description: 'The decision whose request is to be placed there.' }),
    host: t.field({ type: ResourceNameInput, required: true, description: 'Where.' }),
    instanceUuid: t.field({ type: 'UUID', description: 'Which instance of the request; left out: the first.' }),
    mode: t.field({ type: ClaimMode, defaultValue: 'RESERVE', description: 'RESERVE or CONFIRM.' }),
    ttl: t.field({ type: 'Duration', description: 'How long a reservation holds, PT1S to PT24H; PT2M if not given.' }),
    moveOf: t.field({
      type: ClaimRef,
      description: 'The claim that it is to take the place of: both are held until this one is confirmed.',
    }),
  }),
})

const ClaimCreateResult = resultUnion(
  'ClaimCreateResult',
  'Ends of claimCreate.',
  [SelectDestinationsPayload, NoValidHost, ValidationError, IdempotencyConflict, ClaimLost, InstanceTaken, ReplicaBehind, NotFound],
  placed,
)

const EvacuationMove = builder.objectRef<Evacuated>('EvacuationMove').implement({
  description: 'One claim of the host, and what came of the search for another place.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that is to leave.' }),
    result: t.field({
      type: ClaimCreateResult,
      description: 'Where it goes: confirm the claim there to end this one. Or why it stays.',
      resolve: ({ outcome }) => outcome,
    }),
  }),
})

const WITHOUT_CLAIMS =
  'Instances of the host that no claim covers, as far as its report tells: none of them is moved, so the host is not empty afterwards.'

const withoutClaims = (hosts: readonly HostView[]): number => countAllWithoutClaims(hosts.map(({ record }) => record))

const HostEvacuatePayload = builder.objectRef<EvacuationDone>('HostEvacuatePayload').implement({
  description: 'Every claim of the host was tried; those that found no place stay.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The host, node by node.', resolve: ({ hosts }) => [...hosts] }),
    moves: t.field({ type: [EvacuationMove], description: 'Oldest claim first.', resolve: ({ moves }) => [...moves] }),
    placedCount: t.exposeInt('placed', { description: 'Claims that have a place elsewhere now.' }),
    instancesWithoutClaims: t.int({ description: WITHOUT_CLAIMS, resolve: ({ hosts }) => withoutClaims(hosts) }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const EvacuationMovePreview = builder.objectRef<ForeseenMove>('EvacuationMovePreview').implement({
  description: 'One claim of the host, and where it would go.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that is to leave.' }),
    destination: t.expose('destination', { type: Host, nullable: true, description: 'Where it would go; null where it would stay.' }),
    message: t.exposeString('message', { nullable: true, description: 'Why it would stay; null where it would go.' }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, where none was found.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

const HostEvacuatePreview = builder.objectRef<EvacuationForeseen>('HostEvacuatePreview').implement({
  description: 'What an evacuation would do now. Nothing was changed, and nothing is held.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The host, node by node.', resolve: ({ hosts }) => [...hosts] }),
    moves: t.field({ type: [EvacuationMovePreview], description: 'Oldest claim first.', resolve: ({ moves }) => [...moves] }),
    placedCount: t.int({
      description: 'Claims that would find a place elsewhere.',
      resolve: ({ moves }) => moves.filter(({ destination }) => destination !== null).length,
    }),
    instancesWithoutClaims: t.int({ description: WITHOUT_CLAIMS, resolve: ({ hosts }) => withoutClaims(hosts) }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'The state that it is about.' }),
  }),
})

const HostEvacuateResult = resultUnion(
  'HostEvacuateResult',
  'Ends of hostEvacuate.',
  [HostEvacuatePayload, HostEvacuatePreview, NotFound, ValidationError],
  { done: 'HostEvacuatePayload', foreseen: 'HostEvacuatePreview' },
)

const HostEvacuateInput = builder.inputType('HostEvacuateInput', {
  description: 'Everything off a host.',
  fields: (t) => ({
    host: t.field({ type: ResourceNameInput, required: true, description: 'Which; without a node, all its nodes.' }),
    idempotencyKey: t.string({ required: true, description: '1 to 200 characters; each claim is moved under this key and its own id.' }),
    claim: t.field({
      type: ClaimOptionsInput,
      defaultValue: { mode: 'RESERVE' },
      description: 'How the room is held: RESERVE or CONFIRM.',
    }),
    profile: t.string({ description: 'name or name@number; the profile default if not given.' }),
    deadline: t.field({ type: 'Duration', description: 'How long the caller waits; PT10S if not given, at most PT60S.' }),
  }),
})

builder.mutationFields((t) => ({
  claimCreate: t.field({
    type: ClaimCreateResult,
    authScopes: { scope: 'CLAIM' },
    description:
      'Takes room on a host that an earlier decision named, if every filter still lets it: the way on after a failure, without a search.',
    args: { input: t.arg({ type: ClaimCreateInput, required: true, description: 'The call.' }) },
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
      'Finds another place for every claim of a host, in one call whose picks see each other. The claims here stay until those there are confirmed.',
    args: {
      input: t.arg({ type: HostEvacuateInput, required: true, description: 'The call.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell where each claim would go.' }),
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
