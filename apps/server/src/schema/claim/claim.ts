import { claimStates, isLive } from '@gantt/scheduler-core'
import { type ClaimDone, type ClaimLost as ClaimLostShape, DEFAULT_TTL_MS, MAX_TTL_MS, MIN_TTL_MS } from '../../services/claim/claims.ts'
import { builder } from '../builder.ts'
import { toSpecInput } from '../placement/request-spec.ts'
import { momentArg, ResourceAmount } from '../types/common.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { idOf } from '../types/ids.ts'
import { Claim, Decision, Host } from '../types/refs.ts'
import { printDuration } from '../types/scalars.ts'

export const ClaimState = builder.enumType('ClaimState', {
  description:
    "The state of a claim. RESERVED: held until it expires. CONFIRMED: held until released. MATERIALISED: held, and the host's report counts the instance. RELEASED, EXPIRED and REVOKED are final.",
  values: claimStates,
})

type Grants = typeof Claim.$inferType.grants

const UNTIL_COUNTED =
  'True if the reservation also ends when its host, which does not list its instances, counts the instance (docs/claims.md); false after its end.'

const CellGrant = builder.objectRef<NonNullable<Grants['numa']>[number]>('CellGrant').implement({
  description: 'The resources that a claim holds on one NUMA cell of the host.',
  fields: (t) => ({
    guest: t.exposeInt('guest', { description: "The id of the guest's NUMA cell." }),
    cell: t.exposeInt('cell', { description: "The id of the host's NUMA cell." }),
    cpus: t.exposeInt('cpus', { description: 'How many shared CPUs the claim holds on the cell; 0 if its CPUs are pinned.' }),
    pinned: t.field({
      type: ['Int'],
      description: "The host CPUs that are dedicated to the guest's cell.",
      resolve: ({ pinned }) => [...(pinned ?? [])],
    }),
    siblings: t.field({
      type: ['Int'],
      description: 'Further host CPUs that no other instance may use, because the guest uses their cores exclusively.',
      resolve: ({ siblings }) => [...(siblings ?? [])],
    }),
    emulatorCpu: t.int({
      nullable: true,
      description: 'The host CPU for the emulator threads; null if no CPU is reserved for them.',
      resolve: ({ emulator }) => emulator ?? null,
    }),
    memoryMb: t.exposeInt('memoryMb', { description: 'Memory that the claim holds on the cell, in MiB.' }),
    pageSizeKib: t.int({
      nullable: true,
      description: 'The size of the pages that back the memory, in KiB; null if the request did not set a page size.',
      resolve: ({ pages }) => pages?.sizeKib ?? null,
    }),
  }),
})

const PciGrant = builder.objectRef<NonNullable<Grants['pci']>[number]>('PciGrant').implement({
  description: 'The devices that a claim holds of one PCI pool of the host.',
  fields: (t) => ({
    request: t.exposeInt('request', { description: 'The index of the PCI request that the devices are for, from 0.' }),
    pool: t.exposeString('pool', { description: 'The pool: `vendor:product:type@cell?tag=value`.' }),
    count: t.exposeInt('count', { description: 'How many devices of the pool the claim holds.' }),
  }),
})

const GpuGrant = builder.objectRef<NonNullable<Grants['gpu']>[number]>('GpuGrant').implement({
  description: 'The share that a claim holds of one GPU of the host.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'The index of the GPU on the host.' }),
    milli: t.exposeInt('milli', { description: 'The share of the GPU that the claim holds, in thousandths.' }),
  }),
})

const PoolGrant = builder.objectRef<readonly [pool: string, gib: number]>('PoolGrant').implement({
  description: 'The disk space that a claim holds in a pool of disks that several hosts share.',
  fields: (t) => ({
    pool: t.field({
      type: 'UUID',
      description: 'The UUID of the pool, as in documents of the namespace `storage`.',
      resolve: ([pool]) => pool,
    }),
    gib: t.int({ description: 'The disk space that the claim holds, in GiB.', resolve: ([, gib]) => gib }),
  }),
})

