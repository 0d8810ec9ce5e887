import { claimStates } from '@gantt/scheduler-core'
import type { ClaimDone, ClaimLost as ClaimLostShape } from '../services/claims.ts'
import { builder } from './builder.ts'
import { momentArg, ResourceAmount } from './common.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from './errors.ts'
import { idOf } from './ids.ts'
import { Claim, Decision, Host } from './refs.ts'

export const ClaimState = builder.enumType('ClaimState', {
  description: 'RESERVED (expires), CONFIRMED, MATERIALISED (the host counts it), then RELEASED; or EXPIRED, REVOKED.',
  values: claimStates,
})

type Grants = typeof Claim.$inferType.grants

const CellGrant = builder.objectRef<NonNullable<Grants['numa']>[number]>('CellGrant').implement({
  description: 'What a claim takes from one NUMA cell of the host.',
  fields: (t) => ({
    guest: t.exposeInt('guest', { description: "The guest's cell." }),
    cell: t.exposeInt('cell', { description: "The host's cell." }),
    cpus: t.exposeInt('cpus', { description: 'Shared CPUs taken; 0 when pinned.' }),
    pinned: t.field({
      type: ['Int'],
      description: 'Host CPUs that the guest cell has for itself.',
      resolve: ({ pinned }) => [...(pinned ?? [])],
    }),
    siblings: t.field({
      type: ['Int'],
      description: 'Host CPUs beside them that nobody else may use: the guest has their cores for itself.',
      resolve: ({ siblings }) => [...(siblings ?? [])],
    }),
    emulatorCpu: t.int({
      nullable: true,
      description: 'Host CPU for the threads of the emulator; null where none is kept for them.',
      resolve: ({ emulator }) => emulator ?? null,
    }),
    memoryMb: t.exposeInt('memoryMb', { description: 'MiB taken.' }),
    pageSizeKib: t.int({
      nullable: true,
      description: 'Size of the pages that back the memory; null where the request asked for none.',
      resolve: ({ pages }) => pages?.sizeKib ?? null,
    }),
  }),
})

const PciGrant = builder.objectRef<NonNullable<Grants['pci']>[number]>('PciGrant').implement({
  description: 'Devices that a claim takes from one PCI pool of the host.',
  fields: (t) => ({
    request: t.exposeInt('request', { description: 'Which of the PCI requests they are for, from 0.' }),
    pool: t.exposeString('pool', { description: 'The pool: `vendor:product:type@cell?tag=value`.' }),
    count: t.exposeInt('count', { description: 'Devices taken.' }),
  }),
})

const GpuGrant = builder.objectRef<NonNullable<Grants['gpu']>[number]>('GpuGrant').implement({
  description: 'What a claim takes from one GPU of the host.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: "The host's number of the device." }),
    milli: t.exposeInt('milli', { description: 'Thousandths taken.' }),
  }),
})

const PoolGrant = builder.objectRef<readonly [pool: string, gib: number]>('PoolGrant').implement({
  description: 'Disk space that a claim takes from a pool which hosts share.',
  fields: (t) => ({
    pool: t.field({ type: 'UUID', description: 'The pool, as documents of the namespace `storage` call it.', resolve: ([pool]) => pool }),
    gib: t.int({ description: 'GiB taken.', resolve: ([, gib]) => gib }),
  }),
})

