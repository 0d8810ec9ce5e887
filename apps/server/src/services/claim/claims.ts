import { type Change, type Claim, type ClaimState, type Fleet, hostNamesOf, isLive, isPlain } from '@gantt/scheduler-core'
import { claimFields, MAX_QUERY_LENGTH, type QueryReaders } from '@gantt/scheduler-core/query'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, invalid, issue, type NotFound, notFound, sentenceOf } from '../calls/outcome.ts'
import { type List, listOf, type Page, type PageArgs, pageOf } from '../calls/paging.ts'
import { checkKey, checkRange, checkText } from '../calls/text.ts'
import { compileLine } from '../host/host-query.ts'
import { type HostView, keyOfHost, viewHost } from '../host/host-view.ts'
import { type Dated, datedIn } from '../moments/dated.ts'
import { isPresent, snapshotOf } from '../moments/snapshots.ts'
import { pageOfAllClaims } from './claim-pages.ts'

export const MAX_CLAIMS_PER_CALL = 1_000
export const MIN_TTL_MS = 1_000
export const MAX_TTL_MS = 24 * 3_600_000
export const DEFAULT_TTL_MS = 120_000
export const MAX_KEY_LENGTH = 255

interface States {
  readonly states?: readonly ClaimState[] | null | undefined
}

/** How a caller identifies a claim. The fence proves that the caller knows the present state of the claim. */
export interface ClaimRef {
  readonly id: string
  readonly fence: number
}

export interface ClaimDone {
  readonly type: 'done'
  /** The claims that the call concerned. Empty if the call abandoned an idempotency key that had no claims. */
  readonly claims: readonly Claim[]
  /** True if the claim was in the requested state before the call. */
  readonly replayed: boolean
  readonly revision: number
}

export interface ClaimLost extends Failure {
  readonly type: 'claim-lost'
  readonly claim: Claim | null
}

export type ClaimOutcome = ClaimDone | ClaimLost | NotFound | Invalid

export interface Claims {
  /** Finds the claim in `fleet`, or in the present fleet if `fleet` is absent. */
  find(id: string, fleet?: Fleet): Dated<Claim> | undefined
  hostOf(claim: Dated<Claim>): HostView
  /**
   * The claims on a host in the requested states, oldest first: claims that hold resources, and ended claims whose instance the host still
   * reports.
   */
  on(host: HostView, args: PageArgs & States): Page<Dated<Claim>>
  /** Throws InputFault for an invalid query. */
  list(args: PageArgs & States & { readonly query?: string | null | undefined }, fleet?: Fleet): Promise<Page<Dated<Claim>>>
  /** Outcome i is the result for claim i. The same applies to `extend`, `release` and `revoke`. */
  confirm(claims: readonly ClaimRef[]): Promise<ClaimOutcome[]>
  extend(claims: readonly ClaimRef[], ttlMs: number): Promise<ClaimOutcome[]>
  release(claims: readonly ClaimRef[], reason: string | null): Promise<ClaimOutcome[]>
  /** Ends claims without checking their fences. Only operators may call this. */
  revoke(ids: readonly string[], reason: string): Promise<ClaimOutcome[]>
  /**
   * Abandons the idempotency key of a call that timed out. If the call has not arrived yet, it will be refused. If the call has already
   * made claims, they are released.
   */
  abandon(account: string, key: string): Promise<ClaimOutcome>
}

