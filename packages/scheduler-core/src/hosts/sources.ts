import type { AggregateState } from '../records/change.ts'
import { type Claim, isLive, lapsesAt } from '../records/claim.ts'
import { amountText, counted } from '../text/amount-text.ts'
import type { Fact, Source, Term } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import { capacityOf, toRatioMilli } from '../values/capacity.ts'
import type { HostIndex } from '../values/host-index.ts'
import { RESERVES_NAMED, STRICT_CLAIMS } from '../values/levels.ts'
import { type Allocated, ratioOf, reservedOf } from './allocation.ts'
import { at } from './columns.ts'
import { COMPUTE, type HostRecord, type HostTable } from './hosts.ts'
import type { PoolFigure } from './pools.ts'

/** A source lists at most this many claims with an expiry time. The claims that expire first are listed. */
const ENDING = 5

/** The host's last report, as the source of a value in a reason. */
export function reportOf({ reporters, reportedAt }: HostRecord): Source {
  const reporter = reporters.get(COMPUTE)
  if (reporter === undefined) return { kind: 'report', ref: timeText(reportedAt) }
  const { incarnation, sequence } = reporter
  return { kind: 'report', ref: `sequence ${sequence}, ${timeText(reportedAt)}`, report: { incarnation, sequence, at: reportedAt } }
}

/** The host's last document of a namespace, as the source of a value in a reason. */
export function namespaceSource(name: string, record: HostRecord): Source {
  const reporter = record.reporters.get(name)
  if (reporter === undefined) return { ...reportOf(record), ref: `no document of ${name}` }
  const { incarnation, sequence } = reporter
  const at = record.namespaces.get(name)?.reportedAt
  const time = at === undefined ? 'at an unknown time' : new Date(at).toISOString()
  return { kind: 'report', ref: `${name}, sequence ${sequence}, ${time}`, report: { incarnation, sequence, at: at ?? 0 } }
}

/** The source of an amount that is a reported amount minus claims and minus the earlier instances of the request. */
export const leftOf = (record: HostRecord): Source => {
  const report = reportOf(record)
  return { ...report, ref: `${report.ref}, less what is claimed` }
}

/** The aggregates that have a metadata key, as the source of a value in a reason. */
export function aggregatesOf(
  aggregates: readonly (Pick<AggregateState, 'name' | 'metadata'> & { readonly uuid: string })[],
  key: string,
): Source {
  const withKey = aggregates.filter(({ metadata }) => Object.hasOwn(metadata, key))
  if (withKey.length === 0) return { kind: 'aggregate', ref: `none with ${key}`, aggregates: [] }
  return {
    kind: 'aggregate',
    ref: `${withKey.map(({ name }) => name).join(', ')} ${key}`,
    aggregates: withKey.map(({ uuid, name }) => ({ uuid, name, key })),
  }
}

/** The count of aggregates that the host is a member of, as a source. */
export const membershipsOf = ({ aggregates }: HostRecord): Source => ({
  kind: 'aggregate',
  ref: aggregates.length === 0 ? 'member of none' : `member of ${aggregates.length}`,
})

/** A server group as a source. `what` is a short text about its rule or its members. */
export const groupFrom = (uuid: string, what: string): Source => ({ kind: 'group', ref: `${uuid} ${what}` })

/** The operator's reason for the status of the host, as a source. */
export const statusOf = ({ statusReason }: HostRecord): Source => ({ kind: 'status', ref: statusReason })

/** The reason for the liveness of the host, as a source. */
export const livenessOf = ({ livenessReason }: HostRecord): Source => ({ kind: 'liveness', ref: livenessReason })

/** The instances on the host, as a source: the instances in its report, and its live claims. */
export const instancesOf = (record: HostRecord): Source => {
  const live = [...record.claims].filter(isLive).length
  return { ...reportOf(record), kind: 'report', ref: `${reportOf(record).ref}, and ${counted(live, 'claim')}` }
}

/** The source of the allocation ratio or the reserved amount of a class. */
export function allocationFrom(record: HostRecord, { source, set, aggregate, release }: Allocated): Source {
  const edit = set === undefined ? '' : `, set by ${set.by} at ${timeText(set.at)}: ${set.reason}`
  switch (source) {
    case 'HOST':
      return { kind: 'status', ref: `this host${edit}` }
    case 'AGGREGATE':
      return { kind: 'aggregate', ref: `the least of its aggregates, ${aggregate}` }
    case 'FLEET':
      return { kind: 'option', ref: `the fleet, where Nova's document says nothing${edit}` }
    case 'NOVA_DEFAULT':
      return { kind: 'option', ref: `the default of Nova's release ${release}${edit}` }
    default:
      return reportOf(record)
  }
}

