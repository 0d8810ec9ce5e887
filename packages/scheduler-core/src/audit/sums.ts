import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import type { HeldGrant } from '../kinds/kind.ts'
import { cpusOf } from '../kinds/numa/pin.ts'
import { type Claim, isLive, madeAt } from '../records/claim.ts'
import type { Grants, KindName } from '../records/grants.ts'
import { ALLOCATION_RULES, KEPT_PAGES, STRICT_CLAIMS } from '../values/levels.ts'

/**
 * The amount of a resource that claims reserve. `always` is added to the reported use. `unlessCounted` is added only if the report does not
 * include the use of this resource.
 */
export interface Held {
  always: number
  unlessCounted: number
  /**
   * A claim that contributes to `always` and that was made after the host's last report and after the last edit that can have reduced the
   * capacity. If the use exceeds the capacity, this claim is the cause. For a confirmed move within the host, only the amount that the move
   * added is considered.
   */
  late: Claim | undefined
}

/**
 * The resources that the claims of one host reserve, computed from all its claims. The ledger has the same sums, but updates them with each
 * change. The audit compares the ledger's sums with these sums.
 */
export interface HostSums {
  readonly classes: ReadonlyMap<string, Held>
  /** Claimed shares of each GPU, by its index. */
  readonly gpus: ReadonlyMap<number, Held>
  /** Claimed amounts of each cell: shared CPUs, MiB, pages, and the number of claims on each dedicated CPU. */
  readonly cells: ReadonlyMap<number, CellSums>
  /** All grants by kind, for the kinds that have their own audit. */
  readonly grants: ReadonlyMap<KindName, readonly HeldGrant<unknown>[]>
  /** Count of the claimed instances that the report does not include. Ended claims whose amounts stay held are counted too. */
  readonly newcomers: number
  /** Count of live claims on the host, by uuid of their server group. */
  readonly members: ReadonlyMap<string, number>
  /** Claimed memory outside of huge pages, in MiB. */
  readonly plain: Held
}

export interface CellSums {
  readonly cpus: Held
  readonly memoryMb: Held
  readonly pinned: Map<number, Held>
  /** Claimed pages of every size, by page size in KiB. */
  readonly pages: Map<number, Held>
}

export function sumClaims({ hosts, ledger, featureLevel, strictSince }: Fleet, record: HostRecord): HostSums {
  const classes = new Map<string, Held>()
  const gpus = new Map<number, Held>()
  const cells = new Map<number, CellSums>()
  const byKind = new Map<KindName, HeldGrant<unknown>[]>()
  const members = new Map<string, number>()
  let newcomers = 0
  const plain = nothing()
  // An edit of an allocation ratio can make the capacity smaller than the claims from before the edit.
  const ratedAt = featureLevel < ALLOCATION_RULES ? -1 : (hosts.columns.lastEdit[record.index] as number)

  const isLate = ({ createdAt, fence }: Pick<Claim, 'createdAt' | 'fence'>): boolean =>
    createdAt > Math.max(record.reportedAt, strictSince) && madeAt(fence) > ratedAt
  const add = (claim: Claim, grants: Grants, counted: boolean, late = isLate(claim)): void => {
    const take = (held: Held, amount: number): void => {
      if (counted) held.unlessCounted += amount
      else held.always += amount
      if (late && !counted && amount > 0) held.late = claim
    }
    for (const [name, grant] of Object.entries(grants) as [KindName, unknown][]) {
      const held = byKind.get(name) ?? []
      byKind.set(name, held)
      held.push({ claim: claim.id, grant, counted, isLate: late })
    }
    for (const name in grants.classes) take(heldIn(classes, name), grants.classes[name] as number)
    for (const { index, milli } of grants.gpu ?? []) take(heldIn(gpus, index), milli)
    take(plain, plainMibOf(record, grants))
    for (const part of grants.numa ?? []) {
      const sums = cells.get(part.cell) ?? { cpus: nothing(), memoryMb: nothing(), pinned: new Map(), pages: new Map() }
      cells.set(part.cell, sums)
      take(sums.cpus, part.cpus)
      take(sums.memoryMb, part.memoryMb)
      for (const cpu of cpusOf(part)) take(heldIn(sums.pinned, cpu), 1)
      if (part.pages === undefined) continue
      const { sizeKib, count } = featureLevel < KEPT_PAGES ? part.pages : pagesNow(record, part.pages)
      take(heldIn(sums.pages, sizeKib), count)
    }
  }

  for (const claim of record.claims) {
    const inPlace = claim.source !== null && ledger.claims.get(claim.source)?.host === claim.host
    if (isLive(claim)) {
      const counted = claim.state === 'MATERIALISED' && record.usedFrom === 'REPORT'
      if (!inPlace) {
        const { grants, extra } = claim
        // After a confirmed move within the host, `extra` is the amount that the move added. The source claim had the other resources
        // before.
        if (extra === null || featureLevel < STRICT_CLAIMS) add(claim, grants, counted)
        else add(claim, withoutExtra(grants, extra), counted, false)
        if (!counted) newcomers++
        if (claim.group !== null) members.set(claim.group, (members.get(claim.group) ?? 0) + 1)
      } else if (claim.extra === null) add(claim, claim.grants, false)
      // The added amount can be older than the report or edit that made the host too small.
      const isNew = claim.extra !== null && (inPlace || !isAllOf(claim.extra, claim.grants))
      if (claim.extra !== null) add(claim, claim.extra, false, isNew && isLate(claim.extraSince ?? claim))
    }
    // The claim has ended, but the host may still run its instance. While it lists the instance, the resources remain reserved if the host
    // does not report their use. The amounts in `extra`, which no report includes yet, always remain reserved.
    else {
      const { grants, extra } = claim
      if (hosts.isStillListed(record, claim.instance)) add(claim, extra === null ? grants : withoutExtra(grants, extra), true)
      if (extra !== null) add(claim, extra, false, false)
      if (extra !== null && claim.heldUntil !== null && isWhole(extra, grants)) newcomers++
    }
  }
  return { classes, gpus, cells, grants: byKind, newcomers, members, plain }
}

