import type { FieldChange } from '../compare/field-change.ts'
import type { Aggregate } from '../fleet/aggregates.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { at } from '../hosts/columns.ts'
import { type HostBefore, hostKey } from '../hosts/hosts.ts'
import type { Gone } from '../hosts/names.ts'
import { hostStatuses, livenessStates } from '../records/change.ts'
import { ZONE_KEY } from '../values/aggregate-keys.ts'
import type { HostIndex } from '../values/host-index.ts'
import { inventoryChanges } from './inventory-changes.ts'

/**
 * How an entry of the log can change a host, apart from claims. INVENTORY: a report has other totals, traits or devices. STATUS: operators
 * set the status. LIVENESS: the liveness changed. FORGOTTEN: the host left the fleet. READMITTED: its reports are allowed again. REPLACED:
 * the host got another name. AGGREGATE_EDITED: an aggregate of the host was edited, apart from its list of hosts.
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

/** At most this many changes of one step are listed. All other changes are counted in `leftOut`. */
export const LISTED_CHANGES = 50

/** A change of one host by one log entry. A host has at most one step of each kind per entry, and one step for each aggregate. */
export interface HostStep {
  readonly host: HostIndex
  readonly kind: HostStepKind
  /** The reason that an operator or the liveness monitor stated. Empty if no reason was stated. */
  readonly reason: string
  readonly aggregate: Pick<Aggregate, 'uuid' | 'name'> | null
  /** At most LISTED_CHANGES changes. Changes of resource usage are left out, because usage changes all the time. */
  readonly changes: readonly FieldChange[]
  /** Count of the changes that are not listed. */
  readonly leftOut: number
}

/**
 * Returns the steps of all hosts by the last applied entry, in the order in which the entry wrote the hosts. The steps that changes of
 * aggregates cause are last. Must be called before the next entry is applied. There is no step if a report changes only usage, or if a
 * change sets a value that the host already has.
 */
export function hostStepsOf(fleet: Fleet): readonly HostStep[] {
  const { before } = fleet.hosts
  if (before.size === 0 && fleet.aggregates.before.size === 0) return []
  return [
    ...Array.from(before, ([host, was]) => (was === null ? [firstReport(host)] : stepsBetween(fleet, host, was))).flat(),
    ...Array.from(fleet.aggregates.before, ([uuid, was]) => aggregateSteps(fleet, was, fleet.aggregates.byUuid.get(uuid) ?? null)).flat(),
  ]
}

/** The fields that most steps leave empty. Objects do not begin with this copy, because each would get a hidden class of its own. */
const nothing = { reason: '', aggregate: null, changes: [], leftOut: 0 } as const

const firstReport = (host: HostIndex): HostStep => ({ host, kind: 'FIRST_REPORT', ...nothing })

function stepsBetween({ hosts }: Fleet, host: HostIndex, was: HostBefore): HostStep[] {
  const { stats, statusReason, livenessReason, gone, formerNames, ...name } = hosts.get(host)
  // for a host that has left the fleet, no changed fields are listed
  if (gone !== null) return leavingSteps(host, was, gone)
  const steps: HostStep[] = []
  const former = formerNames.at(-1)
  if (hostKey(was) !== hostKey(name) && former !== undefined) {
    const changes = [{ field: 'name', before: hostKey(was), after: hostKey(name) }]
    steps.push({ host, kind: 'REPLACED', ...nothing, reason: former.reason, changes })
  }
  const inventory = inventoryChanges(was.stats, stats)
  if (inventory.length > 0) steps.push({ host, kind: 'INVENTORY', ...nothing, ...listed(inventory) })
  const status = at(hosts.columns.status, host)
  if (status !== was.status || statusReason !== was.statusReason)
    steps.push({ host, kind: 'STATUS', ...nothing, reason: statusReason, changes: moved('status', hostStatuses, was.status, status) })
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
  if (was.gone === null) return [{ host, kind: 'FORGOTTEN', ...nothing, reason }]
  return isReadmitted && !was.gone.isReadmitted ? [{ host, kind: 'READMITTED', ...nothing }] : []
}

/** The change of a field whose column has indexes of names, such as the status. Empty if the value did not change. */
const moved = (field: string, names: readonly string[], before: number, after: number): FieldChange[] =>
  before === after ? [] : [{ field, before: names[before] ?? null, after: names[after] ?? null }]

const listed = (changes: readonly FieldChange[]): Pick<HostStep, 'changes' | 'leftOut'> => ({
  changes: changes.slice(0, LISTED_CHANGES),
  leftOut: Math.max(0, changes.length - LISTED_CHANGES),
})

/**
 * The steps that the change of an aggregate gives to its hosts. Hosts with the same change share an object, because an aggregate can
 * contain all hosts.
 */
function aggregateSteps({ hosts }: Fleet, was: Aggregate | null, is: Aggregate | null): HostStep[] {
  const aggregate = is ?? was
  if (aggregate === null) return []
  const named = { uuid: aggregate.uuid, name: aggregate.name }
  const [left, stays] = [new Set(was?.hosts), new Set(is?.hosts)]
  const joined = { ...nothing, aggregate: named, kind: 'AGGREGATE_JOINED', changes: zone(null, is) } as const
  const gone = { ...nothing, aggregate: named, kind: 'AGGREGATE_LEFT', changes: zone(was, null) } as const
  const edited = { ...nothing, aggregate: named, kind: 'AGGREGATE_EDITED', ...listed(editsOf(was, is)) } as const
  return [...new Set([...left, ...stays])].flatMap((host) => {
    const step = !left.has(host) ? joined : !stays.has(host) ? gone : edited
    // an edit that only adds or removes other hosts gives this host no step
    if (step === edited && edited.changes.length === 0) return []
    return hosts.nodesOf(host).map((index) => ({ ...step, host: index }))
  })
}

/** The change of a host's availability zone if the host joins or leaves an aggregate. */
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
