import {
  type Aggregate,
  type AggregateChanged,
  type Check,
  type Claim,
  currentSpec,
  type Fleet,
  type HostName,
  hostAddress,
  hostKey,
  inSlices,
  isLive,
  liftSource,
  openOverlay,
  type Profile,
  prepareChecks,
  type Reason,
  type RequestSpec,
  reasonText,
  requestAt,
  type Steps,
} from '@gantt/scheduler-core'
import { type DecisionStore, isUnreadable } from '../../db/tables/decisions.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { answerYielding, pauseOfQuery } from '../../event-loop/query.ts'
import { findSource, requestOfMove } from '../../replica/propose/moves.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Decisions } from '../decision/decisions.ts'
import type { AggregateDone } from './aggregates.ts'
import { createTurns, decidingNow, type Sides, sidesOf } from './tried-edit.ts'

/** The edit would make a filter refuse live claims on their own host. All claims of one warning have the same host, filter and code. */
export interface AggregateWarning extends HostName {
  readonly filter: string
  readonly code: Reason['code']
  readonly claims: number
  /** The whole warning as a sentence, with the reason for the first instance. */
  readonly text: string
}

/** The placed instances that the filters would refuse on their hosts after the edit of a dry run. */
export interface AggregateWarnings {
  /** The revision of the fleet on which the edit was tried. */
  readonly asOf: number
  /** How many live claims are on hosts that join or leave the aggregate, or on member hosts if the edit changes the metadata. */
  readonly claims: number
  /** How many of the `claims` were checked. */
  readonly asked: number
  readonly leftOut: { readonly outOfTime: number; readonly notAskable: number }
  /** How many of the checked claims would be refused by the filters on their present hosts, and how many hosts these are. */
  readonly refused: number
  readonly hosts: number
  /** The warnings, sorted by the count of their claims, largest first. */
  readonly listed: readonly AggregateWarning[]
}

/**
 * Checks whether the hosts of live claims would pass the filters after the edit of a dry run. Returns null if the edit was applied. Throws
 * InputFault.
 */
export type WarnOfAggregateEdit = (done: AggregateDone, deadlineMs: number | null) => Promise<AggregateWarnings | null>

export interface AggregateWarningsOptions {
  readonly replica: Replica
  readonly store: Pick<DecisionStore, 'findAll'>
  readonly decisions: Pick<Decisions, 'caughtUp'>
}

const DEFAULT_DEADLINE_MS = 5_000
const MAX_DEADLINE_MS = 30_000
/** The decisions of this many claims are read in one query. */
const READ_TOGETHER = 200
/** The claims of this many hosts are gathered between two yields. */
const HOSTS_AT_ONCE = 256
/** At most this many warnings are listed; all claims are counted. */
const LISTED = 100

export function createAggregateWarnings({ replica, store, decisions }: AggregateWarningsOptions): WarnOfAggregateEdit {
  const inTurn = createTurns()
  const warn = async ({ change }: AggregateDone, isOver: () => boolean): Promise<AggregateWarnings> => {
    await decisions.caughtUp()
    const sides = await sidesOf(replica, change)
    const claims = await answerYielding(claimsOn(sides.now, change))
    const tally = createTally(sides)
    for (let from = 0; from < claims.length && !isOver(); from += READ_TOGETHER) {
      const some = claims.slice(from, from + READ_TOGETHER)
      const rows = await store.findAll([...new Set(some.map(({ decision }) => decision))])
      const byId = new Map(rows.flatMap((row) => (isUnreadable(row) ? [] : [[row.id, row] as const])))
      for (const claim of some) {
        if (isOver()) break
        tally.add(claim, byId.get(claim.decision))
        await pauseOfQuery()
      }
    }
    const { asked, notAskable, refused, warnings } = tally.sum()
    return {
      asOf: sides.now.place.revision,
      claims: claims.length,
      asked,
      leftOut: { outOfTime: claims.length - asked - notAskable, notAskable },
      refused,
      hosts: new Set(warnings.map(hostKey)).size,
      listed: warnings.slice(0, LISTED),
    }
  }
  return (done, deadlineMs) => {
    const wrong = deadlineMs === null ? [] : checkRange(['warnings', 'deadline'], deadlineMs, 1, MAX_DEADLINE_MS, ' ms')
    if (wrong.length > 0) return Promise.reject(new InputFault(wrong))
    if (!done.dryRun) return Promise.resolve(null)
    const over = performance.now() + (deadlineMs ?? DEFAULT_DEADLINE_MS)
    return inTurn(() => warn(done, () => performance.now() >= over))
  }
}

/**
 * The live claims on the hosts of an edit. Claims on hosts that leave the aggregate come first, because they matter most if there is no
 * time to check all.
 */