builder.node(Claim, {
  description: 'Resources of one host that are held for one instance.',
  id: { resolve: ({ id }) => id, description: 'Global id of the object.' },
  loadOne: (id, { claims }) => claims.find(id),
  fields: (t) => ({
    state: t.expose('state', { type: ClaimState, description: 'The state of the claim in its life cycle.' }),
    instanceUuid: t.expose('instance', {
      type: 'UUID',
      nullable: true,
      description: 'The UUID of the instance; null if the caller did not name an instance.',
    }),
    host: t.field({
      type: Host,
      description: 'The host whose resources the claim holds.',
      resolve: (claim, _args, { claims }) => claims.hostOf(claim),
    }),
    resources: t.field({
      type: [ResourceAmount],
      description: 'The claimed amount of each resource class, in whole units.',
      resolve: ({ grants }) => Object.entries(grants.classes ?? {}),
    }),
    cells: t.field({
      type: [CellGrant],
      description: 'The NUMA cells that the claim holds.',
      resolve: ({ grants }) => [...(grants.numa ?? [])],
    }),
    pciDevices: t.field({
      type: [PciGrant],
      description: 'The PCI devices that the claim holds.',
      resolve: ({ grants }) => [...(grants.pci ?? [])],
    }),
    gpus: t.field({ type: [GpuGrant], description: 'GPUs that the claim holds.', resolve: ({ grants }) => [...(grants.gpu ?? [])] }),
    pools: t.field({
      type: [PoolGrant],
      description: 'Disk space that the claim holds in pools that several hosts share. It is part of the disk in `resources`.',
      resolve: ({ grants }) => Object.entries(grants.pools ?? {}),
    }),
    decision: t.field({
      type: Decision,
      description: 'The decision that created the claim.',
      resolve: ({ decision }, _args, { decisions }) => decisions.view(decision),
    }),
    serverGroup: t.expose('group', { type: 'UUID', nullable: true, description: "The UUID of the claim's server group." }),
    moveOf: t.field({
      type: Claim,
      nullable: true,
      description: 'While a move is open: the claim on the source host, which ends when this claim is confirmed.',
      resolve: ({ source, of }, _args, { claims }) => (source === null ? null : claims.find(source, of)),
    }),
    movingTo: t.field({
      type: Claim,
      nullable: true,
      description: 'While a move is open: the claim on the destination host.',
      resolve: ({ target, of }, _args, { claims }) => (target === null ? null : claims.find(target, of)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: "When the claim was created, by the database's clock." }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When the claim expires; null if it is confirmed.' }),
    untilCounted: t.boolean({ description: UNTIL_COUNTED, resolve: ({ untilCounted }) => untilCounted === true }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the claim was confirmed, by the database's clock; null if it was not confirmed.",
    }),
    releasedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the claim ended in any final state, by the database's clock; null while it is live.",
    }),
    reason: t.exposeString('reason', { nullable: true, description: "Why the claim was released, in the caller's words." }),
    revision: t.expose('revision', { type: 'Revision', description: "The revision of the claim's last change." }),
    fence: t.expose('fence', { type: 'SafeInt', description: 'Pass the fence with every call about the claim. An old fence is refused.' }),
    account: t.exposeString('account', { description: 'The service account that owns the claim.' }),
  }),
})

builder.objectField(Claim, 'heldUntil', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'For a claim that ended: the time until which its vCPUs, memory and disk stay held, unless the reports of its host end this earlier; null if they do not. Only claims whose reservation would also have ended when the host counts the instance have such a time (docs/claims.md).',
    resolve: (claim) => (isLive(claim) ? null : claim.heldUntil),
  }),
)

builder.objectField(Claim, 'moveSpec', (t) =>
  t.field({
    type: 'JSON',
    nullable: true,
    description:
      'The request of the claim for a call with `moveOf`, in the form of SpecInput: for its instance alone, with the present rule of its server group, and without what belonged only to earlier calls, such as required hosts and hosts that were tried. Null if the decision is no longer known.',
    resolve: async (claim, _args, { relocation }) => {
      const request = await relocation.requestOf(claim)
      return request === undefined ? null : toSpecInput(request)
    },
  }),
)

const ClaimConnection = connectionOf('Claim', Claim)

const statesArg = () =>
  builder.args((t) => ({
    states: t.field({ type: [ClaimState], description: 'Only claims in one of these states; by default claims in any state.' }),
  }))

builder.objectField(Host, 'claims', (t) =>
  t.field({
    type: ClaimConnection,
    description: 'The claims that hold resources of the host, oldest first.',
    args: { ...pageArgs(), ...statesArg() },
    resolve: (host, args, { claims }) => claims.on(host, args),
  }),
)

