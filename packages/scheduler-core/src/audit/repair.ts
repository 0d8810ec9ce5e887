import { type LiveClaim, liveClaimsOf } from '../claims/instances.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { claimsKeeping, nameAfter } from '../fleet/leave.ts'
import { warningsOf } from '../fleet/warnings.ts'
import { addressOfKey, hostAddress } from '../hosts/host-address.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import type { Change } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { HostName } from '../values/host-name.ts'
import { LISTED_CLAIMS } from '../values/levels.ts'
import { type Finding, isStateFinding } from './finding.ts'
import { isReservedOnly, isThere, isUnseen, listersOf, NAMED_HOSTS, straysOf, unlistedSince } from './listing.ts'

/** How operators can repair a finding. */
export interface Repair {
  /** What to do, in sentences. */
  readonly text: string
  /** The ways to repair the finding, of which an operator chooses one. Empty if no change to the log repairs the finding. */
  readonly options: Iterable<RepairOption>
}

/** One way to repair a finding. */
export interface RepairOption {
  /** Operators choose the option by this name, such as `host:rack1-a`. It is unique among the options of the finding. */
  readonly name: string
  /** The effect of the option, as a sentence. */
  readonly text: string
  readonly action: RepairAction
}

export type RepairAction =
  | { readonly type: 'change'; toChange(reason: string): Change }
  /** The claim is moved to the host at once, without an open move. */
  | { readonly type: 'move'; readonly claim: Claim; readonly to: HostRecord }
  /**
   * A claim is created for an instance that runs on the host `on`. `reported` is the size of the instance according to the host's report,
   * or null if an operator must specify the size.
   */
  | { readonly type: 'claim'; readonly instance: string; readonly on: HostRecord; readonly reported: InstanceSize | null }
  /** The option changes nothing. `why` says what operators must do first. */
  | { readonly type: 'nothing'; readonly why: string }

/** The resources of an instance on its host. */
export interface InstanceSize {
  readonly vcpus: number
  readonly memoryMib: number
  readonly diskGib: number
}

/**
 * Determines the repair of a finding in the present fleet. `all` has all hosts that list the instance of the finding now. Without it, only
 * the hosts that the finding names are read, which can be too few: a finding names a limited number of hosts, and others can have started
 * to list the instance. The text then does not say that no other host lists it.
 */
