import type { Fleet } from '../../fleet/fleet.ts'
import { domainsOf, membersByDomain } from '../../fleet/topology.ts'
import { at } from '../../hosts/columns.ts'
import { asksPlain } from '../../kinds/index.ts'
import { demandOf, type RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Column } from './columns.ts'
import type { Draft, Row } from './draft.ts'
import type { MemberScores } from './scores.ts'

const row = (entries: readonly (readonly [column: number, value: number])[], least: number | null, most: number | null): Row => ({
  columns: entries.map(([column]) => column),
  values: entries.map(([, value]) => value),
  least,
  most,
})

const where = (columns: readonly Column[], holds: (column: Column) => boolean): number[] =>
  columns.flatMap((column, i) => (holds(column) ? [i] : []))

const ones = (columns: readonly number[]) => columns.map((column) => [column, 1] as const)

/** Adds rows that require all instances of each kind to be placed. */
export function placeAll(draft: Draft, columns: readonly Column[], scores: readonly MemberScores[]): void {
  for (const [k, { members }] of scores.entries())
    draft.rows.push(row(ones(where(columns, ({ kind }) => kind === k)), members.count, members.count))
}

/** Adds rows that require all moves of each kind to be placed, as far as columns exist. With `mayStay`, any number may be placed. */
export function placeMost(draft: Draft, columns: readonly Column[], scores: readonly MemberScores[], mayStay: boolean): void {
  for (const [k, { members }] of scores.entries()) {
    const own = where(columns, ({ kind }) => kind === k)
    if (own.length > 0) draft.rows.push(row(ones(own), mayStay ? 0 : Math.min(members.count, own.length), members.count))
  }
}

/**
 * Adds rows that allow a second instance of a kind on a host only if the host has the first one, and so on. If later instances never have a
 * higher score than earlier ones, the best arrangement satisfies these rows anyway. They are then left out, because they make the program
 * much harder to solve. With `isNeeded` they are always added, because other rows refer to first instances.
 */
export function chain({ rows }: Draft, columns: readonly Column[], isNeeded: boolean): void {
  const isRising = new Set<string>()
  const keyOf = ({ kind, host }: Column) => `${kind} ${host}`
  for (const [i, column] of columns.entries())
    if (column.copy > 1 && column.score > (columns[i - 1] as Column).score) isRising.add(keyOf(column))
  for (const [i, column] of columns.entries())
    if (column.copy > 1 && (isNeeded || isRising.has(keyOf(column))))
      rows.push(
        row(
          [
            [i, 1],
            [i - 1, -1],
          ],
          null,
          0,
        ),
      )
}

function byHost(columns: readonly Column[], kinds?: ReadonlySet<number>): ReadonlyMap<HostIndex, readonly number[]> {
  const hosts = new Map<HostIndex, number[]>()
  for (const [i, { host, kind }] of columns.entries()) {
    if (kinds?.has(kind) === false) continue
    const own = hosts.get(host)
    if (own === undefined) hosts.set(host, [i])
    else own.push(i)
  }
  return hosts
}

/** Adds rows so that all kinds of instances together fit into the free capacity of each host. */
export function shareRoom(
  { rows }: Draft,
  columns: readonly Column[],
  scores: readonly MemberScores[],
  fleet: Fleet,
  isCareful: boolean,
): void {
  const asks = scores.map(({ members: { request } }) => ({
    amounts: demandOf(request).amounts,
    gpuMilli: request.gpus === null ? 0 : request.gpus.count * request.gpus.shareMilli,
    isIntricate: !asksPlain(request),
  }))
  const classes = new Set(asks.flatMap(({ amounts }) => Object.keys(amounts)))
  for (const [host, own] of byHost(columns)) {
    const here = own.map((i) => ({ i, ...(columns[i] as Column) }))
    if (new Set(here.map(({ kind }) => kind)).size < 2) continue
    const limit = (amountOf: (kind: number) => number, most: number) => {
      const entries = here.map(({ i, kind }) => [i, amountOf(kind)] as const).filter(([, amount]) => amount > 0)
      if (entries.reduce((sum, [, amount]) => sum + amount, 0) > most) rows.push(row(entries, null, most))
    }
    for (const resourceClass of classes)
      limit((kind) => asks[kind]?.amounts[resourceClass] ?? 0, at(fleet.hosts.classColumns(resourceClass).free, host))
    limit((kind) => asks[kind]?.gpuMilli ?? 0, at(fleet.hosts.columns.gpuFreeMilli, host))
    const intricate = here.filter(({ kind, copy }) => copy === 1 && asks[kind]?.isIntricate)
    if (isCareful && intricate.length > 1) rows.push(row(ones(intricate.map(({ i }) => i)), null, 1))
  }
}