/** The ratio and the reserved amount of a class as terms of a calculation. */
export function allocationTerms(
  hosts: HostTable,
  host: HostIndex,
  resourceClass: string,
): { readonly reserved: Term; readonly ratio: Term } {
  const { reserved, ratioMilli } = hosts.classColumns(resourceClass)
  const record = hosts.get(host)
  const from = (allocated: Allocated) => allocationFrom(record, allocated)
  return {
    reserved: { name: 'reserved', value: at(reserved, host), from: from(reservedOf(hosts, record, resourceClass)) },
    ratio: { name: 'ratio', value: at(ratioMilli, host) / 1_000, from: from(ratioOf(hosts, record, resourceClass)) },
  }
}

/** The source of the reserved amount of a class on a host, as a short text. */
function reserveSetBy({ source, set, release }: Allocated): string {
  const edit = set === undefined ? '' : `set by ${set.by}: ${set.reason}`
  switch (source) {
    case 'HOST':
      return edit
    case 'FLEET':
      return `for the fleet, ${edit}`
    case 'NOVA_DEFAULT':
      return `the default of Nova's release ${release}`
    default:
      return 'by its report'
  }
}

/**
 * The reserved amount of a class on a host, as text for a reason. `missing` is the amount that the host lacks, or 'in total' if its total
 * is too small. The text is included if the total is too small, if the host would have enough without reserved resources, or if an operator
 * set the reserved amount of the host. It is left out in all other cases, because most reports have a reserved amount.
 */
export function reserveOf(
  hosts: HostTable,
  host: HostIndex,
  resourceClass: string,
  unit: string,
  { missing }: { readonly missing: number | 'in total' },
): Pick<Reason, 'reserved'> {
  if (hosts.featureLevel < RESERVES_NAMED) return {}
  const { total, ratioMilli } = hosts.classColumns(resourceClass)
  const reserved = reservedOf(hosts, hosts.get(host), resourceClass)
  const isCause = missing === 'in total' || missing <= keptBack(at(total, host), reserved.value, at(ratioMilli, host))
  if (reserved.value === 0 || !(isCause || reserved.source === 'HOST')) return {}
  return { reserved: reservedText(reserved.value, at(total, host), unit, reserveSetBy(reserved)) }
}

/** The amount by which the capacity would be larger if nothing were reserved. */
const keptBack = (total: number, reserved: number, ratioMilli: number): number =>
  capacityOf(total, 0, ratioMilli) - capacityOf(total, reserved, ratioMilli)

const reservedText = (reserved: number, total: number, unit: string, by: string): string =>
  `${reserved} of its ${amountText(total, unit)} are reserved (${by})`

/** The reserved amount of a pool, as text for a reason. Left out if the pool would have too little even without the reserved amount. */
export function poolReserveOf(hosts: HostTable, pool: PoolFigure, missing: number | 'in total'): Pick<Reason, 'reserved'> {
  const { totalGib, reservedGib, thinRatio, reporter } = pool
  const isCause = missing === 'in total' || missing <= keptBack(totalGib, reservedGib, toRatioMilli(thinRatio))
  if (hosts.featureLevel < RESERVES_NAMED || reservedGib === 0 || !isCause) return {}
  return { reserved: reservedText(reservedGib, totalGib, 'GiB', `by the storage document of ${hosts.get(reporter).host}`) }
}

/** The free amount of a resource class on a host, as a fact with the terms of the calculation. */
export function freeFact(
  hosts: HostTable,
  host: HostIndex,
  resourceClass: string,
  asked: Pick<Fact, 'subject' | 'requiredFrom'> & { readonly required: number; readonly unit: string },
): Fact {
  const columns = hosts.classes.get(resourceClass)
  const record = hosts.get(host)
  const report = reportOf(record)
  if (columns === undefined || columns.reported[host] === 0) return { ...asked, amountOf: 'reported', actual: 0, actualFrom: report }
  const term = (name: string, value: number, from = report): Term => ({ name, value, from })
  const { reserved, ratio } = allocationTerms(hosts, host, resourceClass)
  return {
    ...asked,
    ...reserveOf(hosts, host, resourceClass, asked.unit, { missing: asked.required - at(columns.free, host) }),
    actual: at(columns.free, host),
    actualFrom: report,
    terms: [
      term('total', at(columns.total, host)),
      reserved,
      ratio,
      term('used', at(columns.used, host)),
      term('claimed', at(columns.claimed, host), claimsOf(hosts, host, resourceClass)),
    ],
  }
}

