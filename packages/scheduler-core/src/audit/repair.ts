import { liveClaimsOf } from '../claims/instances.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { claimsKeeping, nameAfter } from '../fleet/leave.ts'
import { warningsOf } from '../fleet/warnings.ts'
import { addressOfKey, type HostRecord, hostAddress, hostKey } from '../hosts/hosts.ts'
import type { Change } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { HostName } from '../values/host-name.ts'
import { LISTED_CLAIMS } from '../values/levels.ts'
import { type Finding, isOfState } from './finding.ts'
import { isThere, isUnseen, listersOf, straysOf, unlistedSince } from './listing.ts'

/** How a finding is repaired. */
export interface Repair {
  /** What to do, in sentences. */
  readonly text: string
  /** The changes of the log that repair the finding. An operator chooses one. Empty if no change of the log repairs it. */
  readonly options: Iterable<RepairOption>
}

/** One way to repair a finding. */
export interface RepairOption {
  /** The name of the option for operators, such as `host:rack1-a`. Unique among the options of the finding. */
  readonly name: string
  /** The effect of the repair, as a sentence. */
  readonly text: string
  readonly act: RepairAct
}

export type RepairAct =
  | { readonly type: 'change'; toChange(reason: string): Change }
  /** The claim moves at once. */
  | { readonly type: 'move'; readonly claim: Claim; readonly to: HostRecord }
  /**
   * A claim is created for an instance that runs there. `reported` is its size according to the host's report; null if an operator must
   * specify it.
   */
  | { readonly type: 'claim'; readonly instance: string; readonly on: HostRecord; readonly reported: InstanceSize | null }
  /** The log is already correct. Something outside of the log must change. */
  | { readonly type: 'nothing'; readonly why: string }

/** The resources of an instance on its host. */
export interface InstanceSize {
  readonly vcpus: number
  readonly memoryMib: number
  readonly diskGib: number
}