builder.node(Claim, {
  description: 'Room on one host held for one instance.',
  id: { resolve: ({ id }) => id, description: 'Global id.' },
  loadOne: (id, { claims }) => claims.find(id),
  fields: (t) => ({
    state: t.expose('state', { type: ClaimState, description: 'Where it is in its life.' }),
    instanceUuid: t.expose('instance', { type: 'UUID', nullable: true, description: 'Null when the caller named none.' }),
    host: t.field({ type: Host, description: 'Where.', resolve: (claim, _args, { claims }) => claims.hostOf(claim) }),
    resources: t.field({
      type: [ResourceAmount],
      description: 'Whole units per resource class.',
      resolve: ({ grants }) => Object.entries(grants.classes ?? {}),
    }),
    cells: t.field({ type: [CellGrant], description: 'NUMA cells taken.', resolve: ({ grants }) => [...(grants.numa ?? [])] }),
    pciDevices: t.field({ type: [PciGrant], description: 'PCI devices taken.', resolve: ({ grants }) => [...(grants.pci ?? [])] }),
    gpus: t.field({ type: [GpuGrant], description: 'GPUs taken.', resolve: ({ grants }) => [...(grants.gpu ?? [])] }),
    pools: t.field({
      type: [PoolGrant],
      description: 'Space taken from pools that hosts share; it is part of the disk in `resources`.',
      resolve: ({ grants }) => Object.entries(grants.pools ?? {}),
    }),
    decision: t.field({
      type: Decision,
      description: 'The decision that made it.',
      resolve: ({ decision }, _args, { decisions }) => decisions.view(decision),
    }),
    serverGroup: t.expose('group', { type: 'UUID', nullable: true, description: 'The server group that it is a member of.' }),
    moveOf: t.field({
      type: Claim,
      nullable: true,
      description: 'While a move is open: the claim at its other end, which ends when this one is confirmed.',
      resolve: ({ source, of }, _args, { claims }) => (source === null ? null : claims.find(source, of)),
    }),
    movingTo: t.field({
      type: Claim,
      nullable: true,
      description: 'While a move is open: the claim at its destination.',
      resolve: ({ target, of }, _args, { claims }) => (target === null ? null : claims.find(target, of)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Store time.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'End of a reservation; null once confirmed.' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true, description: 'Store time.' }),
    releasedAt: t.expose('endedAt', { type: 'DateTime', nullable: true, description: 'Store time of its end, whichever it was.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was released, as the caller said.' }),
    revision: t.expose('revision', { type: 'Revision', description: 'Of its last change.' }),
    fence: t.expose('fence', {
      type: 'SafeInt',
      description: 'Name it with every call about the claim; a late caller with an old one loses.',
    }),
    account: t.exposeString('account', { description: 'The service account that it belongs to.' }),
  }),
})

const ClaimConnection = connectionOf('Claim', Claim)

const statesArg = () => builder.args((t) => ({ states: t.field({ type: [ClaimState], description: 'In one of these states.' }) }))

builder.objectField(Host, 'claims', (t) =>
  t.field({
    type: ClaimConnection,
    description: 'Claims that hold something here, oldest first.',
    args: { ...pageArgs(), ...statesArg() },
    resolve: (host, args, { claims }) => claims.on(host, args),
  }),
)

builder.queryFields((t) => ({
  claim: t.field({
    type: Claim,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'Null when there is none, or it ended long ago.',
    args: { id: t.arg.id({ required: true, description: 'Its global id.' }), ...momentArg() },
    resolve: async (_root, { id, at }, { claims, fleetAt }) => claims.find(idOf('Claim', id, ['id']), await fleetAt(at)),
  }),
  claims: t.field({
    type: ClaimConnection,
    authScopes: { scope: 'READ' },
    description: 'Claims that this replica holds, oldest first; of the past, those that were held then.',
    args: {
      ...pageArgs(),
      ...statesArg(),
      query: t.arg.string({ description: 'Which: a line of the filter grammar, such as state:RESERVED age>5m (docs/query.md).' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { claims, fleetAt, moments }) => claims.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

export const ClaimRef = builder.inputType('ClaimRef', {
  description: 'A claim, and the proof that it is still the one that was given out.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    fence: t.field({ type: 'SafeInt', required: true, description: 'Its fence.' }),
  }),
})

export const ClaimPayload = builder.objectRef<ClaimDone>('ClaimPayload').implement({
  description: 'It is as asked.',
  fields: (t) => ({
    claim: t.field({
      type: Claim,
      nullable: true,
      description: 'As it is now. Null only when an idempotency key was abandoned that held nothing.',
      resolve: ({ claims }) => claims[0] ?? null,
    }),
    claims: t.field({
      type: [Claim],
      description: 'All claims concerned: an idempotency key may hold several.',
      resolve: ({ claims }) => [...claims],
    }),
    replayed: t.exposeBoolean('replayed', { description: 'True when it was as asked already.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

export const ClaimLost = builder.objectRef<ClaimLostShape>('ClaimLost').implement({
  description: "The claim is not the caller's any more: it ended, or the fence is not its own.",
  interfaces: [UserError],
  fields: (t) => ({ claim: t.expose('claim', { type: Claim, nullable: true, description: 'As it is now.' }) }),
})

const ClaimResult = resultUnion('ClaimResult', 'Ends of calls about a claim.', [ClaimPayload, ClaimLost, NotFound, ValidationError], {
  done: 'ClaimPayload',
})

const claimsArgs = () =>
  builder.args((t) => ({
    claims: t.field({ type: [ClaimRef], required: true, description: '1 to 1000 claims; answer i is for claim i.' }),
  }))
const toRefs = (claims: readonly { readonly id: string; readonly fence: number }[]) =>
  claims.map(({ id, fence }, i) => ({ id: idOf('Claim', id, ['claims', String(i), 'id']), fence }))

builder.mutationFields((t) => ({
  claimConfirm: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'CLAIM' },
    description: 'Makes reservations lasting; the destination of an open move takes its source’s place. Repeating it is harmless.',
    args: claimsArgs(),
    resolve: (_root, args, { claims }) => claims.confirm(toRefs(args.claims)),
  }),
  claimExtend: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'CLAIM' },
    description: 'Moves the end of reservations to at least ttl from now.',
    args: { ...claimsArgs(), ttl: t.arg({ type: 'Duration', required: true, description: 'PT1S to PT24H.' }) },
    resolve: (_root, args, { claims }) => claims.extend(toRefs(args.claims), args.ttl),
  }),
  claimRelease: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'CLAIM' },
    description: 'Gives room back; the destination of an open move released is the move reverted. Repeating it is harmless.',
    args: { ...claimsArgs(), reason: t.arg.string({ description: 'Why, for those who ask later.' }) },
    resolve: (_root, args, { claims }) => claims.release(toRefs(args.claims), args.reason ?? null),
  }),
  claimRevoke: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'OPERATE' },
    description: 'Ends claims whatever their fences are, for operators: their holders learn it by ClaimLost. Repeating it is harmless.',
    args: {
      ids: t.arg.idList({ required: true, description: '1 to 1000 global ids; answer i is for claim i.' }),
      reason: t.arg.string({ required: true, description: 'Why, 1 to 1000 characters, for those who ask later.' }),
    },
    resolve: (_root, { ids, reason }, { claims }) =>
      claims.revoke(
        ids.map((id, i) => idOf('Claim', id, ['ids', String(i)])),
        reason,
      ),
  }),
  claimAbandon: t.field({
    type: ClaimResult,
    authScopes: { scope: 'CLAIM' },
    description:
      'The last word of a caller that timed out: whatever its call with this key held is released, and if it held nothing yet it never will.',
    args: { idempotencyKey: t.arg.string({ required: true, description: 'The key of the call, of this account.' }) },
    resolve: (_root, { idempotencyKey }, { claims, caller }) => claims.abandon(caller.account, idempotencyKey),
  }),
}))