export function repairOf(fleet: Fleet, finding: Finding, all?: readonly HostIndex[]): Repair {
  const { code, host, name, claim, hosts: named = [] } = finding
  const listing = all ?? named
  if (isStateFinding(code))
    return byHand(
      'Compare the state of the replica with the log: call replicaHeal with dryRun. Then rebuild the state: call replicaHeal without dryRun (gantt replicas --heal).',
    )
  if (code === 'decision.differs')
    return byHand(
      'Report this as a defect, with the finding. The result of examining every host was used, so the claim is right. The finding ends when the replica restarts.',
    )
  const where = host === null ? 'its host' : addressOfKey(fleet.hosts, host)
  const others =
    all === undefined && named.length >= NAMED_HOSTS
      ? ` The options name ${named.length} hosts; other hosts may list it too, and their names are accepted as well.`
      : ''
  const listers = (): HostRecord[] => listersOf(fleet, name, listing, { now: fleet.now, afterMs: 0 })
  switch (code) {
    case 'instance.unlisted': {
      const unlisted = claim === null ? undefined : fleet.ledger.claims.get(claim)
      if (unlisted === undefined || unlistedSince(fleet, unlisted) === null || listers().length > 0)
        return byHand('This is resolved: the claim has ended, or a host lists its instance again.')
      const none = all === undefined ? 'At the last audit, no host listed' : 'No host lists'
      const text = `${none} the instance of claim ${claim}. End the claim if no host runs the instance. If the instance will start later, wait. If ${where} runs it, the report of the host must list it.`
      return { text, options: [ends(unlisted, 'End the claim.')] }
    }
    case 'instance.twice':
    case 'instance.elsewhere': {
      const idle = unlistedOf(fleet, name)
      if (idle !== undefined) {
        const text = `End claim ${idle.id}: its host does not list instance ${name}, and the host of another claim lists it.`
        return { text, options: [ends(idle, text)] }
      }
      const live = liveClaimsOf(fleet.ledger.claimsFor(name))
      return {
        text: `Find out on which host instance ${name} runs, keep the claim on that host, and end the other claims of the instance.`,
        options: live.length < 2 ? [] : live.map((one) => ends(one.claim, textOfEnd(fleet, one.claim))),
      }
    }
    case 'instance.two_hosts': {
      const running = listers()
      if (running.length < 2)
        return byHand(
          all === undefined
            ? 'At most one of the hosts that the finding names still lists the instance. The next audit checks all hosts.'
            : 'This is resolved: at most one host lists the instance.',
        )
      return {
        text: `Several hosts list instance ${name}, and its copies may write to the same disks. Stop it on all hosts but one, and choose the option of that host: the claim of the instance moves there. The finding ends with the next reports of the other hosts.${others}`,
        options: running.map(holdsOf(fleet, name)),
      }
    }
    case 'instance.other_host': {
      const running = listers().filter((record) => hostKey(record) !== host)
      const counted = claim === null ? undefined : fleet.ledger.claims.get(claim)
      const isEnded = counted === undefined || !isLive(counted) || !isUnseen(fleet, counted)
      if (!isEnded && running.length === 0 && all === undefined)
        return byHand('None of the hosts that the finding names lists the instance any more. The next audit checks all hosts.')
      if (isEnded || running.length === 0)
        return byHand('This is resolved: the claim has ended or moved, or the host of the claim lists the instance.')
      const isBlind = fleet.hosts.get(counted.host).stats.instances === null
      const first = isBlind ? `${where} does not list its instances. If it also runs this instance, stop one of the two copies. ` : ''
      return {
        text: `${first}Instance ${name} runs on another host than its claim. Move the claim to the host that lists the instance. That host counts the instance twice until its next report, so it needs free capacity for the claim.${others}`,
        options: running.map((record) => moves(fleet, counted, record)),
      }
    }
    case 'instance.unclaimed': {
      const record = recordOf(fleet, host)
      return {
        text: `Claim each instance that should stay, with its size, and stop the other instances. Until then only the report of ${where} counts them${textOfRoom(fleet)}.`,
        options: record === undefined ? [] : lazily(() => claimsFor(fleet, record)),
      }
    }
    case 'host.same_machine':
      return {
        text: `If the machine was renamed, choose its present name. The claims and settings of the former name move to it, and reports under the former name are refused (hostReplace; hostForget if only the present name has claims). If these are two machines made from one image, give each its own machine id.`,
        options: namesOf(fleet, listing),
      }
    case 'use.no_instances':
      return {
        text: `Let ${where} list its instances in its reports. If it cannot, and runs no instance without a claim, set its used amounts to come from claims.`,
        options: fromClaims(fleet, recordOf(fleet, host)),
      }
    case 'capacity.below_claims': {
      const record = recordOf(fleet, host)
      const isShared =
        record !== undefined && warningsOf(fleet, record).some((one) => one.isShared === true && one.subject === finding.field)
      if (isShared)
        return {
          text: `Let a host that reaches the ${finding.field} report what the pool has. Usually the reported total became smaller, or the reserved amount became larger. If the pool will not get that capacity back, move instances of its hosts to disks outside of the pool, or end claims of instances that are gone, until the remaining claims fit.`,
          options: lazily(() => endsOn(record)),
        }
      return {
        text: `Let ${where} report what it has. Usually a card was not detected, or a setting was removed. If the host will not get that capacity back, move instances away (gantt host evacuate), or end claims of instances that are gone, until the remaining claims fit.`,
        options: record === undefined ? [] : lazily(() => endsOn(record)),
      }
    }
    case 'use.beyond_memory': {
      const record = recordOf(fleet, host)
      return {
        text: `Let ${where} report all memory in use, including huge pages. If its figures are wrong, and it runs no instance without a claim, set its used amounts to come from claims.`,
        options: fromClaims(fleet, record),
      }
    }
    case 'use.below_claims': {
      const record = recordOf(fleet, host)
      return {
        text: `Let ${where} report the use of all instances that it lists. If its figures are wrong, and it runs no instance without a claim, set its used amounts to come from claims. If it lists an instance that is gone, end the claim of that instance.`,
        options: record === undefined ? [] : lazily(() => either(fleet, record, fromClaims(fleet, record))),
      }
    }
  }
}