builder.queryFields((t) => ({
  claim: t.field({
    type: Claim,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'A claim; null if the claim does not exist or ended long ago.',
    args: { id: t.arg.id({ required: true, description: 'Global id of the object.' }), ...momentArg() },
    resolve: async (_root, { id, at }, { claims, fleetAt }) => claims.find(idOf('Claim', id, ['id']), await fleetAt(at)),
  }),
  claims: t.field({
    type: ClaimConnection,
    authScopes: { scope: 'READ' },
    description: 'The claims that this replica holds in memory, oldest first. For a past moment, the claims that were held at that moment.',
    args: {
      ...pageArgs(),
      ...statesArg(),
      query: t.arg.string({ description: 'A filter in the filter grammar, such as `state:RESERVED age>5m` (docs/query.md).' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { claims, fleetAt, moments }) => claims.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

export const ClaimRef = builder.inputType('ClaimRef', {
  description: 'A claim with its fence, which proves that the caller knows the present state of the claim.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the claim.' }),
    fence: t.field({
      type: 'SafeInt',
      required: true,
      description: 'The fence of the claim, as returned by the last answer about the claim.',
    }),
  }),
})

export const ClaimPayload = builder.objectRef<ClaimDone>('ClaimPayload').implement({
  description: 'The claims are in the requested state.',
  fields: (t) => ({
    claim: t.field({
      type: Claim,
      nullable: true,
      description: 'The claim in its present state. Null only if the call abandoned an idempotency key without claims.',
      resolve: ({ claims }) => claims[0] ?? null,
    }),
    claims: t.field({
      type: [Claim],
      description: 'All claims that the call concerned. An idempotency key may have several claims.',
      resolve: ({ claims }) => [...claims],
    }),
    replayed: t.exposeBoolean('replayed', { description: 'True if the claims had the requested state before the call.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

export const ClaimLost = builder.objectRef<ClaimLostShape>('ClaimLost').implement({
  description: 'The call has no effect on the claim, because the claim has ended or has another fence than the call states.',
  interfaces: [UserError],
  fields: (t) => ({ claim: t.expose('claim', { type: Claim, nullable: true, description: 'The claim in its present state.' }) }),
})

const ClaimResult = resultUnion('ClaimResult', 'Outcomes of calls about a claim.', [ClaimPayload, ClaimLost, NotFound, ValidationError], {
  done: 'ClaimPayload',
})

/** The allowed TTLs of a reservation. */
const ttlRange = `${printDuration(MIN_TTL_MS)} to ${printDuration(MAX_TTL_MS)}`

/** The description of the TTL of a reservation, for calls that create one. */
export const reservationTtl = `The TTL of a reservation, ${ttlRange}; ${printDuration(DEFAULT_TTL_MS)} by default.`

const claimsArgs = () =>
  builder.args((t) => ({
    claims: t.field({ type: [ClaimRef], required: true, description: '1 to 1000 claims. The answers have the same order as the claims.' }),
  }))
const toRefs = (claims: readonly { readonly id: string; readonly fence: number }[]) =>
  claims.map(({ id, fence }, i) => ({ id: idOf('Claim', id, ['claims', String(i), 'id']), fence }))

builder.mutationFields((t) => ({
  claimConfirm: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'CLAIM' },
    description:
      'Confirms reservations. If a claim is the destination of an open move, it then replaces the source claim. Repeating the call is harmless.',
    args: claimsArgs(),
    resolve: (_root, args, { claims }) => claims.confirm(toRefs(args.claims)),
  }),
  claimExtend: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'CLAIM' },
    description: 'Extends reservations, so that each lasts at least `ttl` from now.',
    args: { ...claimsArgs(), ttl: t.arg({ type: 'Duration', required: true, description: `The new TTL, ${ttlRange}.` }) },
    resolve: (_root, args, { claims }) => claims.extend(toRefs(args.claims), args.ttl),
  }),
  claimRelease: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'CLAIM' },
    description:
      'Releases claims. Releasing the destination claim of an open move reverts the move. Repeating the call is harmless. `Claim.heldUntil` says whether amounts stay held for a while.',
    args: { ...claimsArgs(), reason: t.arg.string({ description: 'Why the claims are released, recorded for later readers.' }) },
    resolve: (_root, args, { claims }) => claims.release(toRefs(args.claims), args.reason ?? null),
  }),
  claimRevoke: t.field({
    type: [ClaimResult],
    authScopes: { scope: 'OPERATE' },
    description:
      "Ends claims regardless of their fences. Only for operators. Later calls of the claims' holders get ClaimLost. Repeating the call is harmless.",
    args: {
      ids: t.arg.idList({ required: true, description: '1 to 1000 global ids of claims. The answers have the same order as the ids.' }),
      reason: t.arg.string({
        required: true,
        description: 'Why the claims are revoked, 1 to 1000 characters, recorded for later readers.',
      }),
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
      'Abandons a placement call that timed out. All claims of the call are released. If the call has claimed nothing yet, it will never claim anything.',
    args: {
      idempotencyKey: t.arg.string({
        required: true,
        description: 'The idempotency key of the abandoned call, which must belong to the same account.',
      }),
    },
    resolve: (_root, { idempotencyKey }, { claims, caller }) => claims.abandon(caller.account, idempotencyKey),
  }),
}))
