import type { HostStats } from '@gantt/scheduler-core'
import { countAnew } from './allocation.ts'
import type { ModelAggregate, ModelClaim, ModelFleet, ModelGroup, ModelHost } from './state.ts'

/**
 * Applies a host's report. The amounts of a report normally include the instances that it lists. If `isEarlier` is true, the report is
 * older than the claims and was sent under another name of the machine. Its amounts then do not include an instance that no earlier report
 * has listed.
 */
export function report(fleet: ModelFleet, host: ModelHost, stats: HostStats, isEarlier = false): void {
  host.reported = stats
  countAnew(fleet)
  // A report without a list shows no instances.
  if (stats.instances === null) for (const claim of fleet.claims) if (claim.host === host) claim.isListed = false
  if (stats.instances === null) return
  host.present = stats.instances
  for (const claim of fleet.claims) {
    if (claim.host !== host || claim.instance === null) continue
    claim.isHeldInAddition = isEarlier && (claim.isHeldInAddition || !claim.isListed)
    claim.isListed = stats.instances.includes(claim.instance)
  }
}

/**
 * What a released reservation, which was to last until its host counts the instance, still holds on a host that lists no instances: its
 * vCPUs, memory and disk.
 */
function stillHeld(host: ModelHost, { classes = {} }: ModelClaim['takes']): ModelClaim[] {
  const left = Object.entries(classes).filter(([name]) => ['VCPU', 'MEMORY_MB', 'DISK_GB'].includes(name))
  if (left.every(([, amount]) => amount === 0)) return []
  const takes = { classes: Object.fromEntries(left) }
  return [{ host, instance: null, group: null, takes, isListed: false, isHeldInAddition: false, isLogged: true, isOver: true }]
}

/** Whether the used amounts in the host's report include the amounts of the claim. */
export const isCounted = ({ isListed, isHeldInAddition }: ModelClaim): boolean => isListed && !isHeldInAddition

export const claimsOn = (fleet: ModelFleet, host: ModelHost): ModelClaim[] => fleet.claims.filter((claim) => claim.host === host)

export interface Inventory {
  readonly capacity: number
  readonly total: number
  readonly used: number | null
  readonly least: number
  readonly most: number | null
  readonly step: number
  /** The total minus the reserved amount. One instance gets at most this amount if no maximum is stated. */
  readonly inAll: number
}

/** The amounts of a class that the host reports. Undefined if it does not report the class. */
export function inventoryOf({ stats }: ModelHost, resourceClass: string): Inventory | undefined {
  const plain: Record<string, [total: number, ratio: number, used: number]> = {
    VCPU: [stats.vcpus, stats.cpuAllocationRatio, stats.vcpusUsed],
    MEMORY_MB: [stats.memoryMb, stats.ramAllocationRatio, stats.memoryMbUsed],
    DISK_GB: [stats.localGb, stats.diskAllocationRatio, stats.localGbUsed],
  }
  const given = stats.inventories.find((inventory) => inventory.resourceClass === resourceClass)
  const standard = plain[resourceClass]
  if (given !== undefined)
    return {
      capacity: capacityOf(given.total - given.reserved, given.allocationRatio),
      total: given.total,
      used: given.used ?? standard?.[2] ?? null,
      least: given.minUnit,
      most: given.maxUnit,
      step: given.stepSize,
      inAll: given.total - given.reserved,
    }
  if (standard === undefined) return undefined
  const [total, ratio, used] = standard
  return { capacity: capacityOf(total, ratio), total, used, least: 1, most: null, step: 1, inAll: total }
}

/**
 * Whether the amount for one instance exceeds both the total without the reserved amount and the maximum that the host states for one
 * instance.
 */
export const isMoreThanAll = ({ most, inAll }: Inventory, need: number): boolean => need > inAll && need > (most ?? inAll)

