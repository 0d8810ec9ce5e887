import { type LiveClaim, liveClaimsOf } from '../claims/instances.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { warningsOf } from '../fleet/warnings.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import type { HostIndex } from '../values/host-index.ts'
import { UNLISTED_TIMES } from '../values/levels.ts'
import type { Looked } from './audit.ts'
import type { Finding } from './finding.ts'
import { about } from './ledger.ts'
import { DEFAULT_UNLISTED_AFTER_MS, isThere, isUnseen, type Lag, listersOf, straysOf, unlistedSince } from './listing.ts'

/** A finding names at most this many instances. Its count includes all instances. */
const NAMED = 3

/** What the present audit round has found on the hosts that it has examined so far. */
interface Met {
  /** For each instance, the hosts that list it without having a claim of it. */
  readonly strays: Map<string, HostIndex[]>
  /** The first host with each machine id. */
  readonly machines: Map<string, HostIndex>
}

/**
 * Compares the reports of hosts with the claims, one host or instance per step. The fleet can change between two steps, so each step reads
 * current data. A missing or left-over instance becomes a finding after `unlistedAfterMs`. `now` is the store time (the database's clock).
 * By default it is the time of the log's last entry.
 */
export function* auditWorld(fleet: Fleet, unlistedAfterMs = DEFAULT_UNLISTED_AFTER_MS, now = fleet.now): Generator<Looked, void> {
  const { hosts, ledger } = fleet
  const met: Met = { strays: new Map(), machines: new Map() }
  const lag: Lag = { now, afterMs: unlistedAfterMs }
  for (const record of hosts.records) yield { subject: 'host', name: record.index, findings: auditReport(fleet, record, met, lag) }
  for (const instance of ledger.instances.names()) {
    const strays = met.strays.get(instance) ?? []
    met.strays.delete(instance)
    yield { subject: 'instance', name: instance, findings: auditListing(fleet, instance, strays, lag) }
  }
  for (const [instance, strays] of met.strays)
    if (strays.length > 1) yield { subject: 'instance', name: instance, findings: auditListing(fleet, instance, strays, lag) }
}

/** Checks the report of one host: use below its claims, instances without a claim, and a machine id that another host reports too. */
function auditReport(fleet: Fleet, record: HostRecord, { strays, machines }: Met, lag: Lag): Finding[] {
  const { hosts, ledger } = fleet
  const name = hostKey(record)
  const { findings, report, reportHosts } = about('host', name, name, null)
  if (!isThere(fleet, record)) return findings
  // If no claim reserves the resource (`held` is 0), the warning contradicts no claim.
  for (const warning of warningsOf(fleet, record))
    if (warning.held > 0) report(warning.code, warning.subject, `at least ${warning.held}`, warning.reported ?? 'not listed')
  const unclaimed: string[] = []
  for (const instance of straysOf(record, lag)) {
    const others = strays.get(instance)
    if (others === undefined) strays.set(instance, [record.index])
    else others.push(record.index)
    if (ledger.instances.of(instance).length === 0) unclaimed.push(instance)
  }
  if (unclaimed.length > 0) {
    const named = unclaimed.slice(0, NAMED).join(', ')
    const more = unclaimed.length > NAMED ? ` and ${unclaimed.length - NAMED} more` : ''
    report('instance.unclaimed', 'instances', 'a claim for each', `${unclaimed.length} without: ${named}${more}`)
  }
  const { machineId } = record.stats
  if (machineId === null || !isIdentity(machineId)) return findings
  const first = hosts.records[machines.get(machineId) ?? -1]
  // The nodes of one host can report the same machine id, because one driver reports them all.
  if (first === undefined) machines.set(machineId, record.index)
  else if (first.host !== record.host && first.stats.machineId === machineId)
    reportHosts([first.index, record.index], 'host.same_machine', 'machineId', 'one host for each machine', `as ${hostKey(first)}`)
  return findings
}

/** True if a firmware value identifies a machine. Firmware without an id reports a repeated digit, or words such as "Not Specified". */
const isIdentity = (machineId: string): boolean => /^\S+$/.test(machineId) && new Set(machineId.replaceAll('-', '')).size > 1

/** Checks which hosts list an instance. Exactly one host should list it, and its claim should be on this host. */
function auditListing(fleet: Fleet, instance: string, strays: readonly HostIndex[], lag: Lag): Finding[] {
  const { hosts, ledger, featureLevel } = fleet
  const live = liveClaimsOf(ledger.claimsFor(instance))
  const listers = listersOf(fleet, instance, strays, lag)
  const findings: Finding[] = []
  const [first, ...others] = listers
  const indexes = listers.map(({ index }) => index)
  if (first !== undefined && others.length > 0 && !live.some((one) => isListedAtBothEnds(listers, one)))
    for (const other of others) {
      const { findings: found, reportHosts } = about('instance', instance, hostKey(other), null)
      reportHosts(indexes, 'instance.two_hosts', 'hosts that list it', 'one', listers.map(hostKey).join(', '))
      findings.push(...found)
    }
  for (const { claim } of live) {
    const record = hosts.records[claim.host]
    if (record === undefined || !isUnseen(fleet, claim)) continue
    const since = unlistedSince(fleet, claim)
    const { findings: found, report, reportHosts } = about('instance', instance, hostKey(record), claim.id)
    if (first !== undefined)
      reportHosts(indexes, 'instance.other_host', 'hosts that list it', hostKey(record), listers.map(hostKey).join(', '))
    else if (since !== null && featureLevel >= UNLISTED_TIMES && lag.now - since >= lag.afterMs)
      report('instance.unlisted', 'hosts that list it', hostKey(record), `none since ${new Date(since).toISOString()}`)
    findings.push(...found)
  }
  return findings
}

/** True if each of these hosts is the source or the destination of the claim's open move. */
const isListedAtBothEnds = (listers: readonly HostRecord[], { claim, destination }: LiveClaim): boolean =>
  listers.every(({ index }) => index === claim.host || index === destination?.host)
