import { type AggregateState, byCodeUnit, inSlices, problemAt, SLICE, type Steps, sortInSteps, ZONE_KEY } from '@gantt/scheduler-core'
import type { NovaAggregate } from '@gantt/scheduler-core/nova'
import { type Invalid, invalid, type ManyIssues } from '../calls/outcome.ts'

export interface KeyValue {
  readonly key: string
  readonly value: string
}

/**
 * The changes of an edit. A field that the edit does not set is unchanged. Members and metadata are written as additions and removals.
 * Otherwise two operators could undo each other's edits.
 */
export interface AggregateEdit {
  readonly name?: string | null | undefined
  readonly availabilityZone?: string | null | undefined
  readonly setMetadata?: readonly KeyValue[] | null | undefined
  readonly unsetMetadata?: readonly string[] | null | undefined
  readonly addHosts?: readonly string[] | null | undefined
  readonly removeHosts?: readonly string[] | null | undefined
}

/** The error for an edit that was derived from the caller's input. `placeOf` converts the path of each problem to a path in that input. */
export const asGiven = ({ listed, count }: ManyIssues, placeOf: (path: readonly string[]) => readonly string[]): Invalid =>
  invalid(
    listed.map((found) => problemAt(found, placeOf(found.path))),
    'INVALID',
    count,
  )

/** Maps fields of an edit to fields in the input of `createAggregate`. That input is checked as an edit of an empty aggregate. */
const CREATED: Readonly<Record<string, string>> = { setMetadata: 'metadata', addHosts: 'hosts' }

export const ofCreation = ([field = '', ...rest]: readonly string[]): readonly string[] => [CREATED[field] ?? field, ...rest]

/** Converts the path of a problem to a path in Nova's document, where metadata is an object and its keys are part of the path. */
export function ofDocument(path: readonly string[], { setMetadata }: AggregateEdit): readonly string[] {
  const [field = '', position, ...rest] = ofCreation(path)
  if (position === undefined) return [field]
  const key = field === 'metadata' ? setMetadata?.[Number(position)]?.key : undefined
  return key === undefined ? [field, position, ...rest] : [field, key]
}

/** Computes the edit that makes an aggregate equal to an aggregate of Nova. Yields between steps, because both can have all hosts. */
export function* editTo({ name, metadata, hosts }: NovaAggregate, current: AggregateState | undefined): Steps<AggregateEdit> {
  return {
    name,
    setMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    unsetMetadata: Object.keys(current?.metadata ?? {}).filter((key) => !Object.hasOwn(metadata, key)),
    addHosts: hosts,
    removeHosts: yield* without(current?.hosts ?? [], hosts),
  }
}

/** An aggregate after an edit. Yields between steps, because an aggregate can have all hosts. */
export function* edited({ name, metadata, hosts }: AggregateState, edit: AggregateEdit): Steps<AggregateState> {
  const unset = new Set(edit.unsetMetadata ?? [])
  const kept = Object.entries(metadata).filter(([key]) => !unset.has(key))
  const set = (edit.setMetadata ?? []).map(({ key, value }) => [key, value] as const)
  const zone = typeof edit.availabilityZone === 'string' ? [[ZONE_KEY, edit.availabilityZone] as const] : []
  const members = yield* setOf([yield* without(hosts, edit.removeHosts ?? []), edit.addHosts ?? []])
  return {
    name: edit.name ?? name,
    metadata: Object.fromEntries([...kept, ...set, ...zone]),
    hosts: yield* sortInSteps([...members], byCodeUnit),
  }
}

/** The hosts that are not in the other list, in order. */
function* without(hosts: readonly string[], others: readonly string[]): Steps<string[]> {
  const gone = yield* setOf([others])
  const rest: string[] = []
  for (const host of inSlices(hosts, SLICE)) {
    if (host === undefined) yield
    else if (!gone.has(host)) rest.push(host)
  }
  return rest
}

function* setOf(lists: readonly (readonly string[])[]): Steps<ReadonlySet<string>> {
  const set = new Set<string>()
  for (const list of lists)
    for (const host of inSlices(list, SLICE)) {
      if (host === undefined) yield
      else set.add(host)
    }
  return set
}