/** All hosts that list an instance now, including hosts that started to list it after the audit. */
export const listingOf = ({ hosts }: Fleet, instance: string): HostIndex[] =>
  hosts.present.filter(({ present }) => present.has(instance)).map(({ index }) => index)

/** Generates options only while they are read, because there can be an option for every claim of a host. */
const lazily = (options: () => Iterator<RepairOption>): Iterable<RepairOption> => ({ [Symbol.iterator]: options })

const byHand = (text: string): Repair => ({ text, options: [] })

const recordOf = (fleet: Fleet, host: string | null): HostRecord | undefined =>
  fleet.hosts.records.find((record) => hostKey(record) === host && isThere(fleet, record))

const ends = ({ id }: Claim, text: string): RepairOption => ({
  name: `claim:${id}`,
  text,
  action: { type: 'change', toChange: (reason) => ({ type: 'revoke', claim: id, reason }) },
})

const textOfEnd = ({ hosts }: Fleet, { id, host, project, account }: Claim): string =>
  `End claim ${id} on ${hostAddress(hosts, hosts.get(host))}, of ${project === null ? `account ${account}` : `project ${project}`}.`

const moves = ({ hosts }: Fleet, claim: Claim, to: HostRecord): RepairOption => ({
  name: `host:${hostKey(to)}`,
  text: `Move claim ${claim.id} to ${hostAddress(hosts, to)}.`,
  action: { type: 'move', claim, to },
})

/** Returns a function that returns the option that keeps an instance on a host. It reads the claims of the instance only once. */
function holdsOf(fleet: Fleet, instance: string): (record: HostRecord) => RepairOption {
  const live = liveClaimsOf(fleet.ledger.claimsFor(instance))
  return (record) => holds(fleet, instance, record, live)
}

/**
 * The option that keeps an instance on the host `record`. The claim of the instance stays on this host, moves to this host, or is created
 * on this host.
 */
function holds(fleet: Fleet, instance: string, record: HostRecord, [live, ...others]: readonly LiveClaim[]): RepairOption {
  const where = hostAddress(fleet.hosts, record)
  const name = `host:${hostKey(record)}`
  if (live === undefined)
    return {
      name,
      text: `${where} keeps the instance: create its claim there.`,
      action: { type: 'claim', instance, on: record, reported: null },
    }
  if (live.destination?.host === record.index) {
    const { id, fence } = live.destination
    const text = `${where} keeps the instance: confirm its claim ${id} there, which completes the open move.`
    return { name, text, action: { type: 'change', toChange: () => ({ type: 'confirm', claim: id, fence }) } }
  }
  if (live.claim.host === record.index) {
    const why = `Its claim is already on ${where}. Stop the instance on its other hosts. The finding ends with their next reports.`
    return { name, text: `${where} keeps the instance. ${why}`, action: { type: 'nothing', why } }
  }
  if (others.length > 0) {
    const why = `The instance has ${1 + others.length} live claims. First end its claims on hosts that will not keep it (gantt claims revoke).`
    return { name, text: `${where} keeps the instance. ${why}`, action: { type: 'nothing', why } }
  }
  return { ...moves(fleet, live.claim, record), text: `${where} keeps the instance: move claim ${live.claim.id} there.` }
}

/** Yields an option for each live claim of a host. The option ends the claim. */
function* endsOn({ claims }: HostRecord): Generator<RepairOption, void> {
  for (const claim of claims)
    if (isLive(claim) && claim.source === null) yield ends(claim, `End claim ${claim.id} (instance: ${claim.instance ?? 'none'}).`)
}

