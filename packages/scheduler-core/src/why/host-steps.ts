import type { FieldChange } from '../compare/field-change.ts'
import { ZONE_KEY } from '../fleet/aggregate-keys.ts'
import type { Aggregate } from '../fleet/aggregates.ts'
import { hostStatuses, livenessStates } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type HostBefore, hostKey } from '../fleet/hosts.ts'
import type { Gone } from '../fleet/names.ts'
import type { HostIndex } from '../host-index.ts'
import { inventoryChanges } from './inventory-changes.ts'

/**
 * What can happen to a host by an entry of the log, beside what claims do: it reported for the first time; what it reports to have is
 * another; operators set its status; its sign of life; it was forgotten, readmitted, or got another name; it came into an aggregate, out of
 * one, or one that it is in was edited.
 */
export const hostStepKinds = [
  'FIRST_REPORT',
  'INVENTORY',
  'STATUS',
  'LIVENESS',
  'FORGOTTEN',
  'READMITTED',
  'REPLACED',
  'AGGREGATE_JOINED',
  'AGGREGATE_LEFT',
  'AGGREGATE_EDITED',
] as const
export type HostStepKind = (typeof hostStepKinds)[number]

/** Differences of one step that are told; how many more there are is told too. */
export const TOLD_CHANGES = 50

/** What one entry did to one host: of a host at most one of each kind, of aggregates one each. */
export interface HostStep {
  readonly host: HostIndex
  readonly kind: HostStepKind
  /** Why, as operators or those who listen for signs of life said it; '' where nobody says. */
  readonly reason: string
  readonly aggregate: Pick<Aggregate, 'uuid' | 'name'> | null
  /** At most TOLD_CHANGES; what a host uses, which changes all the time, is never among them. */
  readonly changes: readonly FieldChange[]
  /** How many more there are. */
  readonly untold: number
}

/**
 * What the last entry that was applied did to hosts, in the order in which it touched them, aggregates last. Call it before the next is
 * applied. Reports that change nothing but use are no step; nor is what is set to what it was.
 */
export function hostStepsOf(fleet: Fleet): readonly HostStep[] {
  const { before } = fleet.hosts
  if (before.size === 0 && fleet.aggregates.before.size === 0) return []
  return [
    ...Array.from(before, ([host, was]) => (was === null ? [firstReport(host)] : stepsBetween(fleet, host, was))).flat(),
    ...Array.from(fleet.aggregates.before, ([uuid, was]) => aggregateSteps(fleet, was, fleet.aggregates.byUuid.get(uuid) ?? null)).flat(),
  ]
}

const nothing = { reason: '', aggregate: null, changes: [], untold: 0 } as const

const firstReport = (host: HostIndex): HostStep => ({ ...nothing, host, kind: 'FIRST_REPORT' })

function stepsBetween({ hosts }: Fleet, host: HostIndex, was: HostBefore): HostStep[] {
  const { stats, statusReason, livenessReason, gone, formerNames, ...name } = hosts.get(host)
  // what it no longer has is not told one by one
  if (gone !== null) return leavingSteps(host, was, gone)
  const steps: HostStep[] = []
  const former = formerNames.at(-1)
  if (hostKey(was) !== hostKey(name) && former !== undefined) {
    const changes = [{ field: 'name', before: hostKey(was), after: hostKey(name) }]
    steps.push({ ...nothing, host, kind: 'REPLACED', reason: former.reason, changes })
  }
  const inventory = inventoryChanges(was.stats, stats)
  if (inventory.length > 0) steps.push({ ...nothing, host, kind: 'INVENTORY', ...told(inventory) })
  const status = at(hosts.columns.status, host)
  if (status !== was.status || statusReason !== was.statusReason)
    steps.push({ ...nothing, host, kind: 'STATUS', reason: statusReason, changes: moved('status', hostStatuses, was.status, status) })
  const liveness = at(hosts.columns.liveness, host)
  if (liveness !== was.liveness || livenessReason !== was.livenessReason)
    steps.push({
      ...nothing,
      host,
      kind: 'LIVENESS',
      reason: livenessReason,
      changes: moved('state', livenessStates, was.liveness, liveness),
    })
  return steps
}

function leavingSteps(host: HostIndex, was: HostBefore, { reason, isReadmitted }: Gone): HostStep[] {
  if (was.gone === null) return [{ ...nothing, host, kind: 'FORGOTTEN', reason }]
  return isReadmitted && !was.gone.isReadmitted ? [{ ...nothing, host, kind: 'READMITTED' }] : []
}

/** None where it stays what it is, and only its reason is another. */
const moved = (field: string, names: readonly string[], before: number, after: number): FieldChange[] =>
  before === after ? [] : [{ field, before: names[before] ?? null, after: names[after] ?? null }]

const told = (changes: readonly FieldChange[]): Pick<HostStep, 'changes' | 'untold'> => ({
  changes: changes.slice(0, TOLD_CHANGES),
  untold: Math.max(0, changes.length - TOLD_CHANGES),
})

/** The same steps are shared by all hosts that an edit did the same to: an aggregate may hold the whole fleet. */
function aggregateSteps({ hosts }: Fleet, was: Aggregate | null, is: Aggregate | null): HostStep[] {
  const aggregate = is ?? was
  if (aggregate === null) return []
  const named = { uuid: aggregate.uuid, name: aggregate.name }
  const [left, stays] = [new Set(was?.hosts), new Set(is?.hosts)]
  const joined = { ...nothing, aggregate: named, kind: 'AGGREGATE_JOINED', changes: zone(null, is) } as const
  const gone = { ...nothing, aggregate: named, kind: 'AGGREGATE_LEFT', changes: zone(was, null) } as const
  const edited = { ...nothing, aggregate: named, kind: 'AGGREGATE_EDITED', ...told(editsOf(was, is)) } as const
  return [...new Set([...left, ...stays])].flatMap((host) => {
    const step = !left.has(host) ? joined : !stays.has(host) ? gone : edited
    // other hosts came or went
    if (step === edited && edited.changes.length === 0) return []
    return hosts.nodesOf(host).map((index) => ({ ...step, host: index }))
  })
}

/** The zone that a host comes into with an aggregate, or out of. */
function zone(before: Aggregate | null, after: Aggregate | null): FieldChange[] {
  const [was, is] = [before, after].map((one) => one?.metadata[ZONE_KEY] ?? null)
  return was === is ? [] : [{ field: ZONE_KEY, before: was ?? null, after: is ?? null }]
}

function editsOf(was: Aggregate | null, is: Aggregate | null): FieldChange[] {
  if (was === null || is === null) return []
  const keys = [...new Set([...Object.keys(was.metadata), ...Object.keys(is.metadata)])]
  const of = ({ metadata }: Aggregate, key: string): string | null => (Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null)
  return [
    ...(was.name === is.name ? [] : [{ field: 'name', before: was.name, after: is.name }]),
    ...keys
      .map((key) => ({ field: `metadata.${key}`, before: of(was, key), after: of(is, key) }))
      .filter(({ before, after }) => before !== after),
  ]
}
