import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'

/** Host indexes in ascending order, stored as runs of consecutive indexes: first index, length, first index, length, ... */
export type Runs = readonly number[]

/**
 * The answer of a filter or weigher outside of this process about hosts. The answer is received before a decision, is an input of the
 * decision, and is stored in the decision's record. A replay therefore needs neither the plug-in nor HTTP. A host that is in none of the
 * lists of the answer is refused.
 */
export interface OutsideAnswer {
  /** The name of the filter or weigher in the profile. */
  readonly part: string
  readonly kind: 'filter' | 'weigher'
  /** The plug-in or extender (an HTTP service) that answered, as name@version. */
  readonly by: string
  /** The options of the filter or weigher in the profile, as canonical JSON. Absent if there are none. */
  readonly options?: string
  /** For a request with several kinds of members: the index of the kind that the answer is about. Absent for the first kind. */
  readonly members?: number
  /** The unit of a weigher's scores. */
  readonly unit?: string
  /** True if the filter does not apply to the request. Every host then passes. */
  readonly isNotAsked?: true
  /** The reason for which there is no answer, as text. The lists of hosts are then empty. */
  readonly failure?: string
  /** Hosts that pass the filter, or to which the weigher gave a score. */
  readonly hosts: Runs
  /** The scores of a weigher, in the order of `hosts`. A score is null if the host does not report a field that the weigher reads. */
  readonly numbers?: readonly (number | null)[]
  /** Hosts that the filter refuses, by reason. */
  readonly refused?: readonly { readonly reason: Reason; readonly hosts: Runs }[]
  /** Hosts without a valid answer, by the error in the answer. */
  readonly errors?: readonly { readonly error: string; readonly hosts: Runs }[]
}

/** Converts indexes to runs. The indexes must be in ascending order. */
export function toRuns(hosts: Iterable<HostIndex>): Runs {
  const runs: number[] = []
  let next = -1
  for (const host of hosts) {
    if (host === next) runs[runs.length - 1] = (runs[runs.length - 1] as number) + 1
    else runs.push(host, 1)
    next = host + 1
  }
  return runs
}

export function* fromRuns(runs: Runs): Generator<HostIndex> {
  for (let i = 0; i < runs.length; i += 2) {
    const begin = runs[i] as number
    for (let host = begin; host < begin + (runs[i + 1] as number); host++) yield host as HostIndex
  }
}

export const countRuns = (runs: Runs): number => runs.reduce((sum, value, i) => (i % 2 === 0 ? sum : sum + value), 0)
