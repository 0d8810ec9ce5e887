import {
  type Claim,
  copyFleetAt,
  currentSpec,
  DEFAULT_PROFILE,
  type DecisionRecord,
  type Fleet,
  type HostName,
  type HostRecord,
  isLive,
  nodesNamed,
  presentHosts,
  presentName,
  type Recorded,
  type RequestSpec,
  repeatedRequest,
  requestAt,
  requestOfOne,
  type SelectedDestination,
} from '@gantt/scheduler-core'
import { answerYielding, holdingFleets } from '../../event-loop/query.ts'
import type { Outside } from '../../plugin/outside/outside.ts'
import { requestOfMove } from '../../replica/propose/moves.ts'
import type { Replica } from '../../replica/replica.ts'
import type { Solve } from '../../solver/ask-solver.ts'
import { type Invalid, type Issue, invalid, issue, type NotFound, notFound } from '../calls/outcome.ts'
import { checkName } from '../calls/text.ts'
import type { ClaimRef } from '../claim/claims.ts'
import type { Decisions, StoredDecision } from '../decision/decisions.ts'
import { type HostView, viewHost } from '../host/host-view.ts'
import { checkClaims, checkDeadline, checkTtl } from '../placement/call-checks.ts'
import { claimWithoutEffect, DEFAULT_DEADLINE_MS, type Placement, type SelectOutcome } from '../placement/placement.ts'
import type { ClaimMode, PlacementInput } from '../placement/placement-input.ts'
import { lackingParts, unknownProfile } from '../profile/profiles.ts'
import { type AskedMove, answeredFor, type ForeseenMove, foreseeMoves } from './foreseen-moves.ts'
import { createMoveBatch, inOrder, moveInOrder } from './move-batch.ts'

export interface EvacuationInput {
  readonly host: { readonly host: string; readonly node?: string | null | undefined }
  readonly idempotencyKey: string
  readonly mode: ClaimMode
  readonly ttlMs: number | null
  /** Has no effect on the claims of moves, and is listed among the ignored fields. */
  readonly untilCounted: boolean
  readonly profile: string | null
  readonly deadlineMs: number | null
}

/** A claim on an evacuated host, and the result of the search for a new host. */
export interface Evacuated {
  readonly claim: Claim
  readonly outcome: SelectOutcome | NotFound
}

export interface EvacuationDone {
  readonly type: 'done'
  /** All nodes of the evacuated host. */
  readonly hosts: readonly HostView[]
  readonly moves: readonly Evacuated[]
  readonly placed: number
  readonly revision: number
  /** The paths of fields of the input that had no effect. */
  readonly ignored: readonly string[]
}

/** The predicted result of an evacuation now. Nothing is moved. */
export interface EvacuationForeseen {
  readonly type: 'foreseen'
  /** All nodes of the evacuated host. */
  readonly hosts: readonly HostView[]
  readonly moves: readonly ForeseenMove[]
  readonly revision: number
  /** The paths of fields of the input that would have no effect. */
  readonly ignored: readonly string[]
}

export interface ClaimOnInput {
  readonly decisionId: string
  readonly host: { readonly host: string; readonly node?: string | null | undefined }
  /** The uuid of the instance in the request of the decision; null for the first instance. */
  readonly instance: string | null
  readonly idempotencyKey: string
  readonly mode: ClaimMode
  readonly ttlMs: number | null
  readonly moveOf: ClaimRef | null
}

/** Moves placed instances to other hosts. */
export interface Relocation {
  /** Claims resources for an instance of an earlier decision on a host that the caller names, if the host passes every filter now. */
  claimOn(account: string, input: ClaimOnInput): Promise<SelectOutcome | NotFound>
  /**
   * Evacuates a host in one call. Every move takes the effects of the earlier moves into account. With the scheduler `solver`, all moves
   * are solved together.
   */
  evacuate(account: string, input: EvacuationInput): Promise<EvacuationDone | NotFound | Invalid>
  /** The request of a claim for a move that a caller makes, with the present rule of its group. Undefined if its decision is unknown. */
  requestOf(claim: Claim): Promise<RequestSpec | undefined>
  /** Checks the call, and computes the destination of every claim without reserving or storing anything. */
  foreseeEvacuation(account: string, input: EvacuationInput): Promise<EvacuationForeseen | NotFound | Invalid>
}

