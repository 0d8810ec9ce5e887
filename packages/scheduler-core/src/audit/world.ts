import { type LiveClaim, liveClaimsOf } from '../claims/instances.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { warningsOf } from '../fleet/warnings.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import type { HostIndex } from '../values/host-index.ts'
import { UNLISTED_TIMES } from '../values/levels.ts'
import { inSlices, SLICE } from '../values/steps.ts'
import type { Looked } from './audit.ts'
import type { Finding } from './finding.ts'
import { about, MAX_FINDINGS } from './ledger.ts'
import {
  candidatesFor,
  DEFAULT_UNLISTED_AFTER_MS,
  isLister,
  isReservedOnly,
  isThere,
  isUnseen,
  type Lag,
  NAMED_HOSTS,
  straysOf,
  unlistedSince,
} from './listing.ts'

/** A finding names at most this many instances. Its count includes all instances. */
const NAMED = 3

/** A step that only continues the check of an instance that many hosts list. Such a check takes several steps. */
const CONTINUED: Looked = { subject: 'part', name: 'hosts that list one instance', findings: [] }

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
    yield* auditListing(fleet, instance, strays, lag)
  }
  for (const [instance, strays] of met.strays) if (strays.length > 1) yield* auditListing(fleet, instance, strays, lag)
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
    if (isReservedOnly(ledger.claimsFor(instance))) unclaimed.push(instance)
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
function* auditListing(fleet: Fleet, instance: string, strays: readonly HostIndex[], lag: Lag): Generator<Looked, void> {
  const listers: HostRecord[] = []
  for (const index of inSlices(candidatesFor(fleet, instance, strays), SLICE)) {
    if (index === undefined) yield CONTINUED
    else if (isLister(fleet, instance, index, lag)) listers.push(fleet.hosts.get(index))
  }
  yield { subject: 'instance', name: instance, findings: findingsOfListing(fleet, instance, listers, lag) }
}

function findingsOfListing(fleet: Fleet, instance: string, listers: readonly HostRecord[], lag: Lag): Finding[] {
  const { hosts, ledger, featureLevel } = fleet
  const live = liveClaimsOf(ledger.claimsFor(instance))
  const findings: Finding[] = []
  const [first, second] = listers
  // All findings of the instance share this list and this text.
  const named = listers.slice(0, NAMED_HOSTS)
  const indexes = named.map(({ index }) => index)
  const more = listers.length > named.length ? ` and ${listers.length - named.length} more` : ''
  const where = `${named.map(hostKey).join(', ')}${more}`
  if (second !== undefined && !live.some((one) => isListedAtBothEnds(listers, one))) {
    const { findings: found, reportHosts } = about('instance', instance, hostKey(second), null)
    reportHosts(indexes, 'instance.two_hosts', 'hosts that list it', 'one', where)
    findings.push(...found)
  }
  for (const { claim } of live) {
    if (findings.length === MAX_FINDINGS) break
    const record = hosts.records[claim.host]
    if (record === undefined || !isUnseen(fleet, claim)) continue
    const since = unlistedSince(fleet, claim)
    const { findings: found, report, reportHosts } = about('instance', instance, hostKey(record), claim.id)
    if (first !== undefined) reportHosts(indexes, 'instance.other_host', 'hosts that list it', hostKey(record), where)
    else if (since !== null && featureLevel >= UNLISTED_TIMES && lag.now - since >= lag.afterMs)
      report('instance.unlisted', 'hosts that list it', hostKey(record), `none since ${new Date(since).toISOString()}`)
    findings.push(...found)
  }
  return findings
}

/** True if each of these hosts is the source or the destination of the claim's open move. */
const isListedAtBothEnds = (listers: readonly HostRecord[], { claim, destination }: LiveClaim): boolean =>
  listers.every(({ index }) => index === claim.host || index === destination?.host)