/** The repair of a finding in the present fleet. `listing`: hosts that may list its instance now; by default the hosts of the finding. */
export function repairOf(fleet: Fleet, finding: Finding, listing = finding.hosts ?? []): Repair {
  const { code, host, name, claim } = finding
  if (isOfState(code))
    return byHand(
      'Compare the state of the replica with the log by replicaHeal with dryRun, then rebuild it without: gantt replicas --heal.',
    )
  const where = host === null ? 'its host' : addressOfKey(fleet.hosts, host)
  const listers = (): HostRecord[] => listersOf(fleet, name, listing, { now: fleet.now, afterMs: 0 })
  switch (code) {
    case 'instance.unlisted': {
      const unlisted = claim === null ? undefined : fleet.ledger.claims.get(claim)
      if (unlisted === undefined || unlistedSince(fleet, unlisted) === null || listers().length > 0)
        return byHand('This is resolved: the claim has ended, or a host lists its instance again.')
      const text = `End claim ${claim}: no host runs its instance. If it is only late, leave it; if ${where} runs it, its report must list it.`
      return { text, options: [ends(unlisted, 'End the claim.')] }
    }
    case 'instance.twice':
    case 'instance.elsewhere': {
      const idle = unlistedOf(fleet, name)
      if (idle !== undefined) {
        const text = `End claim ${idle.id}: no report shows instance ${name} on its host, and one shows it on another.`
        return { text, options: [ends(idle, text)] }
      }
      const live = liveClaimsOf(fleet.ledger.claimsFor(name))
      return {
        text: `Find out which claim instance ${name} runs under, and end its other claims.`,
        options: live.length < 2 ? [] : live.map((one) => ends(one.claim, textOfEnd(fleet, one.claim))),
      }
    }
    case 'instance.two_hosts': {
      const running = listers()
      if (running.length < 2) return byHand('This is resolved: at most one host lists the instance.')
      return {
        text: `Two copies of one instance may write the same disks: stop ${name} on all but one of its hosts, and say which one keeps it: its claim goes there. The finding ends with the next reports of the others.`,
        options: running.map((record) => holds(fleet, name, record)),
      }
    }
    case 'instance.other_host': {
      const running = listers().filter((record) => hostKey(record) !== host)
      const counted = claim === null ? undefined : fleet.ledger.claims.get(claim)
      if (counted === undefined || !isLive(counted) || !isUnseen(fleet, counted) || running.length === 0)
        return byHand('This is resolved: the claim has ended or moved, or its own host lists the instance.')
      const isBlind = fleet.hosts.get(counted.host).stats.instances === null
      const first = isBlind ? `${where} does not list its instances: see whether it runs this one too, and stop one of the two. ` : ''
      return {
        text: `${first}Instance ${name} runs elsewhere than it is counted: move its claim to the host that lists it. Until the next report of that host it is counted there twice, so it needs room.`,
        options: running.map((record) => moves(fleet, counted, record)),
      }
    }
    case 'instance.unclaimed': {
      const record = recordOf(fleet, host)
      return {
        text: `Claim each instance that is to stay, of the size that it has, and stop those that are not to. Until then only the report of ${where} counts them${textOfRoom(fleet)}.`,
        options: record === undefined ? [] : lazily(() => claimsFor(fleet, record)),
      }
    }
    case 'host.same_machine':
      return {
        text: `If the machine was renamed, say which name it goes by from now on: what the other one has follows, claims too, and reports under the other name are refused (hostReplace; hostForget where the other name has nothing). If these are two machines, give each a machine id of its own: they were made from one image.`,
        options: namesOf(fleet, listing),
      }
    case 'use.no_instances':
      return {
        text: `Let ${where} list its instances. If it cannot, and runs none without a claim, let its used amounts come from claims.`,
        options: fromClaims(fleet, recordOf(fleet, host)),
      }
    case 'capacity.below_claims': {
      const record = recordOf(fleet, host)
      const isShared =
        record !== undefined && warningsOf(fleet, record).some((one) => one.isShared === true && one.subject === finding.field)
      if (isShared)
        return {
          text: `Let a host that reaches the ${finding.field} report what the pool has: a smaller total, or more kept back, is the usual reason. If the pool will not have that again, move instances of its hosts to disks outside of it, or end the claims of those that are gone, on whichever of its hosts, until the rest fits.`,
          options: lazily(() => endsOn(record)),
        }
      return {
        text: `Let ${where} report what it has: a card that is not found, or a setting that went, is the usual reason. If it will not have that again, move instances away (gantt host evacuate), or end the claims of those that are gone, until the rest fits.`,
        options: record === undefined ? [] : lazily(() => endsOn(record)),
      }
    }
    case 'use.beyond_memory': {
      const record = recordOf(fleet, host)
      return {
        text: `Let ${where} count all memory in use, huge pages included. If its figures are wrong, and it runs nothing without a claim, let its used amounts come from claims.`,
        options: fromClaims(fleet, record),
      }
    }
    case 'use.below_claims': {
      const record = recordOf(fleet, host)
      return {
        text: `Let ${where} report the use of all instances that it lists. If its figures are wrong, and it runs nothing without a claim, let its used amounts come from claims; if it lists an instance that is gone, end the claim of that one.`,
        options: record === undefined ? [] : lazily(() => either(fleet, record, fromClaims(fleet, record))),
      }
    }
  }
}

/** All hosts that list an instance. A host may have started to list it after the audit. */
export const listingOf = ({ hosts }: Fleet, instance: string): HostIndex[] =>
  hosts.present.filter(({ present }) => present.has(instance)).map(({ index }) => index)

/** Options are generated while they are read, since there may be one for every claim of a host. */
const lazily = (options: () => Iterator<RepairOption>): Iterable<RepairOption> => ({ [Symbol.iterator]: options })

const byHand = (text: string): Repair => ({ text, options: [] })

