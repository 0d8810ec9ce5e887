import { currentSpec, type RequestSpec } from '@gantt/scheduler-core'
import { type Issue, issue } from '../calls/outcome.ts'
import type { Decisions } from '../decision/decisions.ts'
import { parseSpec } from './placement.ts'
import type { SpecDocument } from './placement-input.ts'

/** The request that a query is about: a new request, or the request of a decision. */
export interface AskedRequest {
  readonly spec: SpecDocument | null
  readonly decisionId: string | null
  /** The path of the request in the caller's input. */
  readonly path: readonly string[]
}

/** A request, with its path in the caller's input. If the caller named a decision instead, the path is that of the decision's id. */
export interface PlacedRequest {
  readonly request: RequestSpec
  readonly path: readonly string[]
}

/** Reads the request that a query is about. Returns the request, or its errors. */
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
