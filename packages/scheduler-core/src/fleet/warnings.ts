import type { HostRecord } from '../hosts/hosts.ts'
import { hugeMibReported } from '../hosts/plain-memory.ts'
import { allKinds } from '../kinds/index.ts'
import { isLive } from '../records/claim.ts'
import type { KindName } from '../records/grants.ts'
import { omittedOf } from '../report/stats-fields.ts'
import type { Code } from '../text/codes.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import { SLICE, type Steps } from '../values/steps.ts'
import type { Fleet } from './fleet.ts'

/**
 * A warning about a host. Either its report contradicts its claims, or its report is incomplete. An incomplete report makes claims reserve
 * more than necessary.
 */
export interface HostWarning {
  readonly code: Extract<Code, 'capacity.below_claims' | 'use.below_claims' | 'use.beyond_memory' | 'use.no_instances'>
  /** The resource class or the kind of units that the warning is about. `instances` if the host does not list its instances. */
  readonly subject: string
  /** The reported amount that the host has in total or in use, in whole units. Null if the report does not contain this amount. */
  readonly reported: number | null
  /**
   * For capacity.below_claims, the amount that live claims reserve. For use.below_claims, the amount that the claims of listed instances
   * reserve. For use.no_instances, the count of live claims. For use.beyond_memory, the MiB of huge pages in use.
   */
  readonly held: number
  /** True if several hosts share the resource, such as a disk pool. The claims of all these hosts are then included. */
  readonly isShared?: true
}

/** All warnings about a host, computed from its report and its claims. Empty below feature level STRICT_CLAIMS. */
export function warningsOf(fleet: Fleet, record: HostRecord): readonly HostWarning[] {
  if (fleet.featureLevel < STRICT_CLAIMS) return []
  return [...aboutCapacity(fleet, record), ...aboutUse(fleet, record)]
}

/**
 * Compares the total amounts of the host with the amounts that its live claims reserve. A move within the host is included once, with the
 * larger of its two sizes.
 */
function aboutCapacity({ hosts, ledger }: Fleet, record: HostRecord): readonly HostWarning[] {
  const held = new Map<KindName, unknown[]>()
  for (const claim of record.claims) {
    const grants = isLive(claim) ? ledger.addedGrants(claim) : {}
    for (const name in grants) {
      const all = held.get(name as KindName)
      if (all === undefined) held.set(name as KindName, [grants[name as KindName]])
      else all.push(grants[name as KindName])
    }
  }
  return allKinds.flatMap((kind) => {
    const grants = isReported(kind, record) ? (held.get(kind.name) ?? (kind.isShared === true ? [] : undefined)) : undefined
    const short = grants === undefined ? [] : (kind.capacityBelowClaims?.(hosts, record.index, grants) ?? [])
    return short.map((one): HostWarning => ({ code: 'capacity.below_claims', ...one }))
  })
}

/**
 * Returns true if the report has the units of a kind. If the report omits the units, their count is unknown, not 0. The first field that a
 * kind reads contains the units.
 */
const isReported = ({ filter }: (typeof allKinds)[number], record: HostRecord): boolean =>
  omittedOf(record, filter.reads.slice(0, 1)).length === 0

function aboutUse({ hosts }: Fleet, record: HostRecord): readonly HostWarning[] {
  if (record.usedFrom === 'CLAIMS') return []
  const listed = allKinds.flatMap((kind) => (isReported(kind, record) ? (kind.usedBelowClaims?.(hosts, record.index) ?? []) : []))
  const warnings: HostWarning[] = [...listed.map((one) => ({ code: 'use.below_claims', ...one }) as const), ...aboutPages(record)]
  if (record.stats.instances !== null) return warnings
  let held = 0
  for (const claim of record.claims) if (isLive(claim)) held++
  return [...warnings, { code: 'use.no_instances', subject: 'instances', reported: null, held }]
}

/**
 * Warns if the host or one of its cells reports more memory in used huge pages than used memory. Used huge pages are part of the used
 * memory, so the used memory in such a report is too small.
 */
