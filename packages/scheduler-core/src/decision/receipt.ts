import type { VerdictMatrix } from '../examine/verdict-matrix.ts'
import { NOT_PRESENT } from '../pipeline/findings.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { KeptDecision } from './packed.ts'

/** The version of the receipt format. Each hashed text contains this version. Therefore, hashes of different formats cannot be equal. */
export const RECEIPT_FORMAT = 1

/**
 * The position of a decision in the log: its entry, and the index of its change in the entry. The decision treats the proposals before this
 * index as accepted. `basis` is the revision on which it was made. `entryId` and `position` are null if the decision has no log entry.
 */
export interface ReceiptPosition {
  readonly basis: number
  readonly entryId: string | null
  readonly position: number | null
}

/**
 * The inputs of a decision, as the text that a receipt hashes. The text is equal on every replica and after every replay. The caller
 * computes the SHA-256 hash, because its API depends on the platform.
 */
export function inputsText({ record }: KeptDecision, { basis, entryId, position }: ReceiptPosition): string {
  // canonical JSON omits members that are undefined
  return canonicalJson({ receipt: RECEIPT_FORMAT, part: 'inputs', place: { basis, entryId, position }, ...record, instances: undefined })
}

/**
 * The result of a decision, as the text that a receipt hashes. It has the chosen hosts with scores, alternates and limits, and for each
 * instance the count of hosts after each filter and the ten best hosts.
 */
export const decidedText = ({ record: { id, instances }, answer }: KeptDecision): string =>
  canonicalJson({ receipt: RECEIPT_FORMAT, part: 'decided', id, instances, answer })

/** The columns of a stored decision that are in neither `inputsText` nor `decidedText`: caller, outcome, time, and columns for searches. */
export interface ReceiptRow {
  readonly id: string
  readonly outcome: string
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly account: string
  readonly requestSpecId: string
  readonly claimIds: readonly string[]
  /** The reasons for which hosts were refused. Empty unless the request was refused. */
  readonly reasons: readonly unknown[]
  /** The cause of a refusal. Absent if no cause was stored, as in all decisions before feature level KEPT_CAUSES. */
  readonly cause?: object
  /** The names of the chosen hosts, by which decisions are searched. */
  readonly hosts: readonly string[]
  readonly instanceUuids: readonly string[]
}

/**
 * The stored columns of a decision, as the text that a receipt hashes. Receipts of older releases have no hash of this text, but their
 * hashes of the inputs and the result are valid.
 */
export function rowText({ id, outcome, at, account, requestSpecId, claimIds, reasons, cause, hosts, instanceUuids }: ReceiptRow): string {
  const row = {
    id,
    outcome,
    at,
    account,
    requestSpecId,
    claimIds,
    reasons,
    cause,
    hosts,
    instanceUuids,
    receipt: RECEIPT_FORMAT,
    part: 'row',
  }
  return canonicalJson(row)
}

/**
 * The verdicts of a replay for one instance. `names` is indexed by host index. `totals` are the totals of the hosts that passed, best
 * first.
 */
export interface ReplayedVerdicts {
  readonly names: readonly { readonly host: string; readonly node: string }[]
  readonly matrix: VerdictMatrix
  readonly totals: readonly number[]
}

/** Yields the text that a receipt hashes for one instance, in parts: the verdict of every filter on every host, and every total. */
export function* matrixTexts(decision: string, instance: number, { names, matrix, totals }: ReplayedVerdicts): Generator<string> {
  const { hostCount, filters, firstRefusing, codes, reason, bytesPerHost, refusedBy, rank } = matrix
  yield canonicalJson({ receipt: RECEIPT_FORMAT, part: 'matrix', decision, instance, hostCount, filters, codes })
  for (const [host, { host: name, node }] of names.entries()) {
    if (firstRefusing[host] === NOT_PRESENT) continue
    const refusing = refusedBy.subarray(host * bytesPerHost, (host + 1) * bytesPerHost).join()
    yield `\n${JSON.stringify([name, node])} ${firstRefusing[host]} ${reason[host]} ${refusing} ${rank[host]}`
  }
  for (const total of totals) yield `\n${total}`
}

/** The first difference between two documents, in the order of the first document's members. */
export interface FirstDifference {
  /** Member names and list positions, joined by dots. Empty if the difference is not inside a member. */
  readonly path: string
  /** The value in the first document as canonical JSON, or null if the member is absent. */
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