/**
 * The maximum length of the idempotency key of an evacuation. The key of each move is longer, because it consists of this key and the claim
 * id.
 */
const MAX_KEY_LENGTH = 200

export function createRelocation(
  replica: Replica,
  decisions: Decisions,
  placement: Placement,
  { outside, solve }: { readonly outside: Outside; readonly solve: Solve },
): Relocation {
  const batches = { fleet: () => replica.fleet, outside, solve }
  return {
    async claimOn(account, { decisionId, host, instance, ...input }) {
      // earlier releases read NONE as RESERVE, so a call that is repeated still gets its answer
      const isRepeated = replica.fleet.ledger.findKey(account, input.idempotencyKey) !== undefined
      const issues = isRepeated ? [] : checkClaims(input.mode, ['mode'])
      if (issues.length > 0) return invalid(issues)
      const stored = await decisions.stored(decisionId)
      if (stored === undefined) return notFound('decision', decisionId, ['input', 'decisionId'])
      const request = currentSpec(stored.record.request)
      const { instanceUuids } = request
      if (instance !== null && !instanceUuids.includes(instance))
        return invalid([
          issue(['input', 'instanceUuid'], instance, `be an instance of the decision: ${instanceUuids.join(', ') || 'it names none'}`),
        ])
      const { hosts } = replica.fleet
      // present names are compared, because the call or the decision can contain a name that a host had before it was replaced
      const wanted = host.node ? presentName(hosts, { host: host.host, node: host.node }) : { host: presentHosts(hosts, [host.host])[0] }
      const isOn = (to: HostName): boolean => {
        const now = presentName(hosts, to)
        return now.host === wanted.host && (!('node' in wanted) || now.node === wanted.node)
      }
      const named = hostsOf(stored.answer)
      if (!named.some(isOn)) {
        const names = [...new Set(named.map((each) => each.host))].join(', ')
        return invalid([issue(['input', 'host', 'host'], host.host, `be a host that the decision named: ${names || 'it named none'}`)])
      }
      if (instance === null && request.gang.length > 0)
        return invalid([
          issue(['input', 'instanceUuid'], instance, 'be given, because the instances of the decision (a gang) have several sizes'),
        ])
      const index = instance === null ? 0 : instanceUuids.indexOf(instance)
      const own = instance ?? instanceUuids[0] ?? null
      const asked = requestOfOne(request, index, own)
      const onHost = (one: RequestSpec): RequestSpec => ({
        ...one,
        requestedDestination: {
          aggregates: [],
          forbiddenAggregates: [],
          ...one.requestedDestination,
          host: host.host,
          node: host.node ?? null,
        },
      })
      return placement.select(
        account,
        {
          ...input,
          mode: input.mode === 'NONE' ? 'RESERVE' : input.mode,
          ttlAt: ['ttl'],
          spec: { issues: [], path: ['input'] },
          intent: input.moveOf === null ? 'CREATE' : 'RESIZE',
          profile: stored.record.profile,
          alternatesPerInstance: 0,
          allOrNothing: true,
          minRevision: null,
          deadlineMs: null,
          takesAlternate: stored.answer[index]?.alternates.some(isOn) ?? false,
          keyed: onHost(keyedRequest(request, index, own)),
        },
        onHost(asked),
      )
    },

    async evacuate(account, input) {
      const { host: name, idempotencyKey, mode, deadlineMs, ...rest } = input
      const issues = checkEvacuation(input)
      if (issues.length > 0) return invalid(issues)
      const left = timeLeft(deadlineMs)
      await replica.fresh()
      const records = nodesOf(replica, name)
      if (records.length === 0) return noSuchHost(name)
      const asked = await askedBy(replica.fleet, decisions, leaving(replica, records))
      const batch = createMoveBatch(batches, {
        asked,
        seed: idempotencyKey,
        // during a rollout, one version is selected for the call and decides all moves
        profileOf: ({ profiles }) => profiles.pick(rest.profile ?? DEFAULT_PROFILE, account, idempotencyKey),
      })
      const solved = await batch.solve(left())
      const move = ({ claim, request, keyed }: AskedMove): Promise<SelectOutcome> | NotFound => {
        if (request === undefined) return notFound('decision', claim.decision, ['input', 'host'])
        const call: PlacementInput = {
          ...rest,
          mode,
          spec: { issues: [], path: ['input'] },
          intent: 'EVACUATE',
          moveOf: { id: claim.id, fence: claim.fence },
          idempotencyKey: `${idempotencyKey}/${claim.id}`,
          alternatesPerInstance: 2,
          allOrNothing: true,
          minRevision: null,
          deadlineMs: left(),
          gather: solved === undefined ? undefined : batch.gather,
          keyed,
        }
        return placement.select(account, call, request)
      }
      const outcomes = await moveInOrder(asked, solved, async (each) => [each.claim.id, await move(each)] as const)
      const outcomeOf = new Map(outcomes)
      const { fleet } = replica
      return {
        type: 'done',
        hosts: nodesOf(replica, name).map((record) => viewHost(fleet, record)),
        // each claim is read again, because its state now shows that a move has begun
        moves: asked.map(({ claim }) => ({
          claim: fleet.ledger.claims.get(claim.id) ?? claim,
          outcome: outcomeOf.get(claim.id) ?? notFound('claim', claim.id, ['input', 'host']),
        })),
        placed: outcomes.filter(([, outcome]) => outcome.type === 'placed').length,
        revision: fleet.place.revision,
        ignored: claimWithoutEffect({ ...input, intent: 'EVACUATE' }),
      }
    },

    async requestOf(claim) {
      const stored = await decisions.stored(claim.decision)
      return stored && requestOfMove(replica.fleet, { request: requestFor(replica.fleet, stored, claim), intent: 'RESIZE' }, claim)
    },

    async foreseeEvacuation(account, input) {
      const { host: name, profile: profileName, idempotencyKey, deadlineMs } = input
      const issues = checkEvacuation(input)
      if (issues.length > 0) return invalid(issues)
      const left = timeLeft(deadlineMs)
      await replica.fresh()
      const records = nodesOf(replica, name)
      if (records.length === 0) return noSuchHost(name)
      const asked = await askedBy(replica.fleet, decisions, leaving(replica, records))
      // the same version as that of a call with the same key, during a rollout too
      const profileOf = ({ profiles }: Fleet) => profiles.pick(profileName ?? DEFAULT_PROFILE, account, idempotencyKey)
      const profile = profileOf(replica.fleet)
      if (profile === undefined) return invalid([unknownProfile(replica, profileName ?? DEFAULT_PROFILE, ['input', 'profile'])])
      const lacking = lackingParts(replica.fleet, profile, ['input', 'profile'])
      if (lacking !== undefined) return invalid([lacking])
      const solved = await createMoveBatch(batches, { asked, profileOf, seed: idempotencyKey }).solve(left())
      const answered = solved?.profile ?? (await answeredFor(outside, replica.fleet, profile, 'EVACUATE', asked))
      return holdingFleets(left(), async () => {
        const fleet = copyFleetAt(replica.fleet, replica.storeTime)
        const options = { shares: solved?.shares, isOver: () => left() <= 1 }
        const moves = await answerYielding(foreseeMoves(fleet, answered, 'EVACUATE', inOrder(asked, solved), options))
        const foreseen = new Map(moves.map((move) => [move.claim.id, move]))
        return {
          type: 'foreseen',
          hosts: nodesOf({ fleet }, name).map((record) => viewHost(fleet, record)),
          moves: asked.flatMap(({ claim }) => foreseen.get(claim.id) ?? []),
          revision: fleet.place.revision,
          ignored: claimWithoutEffect({ ...input, intent: 'EVACUATE' }),
        }
      })
    },
  }
}