/** Returns a text with the allowed amounts if the class does not allow this amount for one instance. Otherwise returns undefined. */
export function brokenUnits({ least, most, step, inAll }: Inventory, need: number): string | undefined {
  const isTooMuch = most !== null && most !== inAll && need > most
  if (need >= least && !isTooMuch && need % step === 0) return undefined
  const amounts: number[] = []
  for (let amount = step; amount <= (most ?? inAll); amount += step) if (amount >= least) amounts.push(amount)
  if (amounts.length < 2) return amounts.length === 0 ? 'no amount' : `only ${amounts[0]}`
  return `${amounts[0]} to ${amounts.at(-1)} in steps of ${step}`
}

export const setAsideIn = ({ memoryMb, pages }: HostStats['numaCells'][number]): number => {
  const huge = hugePagesOf(pages).reduce((mib, { total, sizeKib }) => mib + (total * sizeKib) / 1_024, 0)
  if (huge === 0) return 0
  const small = pages.find(({ sizeKib }) => sizeKib === 4)
  const left = small === undefined ? memoryMb - huge : Math.min(memoryMb - huge, (small.total - small.reserved) / 256)
  return memoryMb - Math.max(0, Math.floor(left))
}

const hugePagesOf = (pages: HostStats['numaCells'][number]['pages']) => pages.filter(({ sizeKib }) => sizeKib > 4)

export const hugeUsedIn = ({ pages }: HostStats['numaCells'][number]): number =>
  hugePagesOf(pages).reduce((mib, { used, sizeKib }) => mib + ((used ?? 0) * sizeKib) / 1_024, 0)

/** The memory outside of huge pages that one instance can still get on the host. Undefined if the host has no huge pages. */
export function plainMemoryOf(fleet: ModelFleet, host: ModelHost): number | undefined {
  const setAside = host.stats.numaCells.reduce((mib, cell) => mib + setAsideIn(cell), 0)
  const inventory = inventoryOf(host, 'MEMORY_MB')
  if (setAside === 0 || inventory === undefined) return undefined
  const { inAll } = inventory
  const given = host.stats.inventories.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')
  const plain = inAll - setAside
  // No claim of the model uses huge pages, so all used huge pages are in the report.
  const hugeUsed = host.stats.numaCells.reduce((mib, cell) => mib + hugeUsedIn(cell), 0)
  const taken = takenOf(fleet, host, 'MEMORY_MB', inventory.used === null ? null : Math.max(0, inventory.used - hugeUsed))
  if (plain < 0) return plain - taken
  return Math.min(plain, capacityOf(plain, given?.allocationRatio ?? host.stats.ramAllocationRatio) - taken)
}

export const capacity = (host: ModelHost, resourceClass: string): number => inventoryOf(host, resourceClass)?.capacity ?? 0

/** The free amount of a class. */
export function free(fleet: ModelFleet, host: ModelHost, resourceClass: string): number {
  const inventory = inventoryOf(host, resourceClass)
  return (inventory?.capacity ?? 0) - takenOf(fleet, host, resourceClass, inventory?.used ?? null)
}

/**
 * The used and the claimed amount of a class together: the reported use or, if larger, the sum of the claims of listed instances, plus the
 * claims that the report does not include.
 */
function takenOf(fleet: ModelFleet, host: ModelHost, resourceClass: string, used: number | null): number {
  let shown = 0
  let uncounted = 0
  for (const claim of claimsOn(fleet, host)) {
    const amount = claim.takes.classes?.[resourceClass] ?? 0
    if (isCounted(claim) && used !== null) shown += amount
    else uncounted += amount
  }
  return Math.max(used ?? 0, shown) + uncounted
}

export const capacityOf = (total: number, ratio: number): number =>
  Number((BigInt(Math.max(0, total)) * BigInt(Math.round(ratio * 1_000))) / 1_000n)

const unlisted = (fleet: ModelFleet, host: ModelHost): number => claimsOn(fleet, host).filter(({ isListed }) => !isListed).length

