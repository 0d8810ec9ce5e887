import {
  type Aggregate,
  type AggregateChanged,
  type Check,
  type Claim,
  currentSpec,
  type Fleet,
  type HostName,
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
import { type DecisionStore, isUnreadable } from '../db/decisions.ts'
import type { StoredDecision } from '../db/rows.ts'
import { findSource, requestOfMove } from '../replica/moves.ts'
import { answerInPieces, pauseOfQuestion } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import type { AggregateDone } from './aggregates.ts'
import type { Decisions } from './decisions.ts'
import { InputFault } from './outcome.ts'
import { checkRange } from './text.ts'
import { createTurns, decidingNow, type Sides, sidesOf } from './tried-edit.ts'

/** Claims on one host whose instances one filter would refuse there for one code, because of an edit. */
export interface AggregateWarning extends HostName {
  readonly filter: string
  readonly code: Reason['code']
  readonly claims: number
  /** All of it as a sentence, with the reason of the first of them. */
  readonly text: string
}

/** What an edit that was only tried would do to instances that are placed. */
export interface AggregateWarnings {
  /** Revision of the fleet that it was tried on. */
  readonly asOf: number
  /** Live claims on the hosts that come into it, leave it, or are in it while its metadata changes. */
  readonly claims: number
  /** Of these, looked at. */
  readonly asked: number
  readonly leftOut: { readonly outOfTime: number; readonly notAskable: number }
  /** Claims that would be refused where they are, and the hosts that hold them. */
  readonly refused: number
  readonly hosts: number
  /** Most claims first. */
  readonly told: readonly AggregateWarning[]
}

/** Asks of claims whether their hosts would still be let have them; null for an edit that was made. Throws InputFault. */
export type WarnOfAggregateEdit = (done: AggregateDone, deadlineMs: number | null) => Promise<AggregateWarnings | null>

export interface AggregateWarningsOptions {
  readonly replica: Replica
  readonly store: Pick<DecisionStore, 'findAll'>
  readonly decisions: Pick<Decisions, 'caughtUp'>
}

const DEFAULT_DEADLINE_MS = 5_000
const MOST_DEADLINE_MS = 30_000
/** Claims whose decisions are read together. */
const READ_TOGETHER = 200
/** Hosts whose claims are gathered between two pauses. */
const HOSTS_AT_ONCE = 256
/** Warnings that are told; all claims are counted. */
const TOLD = 100

export function createAggregateWarnings({ replica, store, decisions }: AggregateWarningsOptions): WarnOfAggregateEdit {
  const inTurn = createTurns()
  const warn = async ({ change }: AggregateDone, isOver: () => boolean): Promise<AggregateWarnings> => {
    await decisions.caughtUp()
    const sides = await sidesOf(replica, change)
    const claims = await answerInPieces(claimsOn(sides.now, change))
    const tally = createTally(sides)
    for (let from = 0; from < claims.length && !isOver(); from += READ_TOGETHER) {
      const some = claims.slice(from, from + READ_TOGETHER)
      const rows = await store.findAll([...new Set(some.map(({ decision }) => decision))])
      const byId = new Map(rows.flatMap((row) => (isUnreadable(row) ? [] : [[row.id, row] as const])))
      for (const claim of some) {
        if (isOver()) break
        tally.add(claim, byId.get(claim.decision))
        await pauseOfQuestion()
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
      told: warnings.slice(0, TOLD),
    }
  }
  return (done, deadlineMs) => {
    const wrong = deadlineMs === null ? [] : checkRange(['warnings', 'deadline'], deadlineMs, 1, MOST_DEADLINE_MS, ' ms')
    if (wrong.length > 0) return Promise.reject(new InputFault(wrong))
    if (!done.dryRun) return Promise.resolve(null)
    const over = performance.now() + (deadlineMs ?? DEFAULT_DEADLINE_MS)
    return inTurn(() => warn(done, () => performance.now() >= over))
  }
}

/** Live claims on the hosts that an edit touches, those that leave first: where time is short, they are what matters most. */
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
          text: `${hostKey(host)} holds ${claims === 1 ? '1 claim of an instance' : `${claims} claims of instances`} that ${filter} would refuse there after this. ${reasonText(reason)}`,
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

/** What a claim's instance asks of its host; undefined where that is not known any more, or its move is open and decides. */
function questionOf(fleet: Fleet, claim: Claim, { record, claimIds }: StoredDecision): Question | undefined {
  const instance = claimIds.indexOf(claim.id)
  if (instance < 0 || typeof findSource(fleet, { claim: claim.id, fence: claim.fence }) === 'string') return undefined
  try {
    const profile = decidingNow(fleet, record.profile)
    const asked = { ...requestAt(currentSpec(record.request), instance), numInstances: 1 }
    return { profile, request: requestOfMove(fleet, { request: asked, intent: 'RESIZE' }, claim) }
  } catch (error) {
    // the profile is not there any more
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

interface Refusal {
  readonly filter: string
  readonly reason: Reason
}

/**
 * The first filter that lets the instance onto its host as it is, and would refuse it there with the edit. One that refuses on both
 * sides, or that was not run on the fleet of now as another refused before it, is no consequence of the edit.
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

/** What every filter says of the host that holds a claim, as if the claim were to be made there now. Leaves the fleet as it was. */
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
