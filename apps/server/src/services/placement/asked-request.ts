import { currentSpec, type RequestSpec } from '@gantt/scheduler-core'
import { type Issue, issue } from '../calls/outcome.ts'
import type { Decisions } from '../decision/decisions.ts'
import { parseSpec } from './placement.ts'
import type { SpecDocument } from './placement-input.ts'

/** The request that a query is about: a new request, or that of a decision. */
export interface AskedRequest {
  readonly spec: SpecDocument | null
  readonly decisionId: string | null
  /** The path in the caller's input. */
  readonly path: readonly string[]
}

/** A request, with the path at which the caller wrote it or named its decision. */
export interface PlacedRequest {
  readonly request: RequestSpec
  readonly path: readonly string[]
}

/** The request, or the errors in it. */
export type ReadRequest = (asked: AskedRequest) => Promise<PlacedRequest | readonly Issue[]>

export const createRequestReader =
  (decisions: Decisions): ReadRequest =>
  async ({ spec, decisionId, path }) => {
    if ((spec === null) === (decisionId === null)) return [issue(path, undefined, 'have one of spec and decisionId')]
    if (spec !== null) {
      const parsed = parseSpec(spec)
      return 'type' in parsed ? parsed.issues : { request: parsed.value, path: spec.path }
    }
    const stored = decisionId === null ? undefined : await decisions.stored(decisionId)
    if (stored === undefined) return [issue([...path, 'decisionId'], decisionId, 'be the id of a decision')]
    return { request: currentSpec(stored.record.request), path: [...path, 'decisionId'] }
  }

export const isWrong = (read: PlacedRequest | readonly Issue[]): read is readonly Issue[] => Array.isArray(read)