export const instancesOn = (fleet: ModelFleet, host: ModelHost): number => host.stats.runningVms + unlisted(fleet, host)
export const ioOpsOn = (fleet: ModelFleet, host: ModelHost): number => host.stats.numIoOps + unlisted(fleet, host)

/** Aggregates of a host, in order of uuid. */
export const aggregatesOf = ({ aggregates }: ModelFleet, { host }: ModelHost): ModelAggregate[] =>
  aggregates.filter(({ hosts }) => hosts.includes(host)).sort((a, b) => (a.uuid < b.uuid ? -1 : 1))

export const zoneOf = (fleet: ModelFleet, host: ModelHost): string =>
  aggregatesOf(fleet, host).find(({ metadata }) => metadata.availability_zone !== undefined)?.metadata.availability_zone ?? 'nova'

/** Whether the report lists the instance, or a claim on the host is for it. */
export const holds = (fleet: ModelFleet, host: ModelHost, instance: string): boolean =>
  host.present.includes(instance) || claimsOn(fleet, host).some((claim) => claim.isLogged && claim.instance === instance)

/** Whether a claim in the log is for the instance. Such an instance gets no second claim. */
export const isClaimed = ({ claims }: ModelFleet, instance: string): boolean =>
  claims.some((claim) => claim.isLogged && claim.instance === instance)

/** The group with the policy that its first claim set. Undefined if the group has no members. */
export const boundGroup = ({ claims }: ModelFleet, uuid: string): ModelGroup | undefined =>
  claims.find(({ group }) => group?.uuid === uuid)?.group ?? undefined

export const membersOn = (fleet: ModelFleet, host: ModelHost, uuid: string): number =>
  claimsOn(fleet, host).filter(({ group }) => group?.uuid === uuid).length

/** Adds what stays of the reservations of a group after they were made and at once released: the rule of the group, and held amounts. */
export function releaseReservations(
  fleet: ModelFleet,
  placed: readonly Pick<ModelClaim, 'host' | 'takes'>[],
  rule: ModelGroup | null,
): void {
  keepApart(fleet, rule)
  for (const { host, takes } of placed) fleet.claims.push(...stillHeld(host, takes))
}

/** The rule of a claim that is released still applies to its group, as long as the group has other members. */
function keepApart({ claims }: ModelFleet, rule: ModelGroup | null): void {
  for (const claim of claims)
    if (rule !== null && claim.group?.uuid === rule.uuid)
      claim.group = { ...claim.group, apartFrom: [...claim.group.apartFrom, ...rule.apartFrom] }
}

const apartAsSaid = ({ claims }: ModelFleet, uuid: string): readonly string[] =>
  claims.flatMap(({ group }) => (group?.uuid === uuid ? group.apartFrom : []))

/**
 * The uuids of the groups with members from which a group must be kept apart, because of its own rule or of the other group's rule. The
 * result is sorted.
 */
export function apartOf(fleet: ModelFleet, uuid: string, named: readonly string[] = []): readonly string[] {
  const known = new Set(fleet.claims.flatMap(({ group }) => (group === null ? [] : [group.uuid])))
  const others = [...known].filter((other) => apartAsSaid(fleet, other).includes(uuid))
  return [...new Set([...named, ...apartAsSaid(fleet, uuid), ...others])].filter((other) => other !== uuid && known.has(other)).sort()
}

/** Whether a claim adds the rule that its group is kept apart from another group, although members of both groups already share a host. */
export function wantsApartTooLate(fleet: ModelFleet, { uuid, apartFrom }: ModelGroup): boolean {
  const bound = apartOf(fleet, uuid)
  return apartFrom.some(
    (other) => !bound.includes(other) && fleet.hosts.some((host) => membersOn(fleet, host, uuid) > 0 && membersOn(fleet, host, other) > 0),
  )
}
