import type { HostTable } from '../../hosts/hosts.ts'
import type { Steps } from '../../values/steps.ts'
import { collectorsOf } from './collectors.ts'

/** How many hosts have a collector of this name in this state, or with this last error. */
export interface CollectorCount {
  readonly collector: string
  /** A state or the code of an error. */
  readonly value: string
  readonly hosts: number
}

export interface CollectorCounts {
  /** By name and state. A state that was not repeated for too long is counted as OUTDATED. */
  readonly states: readonly CollectorCount[]
  /** By name and code of the last error, for collectors that fail now. */
  readonly errors: readonly CollectorCount[]
}

/** At most this many names are counted on their own, because hosts choose the names. The others are counted as OTHER. */
export const MAX_NAMES = 50
/** No collector has this name: names are in lower case. */
export const OTHER = 'OTHER'
/** How many hosts are examined between two yields. */
const SLICE = 1_024

/** Counts the collectors of all hosts by name. The names that most hosts have are counted on their own. */
export function* countCollectors(fleet: { readonly now: number; readonly hosts: HostTable }): Steps<CollectorCounts> {
  const states = new Map<string, Map<string, number>>()
  const errors = new Map<string, Map<string, number>>()
  let examined = 0
  for (const record of fleet.hosts.records) {
    if (++examined % SLICE === 0) yield
    const reported = record.gone === null ? collectorsOf(fleet, record) : undefined
    for (const { name, state, error } of reported?.collectors ?? []) {
      add(states, name, reported?.isRecent === true ? state : 'OUTDATED', 1)
      if (reported?.isRecent === true && state === 'FAILING' && error !== null) add(errors, name, error.code, 1)
    }
  }
  const hostsOf = (name: string): number => [...(states.get(name)?.values() ?? [])].reduce((sum, count) => sum + count, 0)
  const names = [...states.keys()].sort((a, b) => hostsOf(b) - hostsOf(a) || (a < b ? -1 : 1))
  const own = new Set(names.slice(0, MAX_NAMES))
  return { states: listOf(states, own), errors: listOf(errors, own) }
}

function add(counts: Map<string, Map<string, number>>, name: string, value: string, hosts: number): void {
  const ofName = counts.get(name) ?? new Map<string, number>()
  counts.set(name, ofName.set(value, (ofName.get(value) ?? 0) + hosts))
}

function listOf(counts: ReadonlyMap<string, ReadonlyMap<string, number>>, own: ReadonlySet<string>): readonly CollectorCount[] {
  const bounded = new Map<string, Map<string, number>>()
  for (const [name, values] of counts) for (const [value, hosts] of values) add(bounded, own.has(name) ? name : OTHER, value, hosts)
  return [...bounded].flatMap(([collector, values]) => [...values].map(([value, hosts]) => ({ collector, value, hosts })))
}