const recordOf = (fleet: Fleet, host: string | null): HostRecord | undefined =>
  fleet.hosts.records.find((record) => hostKey(record) === host && isThere(fleet, record))

const ends = ({ id }: Claim, text: string): RepairOption => ({
  name: `claim:${id}`,
  text,
  act: { type: 'change', toChange: (reason) => ({ type: 'revoke', claim: id, reason }) },
})

const textOfEnd = ({ hosts }: Fleet, { id, host, project, account }: Claim): string =>
  `End claim ${id} on ${hostAddress(hosts, hosts.get(host))}, of ${project === null ? `account ${account}` : `project ${project}`}.`

const moves = ({ hosts }: Fleet, claim: Claim, to: HostRecord): RepairOption => ({
  name: `host:${hostKey(to)}`,
  text: `Move claim ${claim.id} to ${hostAddress(hosts, to)}.`,
  act: { type: 'move', claim, to },
})

/**
 * The repair option after which an instance has one claim, on this host: the claim is already on this host, is moved to it, or is created
 * on it.
 */
function holds(fleet: Fleet, instance: string, record: HostRecord): RepairOption {
  const [live, ...others] = liveClaimsOf(fleet.ledger.claimsFor(instance))
  const where = hostAddress(fleet.hosts, record)
  const name = `host:${hostKey(record)}`
  if (live === undefined)
    return { name, text: `${where} keeps it: claim it there.`, act: { type: 'claim', instance, on: record, reported: null } }
  if (live.destination?.host === record.index) {
    const { id, fence } = live.destination
    const text = `${where} keeps it: confirm its claim there, ${id}, which ends the open move.`
    return { name, text, act: { type: 'change', toChange: () => ({ type: 'confirm', claim: id, fence }) } }
  }
  if (live.claim.host === record.index) {
    const why = `Its claim is on ${where} already: stop the instance on its other hosts. The finding ends with their next reports.`
    return { name, text: `${where} keeps it. ${why}`, act: { type: 'nothing', why } }
  }
  if (others.length > 0) {
    const why = `It has ${1 + others.length} live claims: end those of hosts that do not keep it first (gantt claims revoke).`
    return { name, text: `${where} keeps it. ${why}`, act: { type: 'nothing', why } }
  }
  return { ...moves(fleet, live.claim, record), text: `${where} keeps it: move claim ${live.claim.id} there.` }
}

/** One option for each claim of a host, which ends that claim. */
function* endsOn({ claims }: HostRecord): Generator<RepairOption, void> {
  for (const claim of claims)
    if (isLive(claim) && claim.source === null) yield ends(claim, `End claim ${claim.id}, of instance ${claim.instance ?? 'none'}.`)
}

function* claimsFor(fleet: Fleet, record: HostRecord): Generator<RepairOption, void> {
  const where = hostAddress(fleet.hosts, record)
  const unclaimed = straysOf(record, { now: fleet.now, afterMs: 0 }).filter(
    (instance) => liveClaimsOf(fleet.ledger.claimsFor(instance)).length === 0,
  )
  // The size of the instance is the usage that claims do not explain. It is known only if the host lists no other instance without a claim.
  const reported = unclaimed.length === 1 ? usedWithoutClaims(record) : null
  for (const instance of unclaimed) {
    const size = reported === null ? '' : `, of the size that its report leaves if none is stated: ${textOfSize(reported)}`
    yield {
      name: `instance:${instance}`,
      text: `Claim ${instance} on ${where}${size}.`,
      act: { type: 'claim', instance, on: record, reported },
    }
  }
}

/**
 * The usage that a report counts in addition to the claims of its listed instances. Null if no CPU or no memory is left for another
 * instance.
 */
