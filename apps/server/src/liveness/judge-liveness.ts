import { type HostName, inSlices, type Liveness, type Steps } from '@gantt/scheduler-core'
import type { Heard } from './liveness-source.ts'

/** What is known about a host when its liveness is decided. */
export interface WatchedHost extends HostName {
  readonly state: Liveness
  /** When the host last reported according to the log, by the store's clock. It is used if the host has no other sign of life. */
  readonly reportedAt: number
  /**
   * When the host was replaced, by the store's clock; absent if it was not replaced. An earlier sign of life under its name belongs to
   * another host.
   */
  readonly namedAt?: number
  /** The failure domains of a host: its zone and rack. Read only if hosts would go DOWN. */
  readonly domains: readonly string[]
}

export interface LivenessTimeouts {
  readonly suspectAfterMs: number
  readonly downAfterMs: number
}

interface Conclusion {
  readonly host: WatchedHost
  readonly state: Liveness
  readonly reason: string
}

export interface LivenessVerdict {
  readonly changes: readonly Conclusion[]
  /** Hosts that are not set DOWN because too many hosts are silent at once. An operator must confirm that they are down. */
  readonly withheld: readonly WatchedHost[]
  /** Why these hosts are not set DOWN, for operators; null if there are none. */
  readonly warning: string | null
}

/**
 * If more hosts than this share of the fleet, and at least MASS_HOSTS, are silent, the source is assumed to have failed rather than the
 * hosts.
 */
const MASS_PART = 0.2
const MASS_HOSTS = 5
/** A zone or rack with fewer hosts than this may go DOWN as a whole. */
const DOMAIN_HOSTS = 3
/**
 * The hosts of a whole zone or rack are kept from becoming DOWN only if at least this many of them become silent at once, because the last
 * live host of a rack can fail alone.
 */
const AT_ONCE = 2

/** The generator yields after it has examined this many hosts, because a check of a large fleet must not delay calls. */
const HOSTS_PER_STEP = 256

/**
 * Decides on the liveness of hosts from their signs of life. A silent host becomes SUSPECT, then DOWN, and becomes UP when a sign arrives.
 * Claims are not changed.
 */
export function* judgeLiveness(
  hosts: readonly WatchedHost[],
  heard: Heard,
  { suspectAfterMs, downAfterMs }: LivenessTimeouts,
): Steps<LivenessVerdict> {
  const { now, listeningSince, source } = heard
  const reasonOf = (last: number, limitMs: number): string =>
    `silent since ${new Date(last).toISOString()}, longer than ${limitMs / 1_000} s (source ${source})`
  const changes: Conclusion[] = []
  const due: (Conclusion & { readonly state: 'DOWN' })[] = []
  const silent = new Set<WatchedHost>()
  // a large fleet is checked every few seconds between two requests, so nothing is allocated for a host without a change
  for (const host of inSlices(hosts, HOSTS_PER_STEP)) {
    if (host === undefined) {
      yield
      continue
    }
    const last = Math.max(heard.lastOf(host) ?? host.reportedAt, host.namedAt ?? 0)
    const silence = now - Math.max(last, listeningSince)
    if (host.state === 'DOWN' || silence >= suspectAfterMs) silent.add(host)
    if (host.state !== 'UP' && now - last < suspectAfterMs) changes.push({ host, state: 'UP', reason: 'gave a sign of life again' })
    else if (host.state === 'UP' && silence >= suspectAfterMs)
      changes.push({ host, state: 'SUSPECT', reason: reasonOf(last, suspectAfterMs) })
    if (host.state === 'SUSPECT' && silence >= downAfterMs) due.push({ host, state: 'DOWN', reason: reasonOf(last, downAfterMs) })
  }
  if (due.length === 0) return { changes, withheld: [], warning: null }
  const { withheld, warning } = yield* withhold(hosts, due, silent)
  const kept = new Set(withheld)
  return { changes: [...changes, ...due.filter(({ host }) => !kept.has(host))], withheld, warning }
}

/** The silent hosts that are not set DOWN, because too many became silent at once. */
function* withhold(
  hosts: readonly WatchedHost[],
  due: readonly Conclusion[],
  silent: ReadonlySet<WatchedHost>,
): Steps<Pick<LivenessVerdict, 'withheld' | 'warning'>> {
  let newlySilent = 0
  for (const host of silent) if (host.state !== 'DOWN') newlySilent++
  const isMass =
    (newlySilent >= MASS_HOSTS && newlySilent > MASS_PART * hosts.length) || (newlySilent >= AT_ONCE && silent.size === hosts.length)
  const silentDomains = yield* silentDomainsOf(hosts, silent)
  const withheld: WatchedHost[] = []
  for (const one of inSlices(due, HOSTS_PER_STEP))
    if (one === undefined) yield
    else if (isMass || one.host.domains.some((domain) => silentDomains.has(domain))) withheld.push(one.host)
  const mass = isMass ? `${newlySilent} of ${hosts.length} hosts` : undefined
  return { withheld, warning: withheld.length === 0 ? null : warningOf(withheld, mass, silentDomains) }
}

/** Zones and racks with at least DOMAIN_HOSTS hosts in which every host is silent, and at least AT_ONCE hosts were not DOWN before. */
function* silentDomainsOf(hosts: readonly WatchedHost[], silent: ReadonlySet<WatchedHost>): Steps<ReadonlySet<string>> {
  const counts = new Map<string, { all: number; silent: number; atOnce: number }>()
  for (const host of inSlices(hosts, HOSTS_PER_STEP)) {
    if (host === undefined) {
      yield
      continue
    }
    const isSilent = silent.has(host)
    for (const domain of host.domains) {
      const count = counts.get(domain) ?? { all: 0, silent: 0, atOnce: 0 }
      counts.set(domain, count)
      count.all++
      if (isSilent) count.silent++
      if (isSilent && host.state !== 'DOWN') count.atOnce++
    }
  }
  const isWhole = ({ all, silent: ofThese, atOnce }: { all: number; silent: number; atOnce: number }): boolean =>
    all >= DOMAIN_HOSTS && all === ofThese && atOnce >= AT_ONCE
  return new Set([...counts].filter(([, count]) => isWhole(count)).map(([domain]) => domain))
}

function warningOf(withheld: readonly WatchedHost[], mass: string | undefined, silent: ReadonlySet<string>): string {
  const what = mass ?? `All of ${namesOf(withheld, silent).join(', ')}`
  return `${what} fell silent at once, so that ${withheld.length} hosts stay SUSPECT instead of going DOWN. Confirm it by livenessConfirm if they are down; their claims stay in any case.`
}

/** The silent domains of these hosts, sorted by name. */
const namesOf = (hosts: readonly WatchedHost[], silent: ReadonlySet<string>): readonly string[] =>
  [...new Set(hosts.flatMap(({ domains }) => domains.filter((domain) => silent.has(domain))))].sort()
