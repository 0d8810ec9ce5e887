import {
  aggregateRatioKeys,
  copyFleet,
  type FleetAllocation,
  type FleetAllocationSet,
  type FleetAmounts,
  type HostRecord,
  isReservedInUse,
  nearSpellings,
} from '@gantt/scheduler-core'
import { findRelease } from '@gantt/scheduler-core/nova'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, type Issue, invalid, issue, sentenceOf } from '../calls/outcome.ts'
import { checkText } from '../calls/text.ts'
import { type ClassAllocation, checkAllocation } from '../host/class-allocation.ts'
import { viewHost } from '../host/host-view.ts'
import { changesOfFree, type Impact, impactOn } from '../host/hosts.ts'
import { snapshotOf } from '../moments/snapshots.ts'

export interface FleetClassAllocation extends ClassAllocation {
  /** How much of `reserved` is part of the used amounts that hosts report; null: all of it. */
  readonly reservedInUse?: number | null | undefined
}

export interface FleetAllocationInput {
  /** The name or number of a Nova release; null if no release is set. */
  readonly release: string | null
  readonly classes: readonly FleetClassAllocation[]
  readonly reason: string
}

export interface FleetAllocationDone {
  readonly type: 'done'
  readonly allocation: FleetAllocation
  readonly impact: Impact
  readonly dryRun: boolean
  readonly revision: number
}

export interface FleetAllocationConflict extends Failure {
  readonly type: 'fleet-allocation-conflict'
  readonly current: FleetAllocation
}

/**
 * Fleet-wide default ratios and reserved amounts, stored in the log. They apply to hosts whose document in Nova's form leaves these values
 * to the configuration.
 */
export interface FleetAllocations {
  view(): FleetAllocation
  /** Replaces all values if `ifVersion` is the present version. `by` is the account that sets the values. */
  set(
    ifVersion: number,
    input: FleetAllocationInput,
    by: string,
    dryRun: boolean,
  ): Promise<FleetAllocationDone | FleetAllocationConflict | Invalid>
}

export function createFleetAllocations(replica: Replica): FleetAllocations {
  const view = () => replica.fleet.hosts.fleetAllocation
  const conflict = (): FleetAllocationConflict => ({
    type: 'fleet-allocation-conflict',
    code: 'STALE',
    message: `${sentenceOf('allocation.version')} Read the present values and set them again.`,
    path: ['ifVersion'],
    current: view(),
  })
  return {
    view,
    async set(ifVersion, { release: named, classes, reason }, by, dryRun) {
      const release = named === null ? null : (findRelease(named) ?? undefined)
      const issues = [
        ...classes.flatMap((one, i) => checkAllocation(['input', 'classes', String(i)], one)),
        ...classes.flatMap((one, i) => checkReservedInUse(['input', 'classes', String(i), 'reservedInUse'], one)),
        ...classes.flatMap(({ resourceClass }, i) => checkLeftOpen(['input', 'classes', String(i), 'resourceClass'], resourceClass)),
        // an import of Nova's configuration writes one text as this reason and as the note of a profile, so both have the same limit
        ...checkText(['input', 'reason'], reason, { max: 4_096 }),
      ]
      if (release === undefined) issues.push(issue(['input', 'release'], named, "be a release of Nova's, such as zed or 2023.1"))
      if (new Set(classes.map(({ resourceClass }) => resourceClass)).size < classes.length)
        issues.push(issue(['input', 'classes'], classes.length, 'name each resource class once'))
      if (issues.length > 0 || release === undefined) return invalid(issues)
      await replica.fresh()
      const { revision } = replica.fleet.place
      if (view().version !== ifVersion) return conflict()
      const change: FleetAllocationSet = {
        ...{ type: 'fleetAllocation', expectedVersion: ifVersion, release, by, reason },
        classes: Object.fromEntries(classes.map((one) => [one.resourceClass, amountsOf(one)])),
      }
      const fleet = copyFleet(snapshotOf(replica))
      const records: HostRecord[] = fleet.hosts.present.filter(({ stats }) => stats.nova !== null)
      const views = records.map((record) => viewHost(fleet, record))
      const impact = impactOn(views, 0, await changesOfFree(fleet, records, [change]))
      const { classes: next } = change
      if (dryRun)
        return {
          type: 'done',
          allocation: { version: ifVersion + 1, release, classes: next, by, at: fleet.now, reason },
          impact,
          dryRun,
          revision,
        }
      const [verdict] = await replica.propose([change])
      if (verdict?.void !== undefined) return conflict()
      return { type: 'done', allocation: view(), impact, dryRun, revision: verdict?.revision ?? revision }
    },
  }
}

/**
 * Refuses classes other than VCPU, MEMORY_MB and DISK_GB. For all other classes, a document in Nova's form contains the ratio and the
 * reserved amount, so a fleet-wide default would have no effect.
 */
function checkLeftOpen(path: readonly string[], resourceClass: string): Issue[] {
  const open = Object.keys(aggregateRatioKeys)
  if (open.includes(resourceClass)) return []
  const near = nearSpellings(resourceClass, open)
  const hint = near.length === 0 ? '' : ` (a similar name is ${near.join(', ')})`
  const needed = `be VCPU, MEMORY_MB or DISK_GB: only for these classes, a document of Nova can omit the ratio and the reserved amount${hint}`
  return [issue(path, resourceClass, needed)]
}

function checkReservedInUse(path: readonly string[], { reserved, reservedInUse }: FleetClassAllocation): Issue[] {
  if (typeof reservedInUse !== 'number' || isReservedInUse(reservedInUse, reserved)) return []
  const needed = typeof reserved === 'number' ? `be a whole number of 0 to ${reserved} (reserved)` : 'be left out if reserved is not set'
  return [issue(path, reservedInUse, needed)]
}

const amountsOf = ({ ratio, reserved, reservedInUse }: FleetClassAllocation): FleetAmounts => ({
  ...(typeof ratio === 'number' && { ratio }),
  ...(typeof reserved === 'number' && { reserved }),
  ...(typeof reservedInUse === 'number' && { reservedInUse }),
})
