import type { HostIndex } from '../host-index.ts'
import type { Reason } from '../reason.ts'

/** Hosts by their position in the order of first sight, as runs: begin, length, begin, length, ... ascending. */
export type Runs = readonly number[]

/**
 * What a part outside of this process answered about hosts before a decision: an input of it, kept in its record, so that making the
 * decision again needs neither plug-in nor HTTP. A host that no list names was not answered about, and is refused.
 */
export interface OutsideAnswer {
  /** As the profile names it. */
  readonly part: string
  readonly kind: 'filter' | 'weigher'
  /** Who answered: name@version of the plug-in or extender. */
  readonly by: string
  /** The part's options in the profile, as canonical JSON; absent: it has none. */
  readonly options?: string
  /** Which kind of the request's instances it was asked about, by position; absent: the first. */
  readonly members?: number
  /** Of a weigher's numbers. */
  readonly unit?: string
  /** True: the request asks nothing of it. */
  readonly isNotAsked?: true
  /** Why it did not answer at all, in words; then the lists are empty. */
  readonly failure?: string
  /** Hosts that pass the filter, or that have a number. */
  readonly hosts: Runs
  /** A weigher's numbers, in the order of the hosts. Null: the host does not report what the weigher reads. */
  readonly numbers?: readonly (number | null)[]
  /** Hosts that the filter refuses, by reason. */
  readonly refused?: readonly { readonly reason: Reason; readonly hosts: Runs }[]
  /** Hosts of which the answer was none, by what was wrong with it. */
  readonly errors?: readonly { readonly error: string; readonly hosts: Runs }[]
}

/** Runs of ascending positions. */
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
