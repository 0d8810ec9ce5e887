import type { VerdictMatrix } from '../examine/verdict-matrix.ts'
import { NOT_THERE } from '../pipeline/findings.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { KeptDecision } from './packed.ts'

/** The version of the texts of a receipt. Each text contains it, so that hashes of two formats cannot be confused. */
export const RECEIPT_FORMAT = 1

/**
 * The position of a decision in the log: its entry, and the number of its change in the entry. The position determines the proposals that
 * were decided before.
 */
export interface ReceiptPosition {
  readonly basis: number
  readonly entryId: string | null
  readonly position: number | null
}

/**
 * The inputs of a decision as the text that a receipt hashes. It is equal on every replica and after every replay. The core does not
 * compute the hash, because SHA-256 depends on the platform and a weaker hash would not protect a receipt.
 */
export function inputsText({ record }: KeptDecision, { basis, entryId, position }: ReceiptPosition): string {
  const { instances: _decided, ...inputs } = record
  return canonicalJson({ receipt: RECEIPT_FORMAT, part: 'inputs', place: { basis, entryId, position }, ...inputs })
}

/**
 * The result of a decision as the text that a receipt hashes: hosts with scores, alternates and limits, and for each instance the number
 * of hosts after each filter and the ten best hosts.
 */
export const decidedText = ({ record: { id, instances }, answer }: KeptDecision): string =>
  canonicalJson({ receipt: RECEIPT_FORMAT, part: 'decided', id, instances, answer })

/**
 * The stored fields of a decision that are neither inputs nor its result: the caller, the answer, the time, and the columns for searches.
 */
export interface ReceiptRow {
  readonly id: string
  readonly outcome: string
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly account: string
  readonly requestSpecId: string
  readonly claimIds: readonly string[]
  /** The reasons for which hosts were refused. Present for a refusal. */
  readonly reasons: readonly unknown[]
  /** The cause of a refusal. Absent if it was not stored, or if the decision is from before KEPT_CAUSES. */
  readonly cause?: object
  /** The chosen hosts and the instances, in the form for searches. */
  readonly hosts: readonly string[]
  readonly instanceUuids: readonly string[]
}

/**
 * The stored fields as the text that a receipt hashes. Records from before this text existed have no hash of it, and their other hashes
 * remain valid.
 */
export function rowText({ id, outcome, at, account, requestSpecId, claimIds, reasons, cause, hosts, instanceUuids }: ReceiptRow): string {
  const row = { id, outcome, at, account, requestSpecId, claimIds, reasons, ...(cause !== undefined && { cause }), hosts, instanceUuids }
  return canonicalJson({ receipt: RECEIPT_FORMAT, part: 'row', ...row })
}

/** The verdicts for one instance that a replay found: names by index, and the totals of the hosts that passed, best first. */
export interface ReplayedVerdicts {
  readonly names: readonly { readonly host: string; readonly node: string }[]
  readonly matrix: VerdictMatrix
  readonly totals: readonly number[]
}

/** The verdict of every filter on every host, and every total, as consecutive parts of the text that a receipt hashes. */
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

/** The first difference between two documents, in the order of the members of the first document. Undefined if they are equal. */
export interface FirstDifference {
  /** Member names and positions, joined by dots. Empty for the whole document. */
  readonly path: string
  /** Canonical JSON. Null if absent. */
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