export function* claimsOn({ aggregates, hosts }: Fleet, { uuid, next }: AggregateChanged): Steps<Claim[]> {
  const was: Pick<Aggregate, 'hosts' | 'metadata'> = aggregates.byUuid.get(uuid) ?? { hosts: [], metadata: {} }
  const [were, will] = [new Set(was.hosts), new Set(next?.hosts)]
  const left = was.hosts.filter((host) => !will.has(host))
  const stayed = next !== null && isSame(was.metadata, next.metadata) ? [] : was.hosts.filter((host) => will.has(host))
  const joined = [...will].filter((host) => !were.has(host))
  const claims: Claim[] = []
  for (const host of inSlices([...left, ...stayed, ...joined], HOSTS_AT_ONCE)) {
    if (host === undefined) yield
    else for (const index of hosts.nodesOf(host)) for (const claim of hosts.get(index).claims) if (isLive(claim)) claims.push(claim)
  }
  return claims
}

function isSame(a: Aggregate['metadata'], b: Aggregate['metadata']): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
}

function createTally(sides: Sides) {
  const found = new Map<string, { readonly host: HostName; readonly filter: string; readonly reason: Reason; claims: number }>()
  let [asked, notAskable, refused] = [0, 0, 0]
  const count = (claim: Claim, { filter, reason }: Refusal): void => {
    const { host, node } = sides.now.hosts.get(claim.host)
    const key = JSON.stringify([host, node, filter, reason.code])
    const known = found.get(key)
    if (known === undefined) found.set(key, { host: { host, node }, filter, reason, claims: 1 })
    else known.claims++
    refused++
  }
  return {
    add(claim: Claim, stored: StoredDecision | undefined): void {
      const question = stored && questionOf(sides.now, claim, stored)
      if (question === undefined) {
        notAskable++
        return
      }
      asked++
      const refusal = newRefusal(sides, claim, question)
      if (refusal !== undefined) count(claim, refusal)
    },
    sum() {
      const warnings = [...found.values()].map(
        ({ host, filter, reason, claims }): AggregateWarning => ({
          ...host,
          filter,
          code: reason.code,
          claims,
          text: `${hostAddress(sides.now.hosts, host)} holds ${claims === 1 ? '1 claim of an instance' : `${claims} claims of instances`} that ${filter} would refuse there after the edit. ${reasonText(reason)}`,
        }),
      )
      return { asked, notAskable, refused, warnings: warnings.sort((a, b) => b.claims - a.claims) }
    },
  }
}

interface Question {
  readonly request: RequestSpec
  readonly profile: Profile
}

/**
 * The request of a claim's instance. Undefined if the stored decision does not contain the claim, if the claim cannot be moved now, or if
 * the profile no longer exists.
 */
function questionOf(fleet: Fleet, claim: Claim, { record, claimIds }: StoredDecision): Question | undefined {
  const instance = claimIds.indexOf(claim.id)
  if (instance < 0 || typeof findSource(fleet, { claim: claim.id, fence: claim.fence }) === 'string') return undefined
  try {
    const profile = decidingNow(fleet, record.profile)
    const asked = { ...requestAt(currentSpec(record.request), instance), numInstances: 1 }
    return { profile, request: requestOfMove(fleet, { request: asked, intent: 'RESIZE' }, claim) }
  } catch (error) {
    // the profile no longer exists
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

interface Refusal {
  readonly filter: string
  readonly reason: Reason
}

/**
 * The first filter that accepts the instance on its present host now, and would refuse the instance there after the edit. A filter is not
 * reported if it also refuses now, or if it did not run now because an earlier filter refused.
 */
function newRefusal(sides: Sides, claim: Claim, question: Question): Refusal | undefined {
  const [before, after] = [sides.now, sides.edited].map((fleet) => checksOfOwnHost(fleet, claim, question)) as [
    readonly Check[],
    readonly Check[],
  ]
  for (const [step, { filter, reason }] of after.entries()) {
    const was = before[step]?.verdict
    if (reason !== undefined && (was === 'PASS' || was === 'NOT_ASKED')) return { filter, reason }
  }
  return undefined
}

/** The verdicts of all filters on the host of a claim, as if the claim were created there now. The fleet is unchanged afterwards. */
function checksOfOwnHost(fleet: Fleet, { id }: Claim, { request, profile }: Question): readonly Check[] {
  const claim = fleet.ledger.claims.get(id)
  if (claim === undefined) return []
  const overlay = openOverlay(fleet)
  try {
    liftSource(overlay, request, claim)
    return prepareChecks(fleet, request, profile).checksOf(claim.host)
  } finally {
    overlay.discard()
  }
}
