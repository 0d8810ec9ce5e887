import { showUnseen } from '@gantt/scheduler-core'
import type { HostView } from '../../services/host/host-view.ts'
import type { ForeseenMove } from '../../services/move/foreseen-moves.ts'
import type { Evacuated, EvacuationDone, EvacuationForeseen } from '../../services/move/relocation.ts'
import { countAllWithoutClaims } from '../../services/move/without-claims.ts'
import { builder } from '../builder.ts'
import { ResourceNameInput } from '../types/common.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { ReasonCount } from '../types/reasons.ts'
import { Claim, Host } from '../types/refs.ts'
import { ClaimCreateResult, ClaimOptionsInput } from './placement.ts'

const EvacuationMove = builder.objectRef<Evacuated>('EvacuationMove').implement({
  description: 'One claim on the host to evacuate, and the result of the search for another host.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that has to leave the host.' }),
    result: t.field({
      type: ClaimCreateResult,
      description:
        'The destination, or why the claim stays. To complete the move, confirm the claim at the destination; the claim on this host then ends.',
      resolve: ({ outcome }) => outcome,
    }),
  }),
})

const WITHOUT_CLAIMS = 'How many reported instances have no claim. They are not moved, so the host is not empty afterwards.'

const IGNORED = 'The paths in the input of fields that had no effect: `claim.ttl` if the claims are confirmed, and not reserved.'

const withoutClaims = (hosts: readonly HostView[]): number => countAllWithoutClaims(hosts.map(({ record }) => record))

const HostEvacuatePayload = builder.objectRef<EvacuationDone>('HostEvacuatePayload').implement({
  description: 'The search for other hosts is complete for every claim of the host. Claims without a destination stay.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The nodes of the host.', resolve: ({ hosts }) => [...hosts] }),
    moves: t.field({
      type: [EvacuationMove],
      description: 'The claims of the host with their destinations, oldest claim first.',
      resolve: ({ moves }) => [...moves],
    }),
    placedCount: t.exposeInt('placed', { description: 'How many claims have a destination.' }),
    instancesWithoutClaims: t.int({ description: WITHOUT_CLAIMS, resolve: ({ hosts }) => withoutClaims(hosts) }),
    ignoredFields: t.exposeStringList('ignored', { description: IGNORED }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const EvacuationMovePreview = builder.objectRef<ForeseenMove>('EvacuationMovePreview').implement({
  description: 'One claim on the host to evacuate, and its destination.',
  fields: (t) => ({
    claim: t.expose('claim', { type: Claim, description: 'The claim that would have to leave the host.' }),
    destination: t.expose('destination', { type: Host, nullable: true, description: 'The destination; null if the claim would stay.' }),
    message: t.string({
      nullable: true,
      description: 'Why the claim would stay; null if it would move.',
      resolve: ({ message }) => (message === null ? null : showUnseen(message)),
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why hosts were refused, if no host was found for the claim.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

const HostEvacuatePreview = builder.objectRef<EvacuationForeseen>('HostEvacuatePreview').implement({
  description: 'What an evacuation would do now. Nothing was changed, and nothing is reserved.',
  fields: (t) => ({
    hosts: t.field({ type: [Host], description: 'The nodes of the host.', resolve: ({ hosts }) => [...hosts] }),
    moves: t.field({
      type: [EvacuationMovePreview],
      description: 'The claims of the host with their destinations, oldest claim first.',
      resolve: ({ moves }) => [...moves],
    }),
    placedCount: t.int({
      description: 'How many claims would have a destination.',
      resolve: ({ moves }) => moves.filter(({ destination }) => destination !== null).length,
    }),
    instancesWithoutClaims: t.int({ description: WITHOUT_CLAIMS, resolve: ({ hosts }) => withoutClaims(hosts) }),
    ignoredFields: t.exposeStringList('ignored', { description: IGNORED }),
    fleetRevision: t.expose('revision', {
      type: 'Revision',
      description: 'The revision of the fleet on which destinations were searched.',
    }),
  }),
})

const HostEvacuateResult = resultUnion(
  'HostEvacuateResult',
  'Outcomes of hostEvacuate.',
  [HostEvacuatePayload, HostEvacuatePreview, NotFound, ValidationError],
  { done: 'HostEvacuatePayload', foreseen: 'HostEvacuatePreview' },
)

const HostEvacuateInput = builder.inputType('HostEvacuateInput', {
  description: 'A host to evacuate, and how to claim resources on other hosts.',
  fields: (t) => ({
    host: t.field({
      type: ResourceNameInput,
      required: true,
      description: 'The host to evacuate. A name without a node means all nodes of the host.',
    }),
    idempotencyKey: t.string({
      required: true,
      description:
        'The idempotency key of the evacuation, 1 to 200 characters. The idempotency key of each move is this key combined with the id of the claim.',
    }),
    claim: t.field({ type: ClaimOptionsInput, defaultValue: { mode: 'RESERVE' }, description: 'How to claim: RESERVE or CONFIRM.' }),
    profile: t.string({ description: 'The profile to use, as name or name@number; the profile `default` if absent.' }),
    deadline: t.field({ type: 'Duration', description: 'How long the caller waits for the answer; PT10S by default, at most PT60S.' }),
  }),
})

builder.mutationFields((t) => ({
  hostEvacuate: t.field({
    type: HostEvacuateResult,
    authScopes: { scope: 'OPERATE' },
    description:
      'Searches for another host for every claim of a host, in one call. Every decision takes the earlier decisions of the call into account. The claims on this host stay until the claims on the other hosts are confirmed.',
    args: {
      input: t.arg({ type: HostEvacuateInput, required: true, description: 'The host to evacuate, and how to move its claims.' }),
      dryRun: t.arg.boolean({
        defaultValue: false,
        description: 'True: the call returns the destination of each claim and changes nothing.',
      }),
    },
    resolve: (_root, { input, dryRun }, { relocation, caller }) => {
      const asked = {
        host: input.host,
        idempotencyKey: input.idempotencyKey,
        mode: input.claim?.mode ?? 'RESERVE',
        ttlMs: input.claim?.ttl ?? null,
        profile: input.profile ?? null,
        deadlineMs: input.deadline ?? null,
      }
      return dryRun ? relocation.foreseeEvacuation(caller.account, asked) : relocation.evacuate(caller.account, asked)
    },
  }),
}))
