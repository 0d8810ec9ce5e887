import { canonicalJson } from '../canonical-json.ts'
import { NOT_THERE } from '../pipeline/findings.ts'
import type { VerdictMatrix } from '../pipeline/verdict-matrix.ts'
import type { KeptDecision } from './packed.ts'

/** What the texts of a receipt hold, and how; in each of them, so that hashes of two formats never seem to be of one. */
export const RECEIPT_FORMAT = 1

/** Where a decision stands in the log: its entry and the place there name the proposals that were decided before it. */
export interface ReceiptPlace {
  readonly basis: number
  readonly entryId: string | null
  readonly position: number | null
}

/**
 * What decided, as the text that a receipt is a hash of: equal on every replica and after every replay. The core hashes
 * nothing itself: SHA-256 is for those who have it, and a hash that is no such thing would be no receipt.
 */
export function inputsText({ record }: KeptDecision, { basis, entryId, position }: ReceiptPlace): string {
  const { instances: _decided, ...inputs } = record
  return canonicalJson({ receipt: RECEIPT_FORMAT, part: 'inputs', place: { basis, entryId, position }, ...inputs })
}

/** What was decided: hosts with scores, next bests and limits; per instance what each filter left and the best ten. */
export const decidedText = ({ record: { id, instances }, answer }: KeptDecision): string =>
  canonicalJson({ receipt: RECEIPT_FORMAT, part: 'decided', id, instances, answer })

/** What is kept of a decision beside its inputs and what was decided: who was answered what, when, and by what it is searched. */
export interface ReceiptRow {
  readonly id: string
  readonly outcome: string
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly account: string
  readonly requestSpecId: string
  readonly claimIds: readonly string[]
  /** Why hosts were refused, of a refusal. */
  readonly reasons: readonly unknown[]
  /** Why a refusal found no host; absent where none was kept: no refusal, or one of before KEPT_CAUSES. */
  readonly cause?: object
  /** Hosts that were chosen, and instances, as they are searched. */
  readonly hosts: readonly string[]
  readonly instanceUuids: readonly string[]
}

/** The same as a text. Records that were kept before there was this text have no hash of it, and those of the others stay valid. */
export function rowText({ id, outcome, at, account, requestSpecId, claimIds, reasons, cause, hosts, instanceUuids }: ReceiptRow): string {
  const row = { id, outcome, at, account, requestSpecId, claimIds, reasons, ...(cause !== undefined && { cause }), hosts, instanceUuids }
  return canonicalJson({ receipt: RECEIPT_FORMAT, part: 'row', ...row })
}

/** One instance's verdicts as a replay finds them: names by index, and the totals of those that passed, best first. */
export interface ReplayedVerdicts {
  readonly names: readonly { readonly host: string; readonly node: string }[]
  readonly matrix: VerdictMatrix
  readonly totals: readonly number[]
}

/** Every filter's word on every host, and every total, in pieces of the text that a receipt is a hash of. */
export function* matrixTexts(decision: string, instance: number, { names, matrix, totals }: ReplayedVerdicts): Generator<string> {
  const { hostCount, filters, firstRefusing, codes, reason, bytesPerHost, refusedBy, rank } = matrix
  yield canonicalJson({ receipt: RECEIPT_FORMAT, part: 'matrix', decision, instance, hostCount, filters, codes })
  for (const [host, { host: name, node }] of names.entries()) {
    if (firstRefusing[host] === NOT_THERE) continue
    const refusing = refusedBy.subarray(host * bytesPerHost, (host + 1) * bytesPerHost).join()
    yield `\n${JSON.stringify([name, node])} ${firstRefusing[host]} ${reason[host]} ${refusing} ${rank[host]}`
  }
  for (const total of totals) yield `\n${total}`
}

/** Where two documents differ first, in the order of the first one's members; undefined where they are alike. */
export interface FirstDifference {
  /** Members and positions joined by dots; empty: the whole. */
  readonly path: string
  /** Canonical JSON; null: not there. */
  readonly was: string | null
  readonly is: string | null
}

export function firstDifference(was: unknown, is: unknown, path = ''): FirstDifference | undefined {
  if (canonicalOf(was) === canonicalOf(is)) return undefined
  if (!isBranch(was) || !isBranch(is) || Array.isArray(was) !== Array.isArray(is))
    return { path, was: canonicalOf(was), is: canonicalOf(is) }
  const members = new Set([...Object.keys(was), ...Object.keys(is)])
  for (const member of members) {
    const found = firstDifference(was[member], is[member], path === '' ? member : `${path}.${member}`)
    if (found !== undefined) return found
  }
  return { path, was: canonicalOf(was), is: canonicalOf(is) }
}

const canonicalOf = (value: unknown): string | null => (value === undefined ? null : canonicalJson(value))

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> => value !== null && typeof value === 'object'
