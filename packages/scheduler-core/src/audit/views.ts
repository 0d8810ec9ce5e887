import type { Fleet } from '../fleet/fleet.ts'
import { type ClassRow, classRow, classValue } from '../hosts/classes/sparse-columns.ts'
import type { Column } from '../hosts/column-memory.ts'
import { at } from '../hosts/columns.ts'
import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import { allKinds } from '../kinds/index.ts'
import type { BoundKey } from '../records/bound-key.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { publishedStats } from '../report/stats-versions.ts'

/**
 * One object of the state as plain data, for digests and for comparing two fleets. Hosts are identified by their index, which is equal on
 * all replicas. State that depends on a replica's own history (`version`, and columns of resource classes that the host no longer needs) is
 * left out.
 */
export type View = Readonly<Record<string, unknown>>

/** The view of the data that a fleet has only once, such as its position in the log and its feature level. */
export function headView({ place, now, featureLevel, hosts, ledger, groups, aggregates, profiles }: Fleet): View {
  return {
    place,
    now,
    featureLevel,
    hosts: hosts.count,
    claims: ledger.claims.size,
    keys: ledger.keyCount,
    reservations: ledger.lapsing.size,
    groups: groups.byUuid.size,
    aggregates: aggregates.byUuid.size,
    profiles: profiles.written().length,
    // Version 0 of a profile is part of the release and can differ between releases, so it is left out.
    activeProfiles: profiles
      .names()
      .filter((name) => profiles.activeNumber(name) !== 0)
      .map((name) => `${name}@${profiles.activeNumber(name)}`),
    ...(ledger.keyLimits.version > 0 && { keyLimits: ledger.keyLimits }),
    ...(hosts.fleetAllocation.version > 0 && { fleetAllocation: hosts.fleetAllocation }),
    // Absent if there are no rollouts, because digests of older logs must not change.
    ...(profiles.courses().size > 0 && { profileCourses: [...profiles.courses()].map(([name, course]) => ({ name, ...course })) }),
  }
}

export function hostView({ hosts }: Fleet, record: HostRecord): View {
  const { index, stats, cells, gpus, claims, present, reporters, namespaces, traits } = record
  // `version` and `zone` are left out. Also left out are members that are computed from other members and that older releases do not have.
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
    // The documents of other services are large, so only the version of each document and its report time are compared.
    namespaces: [...namespaces].map(([name, { version, reportedAt }]) => [
      name,
      version,
      ...(reportedAt === undefined ? [] : [reportedAt]),
    ]),
    columns: valuesOf(columns, record),
    classes: Object.fromEntries(
      [...hosts.classes].flatMap(([name, own]) => {
        const isAbsent = classValue(own, 'reported', index) === 0 && classValue(own, 'claimed', index) === 0
        return isAbsent ? [] : [[name, classView(classRow(own, index))]]
      }),
    ),
    cells: cells.map((cell) => ({
      ...cell,
      pinnedByReport: [...cell.pinnedByReport],
      pinnedByClaims: [...cell.pinnedByClaims].sort(([a], [b]) => a - b),
    })),
    gpus,
    // Kinds that store nothing for the host are left out. Otherwise, a new kind would change the digests of hosts that do not use it.
    ...viewsOf(hosts, record),
    claims: [...claims].map(({ id }) => id),
  }
}

/** The data about a host that resource kinds store in addition to columns, cells and GPUs. */
export function viewsOf(hosts: HostTable, { index }: HostRecord): View {
  const views = allKinds.flatMap((kind) => {
    const view = kind.view?.(hosts, index)
    return view === undefined ? [] : [[kind.name, view] as const]
  })
  return Object.fromEntries(views)
}

export function claimView({ ledger }: Fleet, claim: Claim): View {
  const { untilCounted, heldUntil, project, instanceAccount, extraSince, unlistedAt, ...others } = claim
  // Members without a value are left out. Otherwise, the digests of older logs, which do not have these members, would change.
  return {
    isReserved: ledger.lapsing.get(claim.id) === claim,
    ...others,
    ...(untilCounted !== null && { untilCounted }),
    ...(heldUntil !== null && { heldUntil }),
    ...(project !== null && { project }),
    ...(instanceAccount !== null && { instanceAccount }),
    ...(extraSince !== null && { extraSince }),
    ...(unlistedAt !== null && { unlistedAt }),
  }
}

export function keyView({ ledger }: Fleet, account: string, key: string): View | null {
  const bound = ledger.findKey(account, key)
  return bound === undefined ? null : { ...bound }
}

/** The view of a server group. With `host`, it has the count of members on this host and the count of hosts with members. */
export function groupView({ groups }: Fleet, uuid: string, host?: HostRecord): View | null {
  const group = groups.find(uuid)
  if (group === undefined) return null
  const { members, ...rule } = group
  if (host !== undefined) return { ...rule, members: members.get(host.index) ?? 0, hosts: members.size }
  return { ...rule, members: [...members].sort(([a], [b]) => a - b) }
}

/** The view of a host with its claims, their idempotency keys, and the member counts of their groups on the host. */
export function wholeHostView(fleet: Fleet, record: HostRecord): View {
  return {
    ...hostView(fleet, record),
    claims: [...record.claims].map((claim) => {
      const bound = fleet.ledger.findKey(claim.account, claim.key)
      return {
        bound: bound === undefined ? null : boundView(bound),
        counted: claim.group === null || !isLive(claim) ? null : groupView(fleet, claim.group, record),
        ...claimView(fleet, claim),
      }
    }),
  }
}

/**
 * The view of an idempotency key. The stored answer is left out, and the claims are replaced by their count, because the answer and the
 * list of claims grow with the count of requested instances.
 */
const boundView = ({ account, key, digest, boundAt, forgottenAt, claims }: BoundKey): View => ({
  account,
  key,
  digest,
  boundAt,
  forgottenAt,
  claims: claims.length,
})

/** The columns of a resource class. `covered` is left out, because it is computed from the claims and older releases do not have it. */
const classView = ({ covered: _covered, ...values }: Readonly<ClassRow>): View => values

const valuesOf = (columns: object, { index }: HostRecord): View =>
  Object.fromEntries((Object.entries(columns) as [string, Column][]).map(([name, column]) => [name, at(column, index)]))
