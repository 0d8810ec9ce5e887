import { type Claim, isLive, madeAt } from '../claims/claim.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import { ALLOCATION_RULES, KEPT_PAGES, STRICT_CLAIMS } from '../fleet/levels.ts'
import type { Grants, KindName } from '../kinds/grants.ts'
import type { HeldGrant } from '../kinds/kind.ts'
import { cpusOf } from '../kinds/numa/pin.ts'

/** An amount that claims hold: always, and beside it what a report that counts use counts already. */
export interface Held {
  always: number
  unlessCounted: number
  /**
   * A claim that holds some of `always` and was made after the host's last report, and after the last edit that may have made the host
   * smaller. Of one that settled in place, some of what it added there.
   */
  late: Claim | undefined
}

/** What the claims of one host hold, added up anew; in a second way than the ledger's, which adds and takes away. */
export interface HostSums {
  readonly classes: ReadonlyMap<string, Held>
  /** By index of the GPU. */
  readonly gpus: ReadonlyMap<number, Held>
  /** By cell: shared CPUs, MiB, and how many claims hold each CPU for themselves. */
  readonly cells: ReadonlyMap<number, CellSums>
  /** Every grant by kind, for the kinds that audit themselves. */
  readonly grants: ReadonlyMap<KindName, readonly HeldGrant<unknown>[]>
  /** Instances that the report does not count. */
  readonly newcomers: number
  /** Live members by uuid of the group. */
  readonly members: ReadonlyMap<string, number>
  /** Memory that is not huge pages. */
  readonly plain: Held
}

export interface CellSums {
  readonly cpus: Held
  readonly memoryMb: Held
  readonly pinned: Map<number, Held>
  /** By size in KiB. */
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
  // ratios that operators and aggregates set may leave less than claims hold already
  const ratedAt = featureLevel < ALLOCATION_RULES ? -1 : (hosts.columns.lastEdit[record.index] as number)

  const add = (claim: Claim, grants: Grants, counted: boolean, isNew = true): void => {
    const late = isNew && claim.createdAt > Math.max(record.reportedAt, strictSince) && madeAt(claim.fence) > ratedAt
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
        // the rest of a claim that settled in place is what the claim before it held already
        if (extra === null || featureLevel < STRICT_CLAIMS) add(claim, grants, counted)
        else add(claim, withoutExtra(grants, extra), counted, false)
        if (!counted) newcomers++
        if (claim.group !== null) members.set(claim.group, (members.get(claim.group) ?? 0) + 1)
      } else if (claim.extra === null) add(claim, claim.grants, false)
      if (claim.extra !== null) add(claim, claim.extra, false)
    }
    // it ended and its instance runs on: what the host does not count itself stays taken
    else add(claim, claim.grants, true)
  }
  return { classes, gpus, cells, grants: byKind, newcomers, members, plain }
}

/** Pages as the host has them now: of a huge size that it has no more, as many of the next larger one, or of the largest, as are as much memory. */
function pagesNow({ stats }: HostRecord, pages: { readonly sizeKib: number; readonly count: number }) {
  const there = stats.numaCells.flatMap((cell) => cell.pages.map(({ sizeKib }) => sizeKib))
  const huge = stats.numaCells.flatMap((cell) => [...hugeSizesOf(cell.pages)])
  if (there.includes(pages.sizeKib) || pages.sizeKib <= 64 || huge.length === 0) return pages
  const larger = huge.filter((size) => size > pages.sizeKib)
  const sizeKib = larger.length > 0 ? Math.min(...larger) : Math.max(...huge)
  return { sizeKib, count: Math.ceil((pages.count * pages.sizeKib) / sizeKib) }
}

/** Sizes of a cell's pages that are huge: all but the smallest, and those that are larger than any machine's plain ones. */
export function hugeSizesOf(pages: readonly { readonly sizeKib: number }[]): ReadonlySet<number> {
  const sizes = pages.map(({ sizeKib }) => sizeKib)
  return new Set(sizes.filter((size) => size > 64 || size > Math.min(...sizes)))
}

/** MiB of grants that are not huge pages of the host's cells. */
function plainMibOf({ stats }: HostRecord, { classes = {}, numa = [] }: Grants): number {
  const huge = new Set(stats.numaCells.flatMap(({ pages }) => [...hugeSizesOf(pages)]))
  const isHuge = ({ sizeKib }: { readonly sizeKib: number }): boolean => sizeKib > 64 || huge.has(sizeKib)
  return numa.reduce((mib, { memoryMb, pages }) => (pages !== undefined && isHuge(pages) ? mib - memoryMb : mib), classes.MEMORY_MB ?? 0)
}

/** The grants of a claim that settled in place less what it added there: amounts of classes and pools. */
const withoutExtra = ({ classes = {}, pools = {}, ...units }: Grants, extra: Grants): Grants => ({
  ...units,
  classes: lessOf(classes, extra.classes),
  pools: lessOf(pools, extra.pools),
})

const lessOf = (amounts: Readonly<Record<string, number>>, extra: Readonly<Record<string, number>> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount - (extra[name] ?? 0)]))

/** What is held beside a report that counts use, or does not. */
export const heldBeside = (held: Held | undefined, countsUse: boolean): number =>
  held === undefined ? 0 : held.always + (countsUse ? 0 : held.unlessCounted)

const nothing = (): Held => ({ always: 0, unlessCounted: 0, late: undefined })

function heldIn<Key>(sums: Map<Key, Held>, key: Key): Held {
  const known = sums.get(key)
  if (known !== undefined) return known
  const held = nothing()
  sums.set(key, held)
  return held
}