/** Adds rows so that all instances together fit into the free space of each disk pool. */
export function sharePools({ rows }: Draft, columns: readonly Column[], scores: readonly MemberScores[], { hosts }: Fleet): void {
  if (hosts.pools.users === 0) return
  const asks = scores.map(({ members: { request } }) => demandOf(request).diskGib)
  const byPool = new Map<string, [column: number, gib: number][]>()
  for (const [i, { host, kind }] of columns.entries()) {
    const [pool] = hosts.get(host).diskPools
    const gib = asks[kind] ?? 0
    if (pool === undefined || gib === 0) continue
    const own = byPool.get(pool)
    if (own === undefined) byPool.set(pool, [[i, gib]])
    else own.push([i, gib])
  }
  for (const [pool, entries] of byPool) rows.push(row(entries, null, Math.max(0, hosts.pools.free(pool) ?? 0)))
}

/**
 * Adds the rows for the policy of the request's server group. `kinds` are the kinds of instances to which the policy applies. A single kind
 * needs no rows for anti-affinity, because its columns on a host end at the first instance that the filters refuse.
 */
export function keepGroup(
  draft: Draft,
  columns: readonly Column[],
  { instanceGroup }: RequestSpec,
  fleet: Fleet,
  kinds: ReadonlySet<number>,
): void {
  if (instanceGroup?.policy === 'AFFINITY') {
    // Each host gets a further column. Its value is 1 if all members of the group are placed on the host.
    const homes: number[] = []
    for (const [, own] of byHost(columns, kinds)) {
      const home = draft.most.push(1) - 1
      draft.objective.push(0)
      homes.push(home)
      for (const i of own)
        if (columns[i]?.copy === 1)
          draft.rows.push(
            row(
              [
                [i, 1],
                [home, -1],
              ],
              null,
              0,
            ),
          )
    }
    draft.rows.push(row(ones(homes), null, 1))
  }
  if (instanceGroup?.policy !== 'ANTI_AFFINITY' || kinds.size === 1) return
  const members = fleet.groups.find(instanceGroup.uuid)?.members
  const elsewhere = (host: HostIndex) => instanceGroup.hosts.filter((name) => name === fleet.hosts.get(host).host).length
  for (const [host, own] of byHost(columns, kinds))
    draft.rows.push(
      row(ones(own), null, Math.max(0, (instanceGroup.maxServerPerHost ?? 1) - Math.max(members?.get(host) ?? 0, elsewhere(host)))),
    )
}

/**
 * Adds the rows for a topology spread. Kinds of instances are placed in order, and each placement is checked. So the rows limit the skew
 * after each kind, not only at the end. Within a kind, instances can be placed in any order, so an order that satisfies the skew exists.
 */
export function keepSpread(
  draft: Draft,
  columns: readonly Column[],
  request: RequestSpec,
  fleet: Fleet,
  isCounted: (host: HostIndex) => boolean,
  { topologyKey, maxSkew, maxPerDomain }: RequestSpec['topologySpread'][number],
): void {
  const domainOf = domainsOf(fleet, topologyKey)
  const there = membersByDomain(fleet, request, domainOf)
  const inDomain = new Map<string, number[]>()
  for (const [i, { host }] of columns.entries()) {
    const domain = domainOf(host)
    if (domain === undefined) continue
    const own = inDomain.get(domain)
    if (own === undefined) inDomain.set(domain, [i])
    else own.push(i)
  }
  if (maxPerDomain !== null)
    for (const [domain, own] of inDomain) draft.rows.push(row(ones(own), null, Math.max(0, maxPerDomain - (there.get(domain) ?? 0))))
  if (maxSkew === null) return
  const counting = new Set(
    Array.from(fleet.hosts.presentIndexes, (index) => index as HostIndex)
      .filter(isCounted)
      .map(domainOf),
  )
  const counts = [...there].map(([domain, before]) => ({ before, own: inDomain.get(domain) ?? [], counts: counting.has(domain) }))
  const counted = counts.filter((domain) => domain.counts)
  if (counted.length === 0) return
  const fewest = counted.reduce((least, { before }) => Math.min(least, before), Number.MAX_SAFE_INTEGER)
  // The lowest member count cannot rise above the count of a domain that has no columns.
  const ceiling = counted.reduce(
    (least, { before, own }) => (own.length === 0 ? Math.min(least, before) : least),
    fewest + request.numInstances,
  )
  // A domain whose member count is above the allowed skew before the request gets no instance.
  const isFull = (before: number): boolean => before - fewest > maxSkew
  for (const { before, own } of counts) if (own.length > 0 && isFull(before)) draft.rows.push(row(ones(own), null, 0))
  for (const kind of new Set(columns.map(({ kind }) => kind))) {
    // This column is the member count of the domain with the fewest members, after this kind is placed.
    const least = draft.most.push(ceiling) - 1
    draft.objective.push(0)
    for (const { before, own, counts: isCounting } of counts) {
      const placed = ones(own.filter((i) => (columns[i] as Column).kind <= kind))
      if (own.length === 0) continue
      if (isCounting) draft.rows.push(row([[least, 1], ...placed.map(([i]) => [i, -1] as const)], null, before))
      if (placed.length > 0 && !isFull(before)) draft.rows.push(row([...placed, [least, -1]], null, maxSkew - before))
    }
  }
}