/** Returns a function for the milliseconds until the deadline of a call that begins now, at least 1. */
function timeLeft(deadlineMs: number | null): () => number {
  const startedAt = performance.now()
  return () => Math.max(1, Math.floor((deadlineMs ?? DEFAULT_DEADLINE_MS) - (performance.now() - startedAt)))
}

/** The errors of an evacuation, or of its dry run, that do not depend on the host. */
const checkEvacuation = ({ idempotencyKey, mode, ttlMs, deadlineMs }: EvacuationInput): Issue[] => [
  ...checkName(['input', 'idempotencyKey'], idempotencyKey, { max: MAX_KEY_LENGTH }),
  ...checkClaims(mode, ['claim', 'mode']),
  ...checkTtl(ttlMs),
  ...checkDeadline(deadlineMs),
]

/** The original request of each claim, reduced to the claim's instance. */
export const askedBy = (fleet: Fleet, decisions: Pick<Decisions, 'stored'>, claims: readonly Claim[]): Promise<AskedMove[]> =>
  Promise.all(
    claims.map(async (claim) => {
      const stored = await decisions.stored(claim.decision)
      if (stored === undefined) return { claim, request: undefined }
      return { claim, request: requestFor(fleet, stored, claim), keyed: keyedFor(stored, claim) }
    }),
  )