function usedWithoutClaims({ stats, claims, present }: HostRecord): InstanceSize | null {
  const left = (used: number, resource: string): number => {
    let held = 0
    for (const claim of claims)
      if (isLive(claim) && claim.instance !== null && present.has(claim.instance)) held += claim.grants.classes?.[resource] ?? 0
    return used - held
  }
  const size = {
    vcpus: left(stats.vcpusUsed, 'VCPU'),
    memoryMib: left(stats.memoryMbUsed, 'MEMORY_MB'),
    diskGib: Math.max(0, left(stats.localGbUsed, 'DISK_GB')),
  }
  return size.vcpus > 0 && size.memoryMib > 0 ? size : null
}

const textOfRoom = ({ featureLevel }: Fleet): string =>
  featureLevel < LISTED_CLAIMS
    ? '; until the next report after it they are counted twice, so each needs room'
    : '; a claim takes no room beyond the use that the report counts without one'

const textOfSize = ({ vcpus, memoryMib, diskGib }: InstanceSize): string => `${vcpus} vCPU, ${memoryMib} MiB, ${diskGib} GiB`

const nameOf = ({ host, node }: HostRecord): HostName => ({ host, node })

/** One option for each name of a machine: the name that remains. */
function namesOf(fleet: Fleet, indexes: readonly HostIndex[]): RepairOption[] {
  const [first, second] = indexes.map((index) => fleet.hosts.get(index))
  if (first === undefined || second === undefined || first.stats.machineId !== second.stats.machineId) return []
  if (![first, second].every((record) => isThere(fleet, record)) || first.host === second.host) return []
  const becomes = (old: HostRecord, by: string): RepairOption => {
    const nodesOf = (host: string): HostRecord[] => fleet.hosts.nodesOf(host).map((index) => fleet.hosts.get(index))
    const nodes = nodesOf(old.host)
    const isHeld = nodesOf(by).some((record) => claimsKeeping(record, fleet.now).length > 0)
    // A host can only be merged into a name without claims.
    if (isHeld)
      return {
        name: `host:${by}`,
        text: `The machine goes on as ${by}: ${old.host} is forgotten.`,
        act: { type: 'change', toChange: (reason) => ({ type: 'forget', hosts: nodes.map(nameOf), isForced: false, reason }) },
      }
    const pairs = nodes.map((node) => ({ from: nameOf(node), to: nameAfter(node, { host: by }) }))
    return {
      name: `host:${by}`,
      text: `The machine is called ${by} from now on: ${old.host} is replaced by it.`,
      act: { type: 'change', toChange: (reason) => ({ type: 'replace', hosts: pairs, reason }) },
    }
  }
  return [becomes(first, second.host), becomes(second, first.host)]
}

function fromClaims({ hosts }: Fleet, record: HostRecord | undefined): RepairOption[] {
  if (record === undefined || record.usedFrom === 'CLAIMS') return []
  const { host, node } = record
  return [
    {
      name: 'used-from-claims',
      text: `Let the used amounts of ${hostAddress(hosts, record)} come from claims: only where it runs no instance without one.`,
      act: { type: 'change', toChange: (reason) => ({ type: 'usedFrom', host, node, usedFrom: 'CLAIMS', reason }) },
    },
  ]
}

function* either({ hosts }: Fleet, record: HostRecord, first: readonly RepairOption[]): Generator<RepairOption, void> {
  yield* first
  for (const claim of record.claims)
    if (isLive(claim) && claim.instance !== null && record.present.has(claim.instance))
      yield ends(claim, `End claim ${claim.id}: instance ${claim.instance} does not run on ${hostAddress(hosts, record)}.`)
}

/**
 * The one claim of an instance on a host that reports a list without the instance, while the hosts of all its other claims list it.
 * Undefined if that is not certain. A host without a list may run the instance.
 */
function unlistedOf(fleet: Fleet, instance: string): Claim | undefined {
  const claims = fleet.ledger.claimsFor(instance)
  const idle = claims.filter(({ state }) => state !== 'MATERIALISED')
  const [only] = idle
  return claims.length > 1 && only !== undefined && idle.length === 1 && unlistedSince(fleet, only) !== null ? only : undefined
}