/**
 * Converts claimed pages to a size that the host reports now. If the host no longer reports their huge page size, the same amount of memory
 * is counted in pages of the next larger size. If no larger size is reported, it is counted in pages of the largest size.
 */
function pagesNow({ stats }: HostRecord, pages: { readonly sizeKib: number; readonly count: number }) {
  const there = stats.numaCells.flatMap((cell) => cell.pages.map(({ sizeKib }) => sizeKib))
  const huge = stats.numaCells.flatMap((cell) => [...hugeSizesOf(cell.pages)])
  if (there.includes(pages.sizeKib) || pages.sizeKib <= 64 || huge.length === 0) return pages
  const larger = huge.filter((size) => size > pages.sizeKib)
  const sizeKib = larger.length > 0 ? Math.min(...larger) : Math.max(...huge)
  return { sizeKib, count: Math.ceil((pages.count * pages.sizeKib) / sizeKib) }
}

/** The huge page sizes of a cell in KiB: every size but the smallest, and every size above 64 KiB. */
export function hugeSizesOf(pages: readonly { readonly sizeKib: number }[]): ReadonlySet<number> {
  const sizes = pages.map(({ sizeKib }) => sizeKib)
  return new Set(sizes.filter((size) => size > 64 || size > Math.min(...sizes)))
}

/** MiB of the grants that are not in huge pages. */
function plainMibOf({ stats }: HostRecord, { classes = {}, numa = [] }: Grants): number {
  const huge = new Set(stats.numaCells.flatMap(({ pages }) => [...hugeSizesOf(pages)]))
  const isHuge = ({ sizeKib }: { readonly sizeKib: number }): boolean => sizeKib > 64 || huge.has(sizeKib)
  return numa.reduce((mib, { memoryMb, pages }) => (pages !== undefined && isHuge(pages) ? mib - memoryMb : mib), classes.MEMORY_MB ?? 0)
}

/**
 * True if `extra` has all amounts of the claim of a confirmed move within the host. The report then includes no amount of the claim. The
 * source claim had some of these amounts before, so the move did not make the use exceed the capacity.
 */
const isAllOf = (extra: Grants, { classes = {} }: Grants): boolean =>
  Object.entries(classes).every(([name, amount]) => amount === 0 || extra.classes?.[name] === amount)

/** True if `extra` has all amounts of vCPUs, memory and disk that the claim has. */
const isWhole = (extra: Grants, { classes = {} }: Grants): boolean =>
  ['VCPU', 'MEMORY_MB', 'DISK_GB'].every((name) => (extra.classes?.[name] ?? 0) >= (classes[name] ?? 0))

/**
 * The grants of a claim minus `extra` (the amounts that no report includes). Amounts of classes and pools are subtracted. A kind of units
 * (GPUs, cells, PCI devices) is left out completely if `extra` has this kind.
 */
const withoutExtra = ({ classes = {}, pools = {}, ...units }: Grants, extra: Grants): Grants => ({
  ...Object.fromEntries(Object.entries(units).filter(([name]) => extra[name as KindName] === undefined)),
  classes: lessOf(classes, extra.classes),
  pools: lessOf(pools, extra.pools),
})

const lessOf = (amounts: Readonly<Record<string, number>>, extra: Readonly<Record<string, number>> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount - (extra[name] ?? 0)]))

/** The amount that claims reserve and the report does not include. `countsUse` is true if the report includes the use of the resource. */
export const heldUncounted = (held: Held | undefined, countsUse: boolean): number =>
  held === undefined ? 0 : held.always + (countsUse ? 0 : held.unlessCounted)

const nothing = (): Held => ({ always: 0, unlessCounted: 0, late: undefined })

function heldIn<Key>(sums: Map<Key, Held>, key: Key): Held {
  const known = sums.get(key)
  if (known !== undefined) return known
  const held = nothing()
  sums.set(key, held)
  return held
}