/** The hosts in an answer: the selected hosts and the alternates. */
const hostsOf = (answer: readonly SelectedDestination[]): HostName[] =>
  answer.flatMap(({ selected, alternates }) => [selected, ...alternates])

const nodesOf = ({ fleet }: Pick<Replica, 'fleet'>, name: EvacuationInput['host']): HostRecord[] => nodesNamed(fleet.hosts, name)

const noSuchHost = ({ host, node }: EvacuationInput['host']): NotFound =>
  notFound('host', node ? `${host}/${node}` : host, ['input', 'host'])

/**
 * The claims to evacuate, oldest first, in the same order on every replica and in every retry. A claim that is moving to this host is
 * included although it cannot move away before its present move ends, so that the caller learns about the claim. For a resize on this host,
 * only the source claim is included.
 */
export const leaving = ({ fleet: { ledger } }: Pick<Replica, 'fleet'>, records: readonly HostRecord[]): Claim[] => {
  const growsHere = ({ source, host }: Claim): boolean => source !== null && ledger.claims.get(source)?.host === host
  return records
    .flatMap((record) => [...record.claims])
    .filter((claim) => isLive(claim) && !growsHere(claim))
    .sort((a, b) => a.fence - b.fence)
}

/**
 * The request of a claim's decision for a move of the claim (`repeatedRequest`). It has the project of the claim, if the claim has one.
 */
export function requestFor(
  fleet: Fleet,
  { record, claimIds }: Pick<StoredDecision, 'record' | 'claimIds'>,
  { id, instance, project }: Claim,
): RequestSpec {
  const request = currentSpec(record.request)
  const own = repeatedRequest(request, recordedIn(fleet, record), indexIn(request, claimIds, { id, instance }), instance)
  return { ...own, projectId: project ?? own.projectId }
}

/** What a decision's record and the fleet say about the hosts that the service added to the decision's request. */
export function recordedIn({ ledger, hosts }: Fleet, record: Pick<DecisionRecord, 'intent' | 'source'>): Recorded {
  const claim = record.source === undefined ? undefined : ledger.claims.get(record.source)
  const host = claim && hosts.get(claim.host)
  return { ...record, sourceNames: host && [host.host, ...host.formerNames.map((name) => name.host)] }
}

/** Like `requestFor`, for `PlacementInput.keyed`. */
function keyedFor({ record, claimIds }: Pick<StoredDecision, 'record' | 'claimIds'>, { id, instance, project }: Claim): RequestSpec {
  const request = currentSpec(record.request)
  const own = keyedRequest(request, indexIn(request, claimIds, { id, instance }), instance)
  return { ...own, projectId: project ?? own.projectId }
}

/** The index of a claim's instance in the request of its decision. */
function indexIn({ instanceUuids }: RequestSpec, claimIds: readonly string[], { id, instance }: Pick<Claim, 'id' | 'instance'>): number {
  const index = claimIds.indexOf(id)
  return index >= 0 ? index : instanceUuids.indexOf(instance ?? '')
}

/**
 * The request of a decision, reduced to one instance and without required hosts. All releases make this request from a record, so
 * idempotency keys of moves are bound to it, although a move leaves out more (`repeatedRequest`).
 */
const keyedRequest = (request: RequestSpec, index: number, instance: string | null): RequestSpec => ({
  ...requestAt(request, Math.max(0, index)),
  numInstances: 1,
  instanceUuids: instance === null ? [] : [instance],
  forceHosts: [],
  forceNodes: [],
  requestedDestination: request.requestedDestination && { ...request.requestedDestination, host: null, node: null },
})
