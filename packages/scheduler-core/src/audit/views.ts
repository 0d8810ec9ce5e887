import type { BoundKey } from '../claims/bound-key.ts'
import { type Claim, isLive } from '../claims/claim.ts'
import { at, type ClassColumns, type Column } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord, HostTable } from '../fleet/hosts.ts'
import { publishedStats } from '../fleet/stats-versions.ts'
import { allKinds } from '../kinds/index.ts'

/**
 * The state as plain data in small pieces: for digests, and to tell two fleets apart. Hosts are named by their rank, which
 * is the same on every replica. What depends on how a replica came by its state (`version`, columns nobody needs) is left out.
 */
export type View = Readonly<Record<string, unknown>>

/** What there is of one kind only. */
export function headView({ place, now, featureLevel, hosts, ledger, groups, aggregates, profiles }: Fleet): View {
  return {
    place,
    now,
    featureLevel,
    hosts: hosts.count,
    claims: ledger.claims.size,
    keys: ledger.keyCount,
    reservations: ledger.reserved.size,
    groups: groups.byUuid.size,
    aggregates: aggregates.byUuid.size,
    profiles: profiles.written().length,
    // number 0 is part of the release: another release may have others
    activeProfiles: profiles
      .names()
      .filter((name) => profiles.activeNumber(name) !== 0)
      .map((name) => `${name}@${profiles.activeNumber(name)}`),
    ...(ledger.keyLimits.version > 0 && { keyLimits: ledger.keyLimits }),
    ...(hosts.fleetAllocation.version > 0 && { fleetAllocation: hosts.fleetAllocation }),
    // only where there is one, so that a log without them looks as it did before there were any
    ...(profiles.courses().size > 0 && { profileCourses: [...profiles.courses()].map(([name, course]) => ({ name, ...course })) }),
  }
}

export function hostView({ hosts }: Fleet, record: HostRecord): View {
  const { index, stats, cells, gpus, claims, present, reporters, namespaces, traits } = record
  // the last three follow from what else is said here, and releases that read each other's digests may not have them
  const {
    version: _version,
    zone: _zone,
    gpuMostFreeMilli: _most,
    hugePageMib: _huge,
    serviceSuspect: _suspect,
    gone: _gone,
    ...columns
  } = hosts.columns
  return {
    host: record.host,
    node: record.node,
    firstSeen: record.firstSeen,
    statusReason: record.statusReason,
    livenessReason: record.livenessReason,
    ...(record.usedFrom !== 'REPORT' && { usedFrom: record.usedFrom, usedFromReason: record.usedFromReason }),
    ...(Object.keys(record.allocation).length > 0 && { allocation: record.allocation }),
    ...(record.gone !== null && { gone: record.gone }),
    ...(record.formerNames.length > 0 && { formerNames: record.formerNames }),
    reportedAt: record.reportedAt,
    revision: record.revision,
    zone: record.zone,
    aggregates: record.aggregates,
    stats: publishedStats(stats),
    traits: [...traits],
    present: [...present],
    reporters: [...reporters],
    // the documents are their service's own: who reported them last tells them apart
    namespaces: [...namespaces].map(([name, { version, reportedAt }]) => [
      name,
      version,
      ...(reportedAt === undefined ? [] : [reportedAt]),
    ]),
    columns: valuesOf(columns, record),
    classes: Object.fromEntries(
      [...hosts.classes].flatMap(([name, own]) =>
        at(own.reported, index) === 0 && at(own.claimed, index) === 0 ? [] : [[name, classView(own, record)]],
      ),
    ),
    cells: cells.map((cell) => ({
      ...cell,
      pinnedByReport: [...cell.pinnedByReport],
      pinnedByClaims: [...cell.pinnedByClaims].sort(([a], [b]) => a - b),
    })),
    gpus,
    // only kinds of which there is something, so that hosts without them look as they did before there were these kinds
    ...viewsOf(hosts, record),
    claims: [...claims].map(({ id }) => id),
  }
}

/** What kinds keep about a host beside columns, cells and GPUs. */
export function viewsOf(hosts: HostTable, { index }: HostRecord): View {
  const views = allKinds.flatMap((kind) => {
    const view = kind.view?.(hosts, index)
    return view === undefined ? [] : [[kind.name, view] as const]
  })
  return Object.fromEntries(views)
}

export function claimView({ ledger }: Fleet, claim: Claim): View {
  const { project, instanceAccount, unlistedAt, ...others } = claim
  // only where there is one, so that a log from before the level that keeps it looks as it did
  return {
    ...others,
    ...(project !== null && { project }),
    ...(instanceAccount !== null && { instanceAccount }),
    ...(unlistedAt !== null && { unlistedAt }),
    isReserved: ledger.reserved.get(claim.id) === claim,
  }
}

export function keyView({ ledger }: Fleet, account: string, key: string): View | null {
  const bound = ledger.findKey(account, key)
  return bound === undefined ? null : { ...bound }
}

/** `host`: of the members only how many it holds, and how many hosts have any. */
export function groupView({ groups }: Fleet, uuid: string, host?: HostRecord): View | null {
  const group = groups.find(uuid)
  if (group === undefined) return null
  const { members, ...rule } = group
  if (host !== undefined) return { ...rule, members: members.get(host.index) ?? 0, hosts: members.size }
  return { ...rule, members: [...members].sort(([a], [b]) => a - b) }
}

/** A host with everything on it: its claims, their keys, and what their groups count there. */
export function wholeHostView(fleet: Fleet, record: HostRecord): View {
  return {
    ...hostView(fleet, record),
    claims: [...record.claims].map((claim) => {
      const bound = fleet.ledger.findKey(claim.account, claim.key)
      return {
        ...claimView(fleet, claim),
        bound: bound === undefined ? null : boundView(bound),
        counted: claim.group === null || !isLive(claim) ? null : groupView(fleet, claim.group, record),
      }
    }),
  }
}

/** Without its answer, and with the number of its claims only: both are as long as the request was wide, and each claim has them. */
const boundView = ({ account, key, digest, boundAt, forgottenAt, claims }: BoundKey): View => ({
  account,
  key,
  digest,
  boundAt,
  forgottenAt,
  claims: claims.length,
})

/** Without what follows from the claims, which releases that read each other's digests may not have. */
const classView = ({ covered: _covered, ...columns }: ClassColumns, record: HostRecord): View => valuesOf(columns, record)

const valuesOf = (columns: object, { index }: HostRecord): View =>
  Object.fromEntries((Object.entries(columns) as [string, Column][]).map(([name, column]) => [name, at(column, index)]))