export function createClaims(replica: Replica): Claims {
  const find = (id: string, fleet = replica.fleet): Dated<Claim> | undefined => {
    const claim = fleet.ledger.claims.get(id)
    return claim && datedIn(claim, fleet, replica.fleet)
  }
  const dated = (page: Page<Claim>, fleet: Fleet): Page<Dated<Claim>> => {
    if (fleet === replica.fleet) return page
    return { ...page, edges: page.edges.map(({ cursor, node }) => ({ cursor, node: datedIn(node, fleet, replica.fleet) })) }
  }

  /** Proposes one change per claim. An error in the call itself is returned as the result of every claim. */
  const each = async (
    claims: readonly ClaimRef[],
    problems: readonly ReturnType<typeof issue>[],
    toChange: (claim: ClaimRef) => Change,
  ): Promise<ClaimOutcome[]> => {
    const issues = [...problems]
    if (claims.length > MAX_CLAIMS_PER_CALL) issues.push(issue(['claims'], claims, `be at most ${MAX_CLAIMS_PER_CALL} claims`))
    if (issues.length > 0) return claims.slice(0, MAX_CLAIMS_PER_CALL).map(() => invalid(issues))
    const verdicts = await replica.propose(claims.map(toChange))
    return claims.map(({ id, fence }, i) => {
      const claim = find(id)
      const verdict = verdicts[i]
      if (claim === undefined) return notFound('claim', id, ['claims', String(i)])
      if (verdict?.void !== undefined) return lostClaim(claim, fence, ['claims', String(i)])
      const revision = verdict?.revision ?? replica.fleet.place.revision
      return { type: 'done', claims: [claim], replayed: claim.revision !== revision, revision }
    })
  }

  return {
    find,
    on: ({ fleet, record }, { states, ...args }) =>
      dated(pageOfClaims(listOf('claims', [keyOfHost(record), states]), args, record.claims, states), fleet),
    hostOf: ({ host, of: fleet = replica.fleet }) => viewHost(fleet, { index: host }),
    async list({ query, ...args }, fleet = snapshotOf(replica)) {
      const now = isPresent(fleet, replica) ? Math.max(fleet.now, Date.now()) : fleet.now
      const isAsked = compileLine(withBareIds(query), claimFields, readersIn(fleet, now))
      return dated(await pageOfAllClaims(listOf('claims', query ? [args.states, query] : args.states), args, fleet, isAsked), fleet)
    },
    confirm: (claims) => each(claims, [], ({ id, fence }) => ({ type: 'confirm', claim: id, fence })),
    extend: (claims, ttlMs) =>
      each(claims, checkRange(['ttl'], ttlMs, MIN_TTL_MS, MAX_TTL_MS, ' ms'), ({ id, fence }) => ({
        type: 'extend',
        claim: id,
        fence,
        ttlMs,
      })),
    release: (claims, reason) =>
      each(claims, reason === null ? [] : checkText(['reason'], reason, { min: 0, max: 1_000 }), ({ id, fence }) => ({
        type: 'release',
        claim: id,
        fence,
        reason,
      })),
    revoke: (ids, reason) =>
      each(
        ids.map((id) => ({ id, fence: find(id)?.fence ?? 0 })),
        checkText(['reason'], reason, { max: 1_000 }),
        ({ id }) => ({ type: 'revoke', claim: id, reason }),
      ),
    async abandon(account, key) {
      const isKept = (): boolean => replica.fleet.ledger.findKey(account, key) !== undefined
      // a replica of an older release might just have accepted a key with characters that this release refuses
      if (!isPlain(key) && !isKept()) await replica.fresh()
      const issues = checkKey(['idempotencyKey'], key, { isKept: isKept(), max: MAX_KEY_LENGTH })
      if (issues.length > 0) return invalid(issues)
      const [verdict] = await replica.propose([{ type: 'abandon', account, key }])
      if (verdict?.void !== undefined)
        return invalid(
          [{ code: verdict.void, path: ['idempotencyKey'], message: sentenceOf(verdict.void), expected: '', actual: '' }],
          'QUOTA',
        )
      const { ledger, place } = replica.fleet
      const held = ledger.findKey(account, key)?.claims ?? []
      return { type: 'done', claims: held.flatMap((id) => find(id) ?? []), replayed: false, revision: verdict?.revision ?? place.revision }
    },
  }
}

/**
 * Replaces each global id, as it occurs in links and answers, with the claim id that it contains. This shortens a query by less than half.
 * A longer query is too long in any case, and is returned unchanged.
 */
const withBareIds = (query: string | null | undefined): string | null | undefined =>
  typeof query === 'string' && query.length > 2 * MAX_QUERY_LENGTH
    ? query
    : query?.replace(/\bQ2xhaW06[\w-]{48}\b/g, (id) => Buffer.from(id, 'base64url').toString('utf8').slice('Claim:'.length))

/** Readers of the filter grammar's fields in a claim. `now`, in milliseconds since 1970, is the time up to which ages are computed. */
function readersIn(fleet: Fleet, now: number): QueryReaders<Claim> {
  const hostsOf = ({ host }: Claim): readonly string[] => hostNamesOf(fleet.hosts.get(host))
  return {
    '': (claim) => [claim.id, ...hostsOf(claim), ...(claim.instance === null ? [] : [claim.instance])],
    id: ({ id, instance }) => (instance === null ? id : [id, instance]),
    state: ({ state }) => state,
    host: hostsOf,
    instance: ({ instance }) => instance ?? undefined,
    account: ({ account }) => account,
    group: ({ group }) => group ?? undefined,
    age: ({ createdAt }) => (now - createdAt) / 1_000,
    ended: ({ endedAt }) => (endedAt === null ? undefined : Math.max(0, now - endedAt) / 1_000),
    at: ({ createdAt }) => createdAt,
    ends: ({ expiresAt }) => expiresAt ?? undefined,
    left: ({ expiresAt }) => (expiresAt === null ? undefined : Math.max(0, expiresAt - now) / 1_000),
  }
}

/** The failure of a call for a claim that no longer belongs to the caller. The message contains the reason. */
export function lostClaim(claim: Claim, fence: number, path: readonly string[]): ClaimLost {
  const why = claim.fence === fence || !isLive(claim) ? `it is ${claim.state}` : `its fence is ${claim.fence}, not ${fence}`
  return { type: 'claim-lost', code: 'CLAIM_LOST', message: `The claim is no longer yours: ${why}.`, path, claim }
}

function pageOfClaims(list: List, args: PageArgs, claims: Iterable<Claim>, states: readonly ClaimState[] | null | undefined): Page<Claim> {
  const asked = states && new Set(states)
  const chosen = [...claims].filter(({ state }) => !asked || asked.has(state)).sort((a, b) => a.fence - b.fence)
  return pageOf(list, args, chosen, {
    types: ['number'],
    keyFor: ({ fence }) => [fence] as const,
    isAfter: ({ fence }, [last]) => fence > last,
  })
}