function* claimsFor(fleet: Fleet, record: HostRecord): Generator<RepairOption, void> {
  const where = hostAddress(fleet.hosts, record)
  const unclaimed = straysOf(record, { now: fleet.now, afterMs: 0 }).filter((instance) => isReservedOnly(fleet.ledger.claimsFor(instance)))
  // If the host lists only one instance without a claim, the usage that no claim explains is the size of this instance.
  const reported = unclaimed.length === 1 ? usedWithoutClaims(record) : null
  for (const instance of unclaimed) {
    const [reserved] = fleet.ledger.claimsFor(instance)
    if (reserved !== undefined) {
      const why = `First end claim ${reserved.id}, which reserves the instance on ${hostAddress(fleet.hosts, fleet.hosts.get(reserved.host))} (gantt claims revoke), or wait until it expires.`
      yield {
        name: `instance:${instance}`,
        text: `Create a claim for instance ${instance} on ${where}. ${why}`,
        action: { type: 'nothing', why },
      }
      continue
    }
    const size = reported === null ? '' : `, by default with the reported use that no claim explains: ${textOfSize(reported)}`
    yield {
      name: `instance:${instance}`,
      text: `Create a claim for instance ${instance} on ${where}${size}.`,
      action: { type: 'claim', instance, on: record, reported },
    }
  }
}

/**
 * The reported usage minus the claims of the listed instances. Null if the difference has no CPU or no memory, because it is then not the
 * size of an instance.
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
    ? '. A claimed instance is counted twice until the next report, so its claim needs free capacity'
    : '. A claim needs no free capacity if the report already counts the use of its instance'

const textOfSize = ({ vcpus, memoryMib, diskGib }: InstanceSize): string => `${vcpus} vCPU, ${memoryMib} MiB, ${diskGib} GiB`

const nameOf = ({ host, node }: HostRecord): HostName => ({ host, node })

/** The options for a machine that two hosts report. Each option keeps one of the two names. */
function namesOf(fleet: Fleet, indexes: readonly HostIndex[]): RepairOption[] {
  const [first, second] = indexes.map((index) => fleet.hosts.get(index))
  if (first === undefined || second === undefined || first.stats.machineId !== second.stats.machineId) return []
  if (![first, second].every((record) => isThere(fleet, record)) || first.host === second.host) return []
  const becomes = (old: HostRecord, by: string): RepairOption => {
    const nodesOf = (host: string): HostRecord[] => fleet.hosts.nodesOf(host).map((index) => fleet.hosts.get(index))
    const nodes = nodesOf(old.host)
    const isHeld = nodesOf(by).some((record) => claimsKeeping(record, fleet.now).length > 0)
    // A host cannot be replaced by a host that has claims.
    if (isHeld)
      return {
        name: `host:${by}`,
        text: `The machine keeps the name ${by}, and ${old.host} is forgotten.`,
        action: { type: 'change', toChange: (reason) => ({ type: 'forget', hosts: nodes.map(nameOf), isForced: false, reason }) },
      }
    const pairs = nodes.map((node) => ({ from: nameOf(node), to: nameAfter(node, { host: by }) }))
    return {
      name: `host:${by}`,
      text: `The machine keeps the name ${by}, and ${old.host} is replaced by ${by}.`,
      action: { type: 'change', toChange: (reason) => ({ type: 'replace', hosts: pairs, reason }) },
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
      text: `Set the used amounts of ${hostAddress(hosts, record)} to come from claims. Do this only if it runs no instance without a claim.`,
      action: { type: 'change', toChange: (reason) => ({ type: 'usedFrom', host, node, usedFrom: 'CLAIMS', reason }) },
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
 * Returns a claim that can be ended because its host does not list the instance, while the hosts of all other claims list it. Undefined if
 * this is not certain, because a host that reports no list can run the instance.
 */
function unlistedOf(fleet: Fleet, instance: string): Claim | undefined {
  const claims = fleet.ledger.claimsFor(instance)
  const idle = claims.filter(({ state }) => state !== 'MATERIALISED')
  const [only] = idle
  return claims.length > 1 && only !== undefined && idle.length === 1 && unlistedSince(fleet, only) !== null ? only : undefined
}