function aboutPages(record: HostRecord): readonly HostWarning[] {
  const { memoryMbUsed, inventories, numaCells } = record.stats
  const hugeMb = hugeMibReported(record.stats)
  if (hugeMb === 0) return []
  const used = inventories.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')?.used ?? memoryMbUsed
  const ofHost = { subject: 'MEMORY_MB', reported: used, held: hugeMb }
  const ofCells = numaCells.flatMap((cell) =>
    cell.memoryUsageMb === null
      ? []
      : [{ subject: `memory of cell ${cell.id}`, reported: cell.memoryUsageMb, held: hugeMibReported({ numaCells: [cell] }) }],
  )
  return [...(omittedOf(record, ['memoryMbUsed']).length === 0 ? [ofHost] : []), ...ofCells]
    .filter(({ reported, held }) => held > reported)
    .map((one): HostWarning => ({ code: 'use.beyond_memory', ...one }))
}

/**
 * Counts the warnings of all hosts of a fleet by code. The count can be repeated cheaply, because it examines only hosts that changed since
 * the last count. Hosts with disk pools are always examined, because the claims of other hosts change the warnings about a pool.
 */
export class WarningCounter {
  readonly fleet: Fleet
  #level = 0
  /** For each host that was examined, its version at that time and the codes of its warnings. */
  #examined: { readonly version: number; readonly codes: readonly HostWarning['code'][] }[] = []
  #counts = noWarnings()

  constructor(fleet: Fleet) {
    this.fleet = fleet
  }

  /** The counts. Yields after each slice of hosts. If a host changes before the generator reaches it, its new state is counted. */
  *count(): Steps<ReadonlyMap<HostWarning['code'], number>> {
    const { hosts } = this.fleet
    let examined = 0
    this.#forgetOtherRules()
    for (const record of hosts.records) {
      const version = hosts.columns.version[record.index] as number
      if (version === this.#examined[record.index]?.version && record.diskPools.length === 0) continue
      this.#examine(record, version)
      if (++examined % SLICE !== 0) continue
      yield
      if (this.#forgetOtherRules()) return yield* this.count()
    }
    return new Map(this.#counts)
  }

  #examine(record: HostRecord, version: number): void {
    const codes = record.gone === null ? warningsOf(this.fleet, record).map(({ code }) => code) : []
    for (const code of this.#examined[record.index]?.codes ?? []) this.#add(code, -1)
    for (const code of codes) this.#add(code, 1)
    this.#examined[record.index] = { version, codes }
  }

  #add(code: HostWarning['code'], count: number): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + count)
  }

  /**
   * Forgets all examined hosts if the feature level changed, because their warnings followed the rules of the earlier level. Returns true
   * in this case.
   */
  #forgetOtherRules(): boolean {
    const { featureLevel } = this.fleet
    if (featureLevel === this.#level) return false
    this.#level = featureLevel
    this.#examined = []
    this.#counts = noWarnings()
    return true
  }
}

const noWarnings = (): Map<HostWarning['code'], number> =>
  new Map([
    ['capacity.below_claims', 0],
    ['use.below_claims', 0],
    ['use.beyond_memory', 0],
    ['use.no_instances', 0],
  ])

/** The text of a warning for operators. */
export function warningText({ code, subject, reported, held, isShared }: HostWarning): string {
  if (isShared === true)
    return `The ${subject} has a capacity of ${reported ?? 0} GiB; the live claims of all hosts hold ${held} GiB, so some instances lack space that was promised to them. Report the full capacity of the pool, or move or end claims until the remaining claims fit.`
  if (code === 'capacity.below_claims')
    return `The host has a capacity of ${reported ?? 0} of ${subject}; its live claims hold ${held}, so some instances lack resources that were promised to them. Report the full capacity of the host, or move or end claims until the remaining claims fit.`
  if (code === 'use.below_claims')
    return `The host reports ${reported ?? 0} of ${subject} in use; the claims of the instances that it lists hold ${held}, so ${held} count as used. Report the use of all listed instances, or release the claims of those that are gone.`
  if (code === 'use.beyond_memory')
    return `The host reports ${reported ?? 0} MiB of ${subject} in use, and ${held} MiB of huge pages in use there. Report all memory in use, including huge pages; until then the use of the other memory is unknown.`
  const counted = held === 0 ? 'each claim on it counts' : held === 1 ? 'its 1 live claim counts' : `its ${held} live claims count`
  return `The host does not list its instances, so ${counted} in full in addition to the use that it reports. Report the list, or set that its used amounts come from claims.`
}