/** The total of a class minus its reserved amount, as a fact. One instance never gets more than this amount. */
export function inAllFact(
  hosts: HostTable,
  host: HostIndex,
  resourceClass: string,
  asked: Pick<Fact, 'subject' | 'requiredFrom'> & { readonly required: number; readonly unit: string },
): Fact {
  const { total, reserved } = hosts.classColumns(resourceClass)
  const from = reportOf(hosts.get(host))
  const terms = [{ name: 'total', value: at(total, host), from }, allocationTerms(hosts, host, resourceClass).reserved]
  return {
    ...asked,
    ...reserveOf(hosts, host, resourceClass, asked.unit, { missing: 'in total' }),
    amountOf: 'in total',
    actual: Math.max(0, at(total, host) - at(reserved, host)),
    actualFrom: from,
    terms,
  }
}

/** The claims that hold an amount of a class that the host's report does not count, as a source. */
export function claimsOf(hosts: HostTable, host: HostIndex, resourceClass: string): Source {
  const columns = hosts.classes.get(resourceClass)
  const record = hosts.get(host)
  const holding = [...record.claims].flatMap((claim) => {
    const amount = heldBy(hosts, claim, record, resourceClass, columns?.countsUse[host] === 1)
    return amount === 0 ? [] : [{ claim, amount }]
  })
  const claimed = columns === undefined ? 0 : at(columns.claimed, host)
  // If the reported usage is less than the claims of the reported instances hold, the difference cannot be attributed to single claims.
  const short = columns === undefined ? 0 : Math.max(0, at(columns.covered, host) - at(columns.used, host))
  const picked = claimed - short - holding.reduce((sum, { amount }) => sum + amount, 0)
  const ending = holding
    .flatMap(({ claim }) => {
      const expiresAt = lapsesAt(claim)
      return expiresAt === null ? [] : [{ claim: claim.id, expiresAt }]
    })
    .sort((a, b) => a.expiresAt - b.expiresAt || (a.claim < b.claim ? -1 : 1))
    .slice(0, ENDING)
  const [first] = ending
  const ends = first === undefined ? '' : `, the first of which ends ${timeText(first.expiresAt)}`
  const picks =
    picked === 0
      ? ''
      : picked > 0
        ? `, and ${picked} for earlier placements of the same evaluation`
        : `, less ${-picked} of the claim that moves`
  const ended = holding.filter(({ claim }) => !isLive(claim)).length
  const live = counted(holding.length - ended, 'claim')
  const claims = ended === 0 ? live : `${live}, and ${counted(ended, 'ended claim')} whose amounts stay held`
  const below = short === 0 ? '' : `, and ${short} that the report counts too little of the instances that it lists`
  return {
    kind: 'claims',
    ref: `${claims}${ends}${picks}${below}`,
    claims: { count: holding.length, picked, ending },
  }
}

/**
 * The amount of a class that a claim holds in addition to the reported usage (`counts`: the report states the use of the class). When
 * claims are subtracted from free amounts, the same rule is used.
 */
function heldBy(hosts: HostTable, claim: Claim, record: HostRecord, resourceClass: string, counts: boolean): number {
  const { state, instance, grants, extra, source } = claim
  const whole = grants.classes?.[resourceClass] ?? 0
  const added = extra?.classes?.[resourceClass] ?? 0
  // before level STRICT_CLAIMS, an amount that a move within the host added was held in addition to the whole claim
  const rest = extra === null || (isLive(claim) && hosts.featureLevel < STRICT_CLAIMS) ? whole : whole - added
  // what no report has counted stays held after the end of a claim, and the rest as long as the host lists the instance
  if (!isLive(claim)) return added + (hosts.isStillListed(record, instance) && !counts ? rest : 0)
  // a claim for a resize on the same host holds only the difference from the claim before the resize
  if (source !== null && [...record.claims].some(({ id }) => id === source)) return extra === null ? whole : added
  return added + (state === 'MATERIALISED' && record.usedFrom === 'REPORT' && counts ? 0 : rest)
}

const timeText = (ms: number): string => new Date(ms).toISOString()
