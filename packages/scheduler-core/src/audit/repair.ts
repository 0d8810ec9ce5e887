import type { Claim } from '../claims/claim.ts'
import type { Change } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../fleet/hosts.ts'
import { type Finding, isOfState } from './finding.ts'
import { isThere, listersOf, unlistedSince } from './listing.ts'

/** What mends what was found. */
export interface Repair {
  /** What there is to do, as sentences. */
  readonly text: string
  /** What mends it in the log; undefined where that cannot be said from here, and the text says what to look at. `reason`: an operator's. */
  readonly toChange: ((reason: string) => Change) | undefined
}

/** How a finding is mended, as the fleet is now. `listing`: hosts that list its instance by now, where they were looked for. */
export function repairOf(fleet: Fleet, finding: Finding, listing: readonly HostIndex[] = []): Repair {
  const { code, host, name, claim } = finding
  if (isOfState(code))
    return byHand(
      'Compare the state of the replica with the log by replicaHeal with dryRun, then make it anew without: gantt replicas --heal.',
    )
  switch (code) {
    case 'instance.unlisted': {
      const unlisted = claim === null ? undefined : fleet.ledger.claims.get(claim)
      if (
        unlisted === undefined ||
        unlistedSince(fleet, unlisted) === null ||
        listersOf(fleet, name, listing, { now: fleet.now, afterMs: 0 }).length > 0
      )
        return byHand('It is so no more: the claim has ended, or a host lists its instance again.')
      return revokes(
        claim,
        `End claim ${claim}: no host runs its instance. If it is only late, leave it; if ${host} runs it, its report must list it.`,
      )
    }
    case 'instance.twice':
    case 'instance.elsewhere': {
      const idle = unlistedOf(fleet, name)
      if (idle !== undefined)
        return revokes(idle.id, `End claim ${idle.id}: no report shows instance ${name} on its host, and one shows it on another.`)
      return byHand(`Find out where instance ${name} runs, and revoke the other claim: gantt claims revoke.`)
    }
    case 'instance.two_hosts':
      return byHand(
        `Two copies of one instance may write the same disks: stop ${name} on all but one of its hosts. The finding ends with their next reports.`,
      )
    case 'instance.other_host':
      return byHand(
        `Instance ${name} runs elsewhere than it is counted. Move its claim there, by selectDestinations with moveOf ${claim} and that host as the requested destination (claim.mode NONE first says whether it fits), or revoke the claim and take the instance for one without.`,
      )
    case 'instance.unclaimed':
      return byHand(
        `Claim each instance that is to stay, by selectDestinations with its uuid and ${host} as the requested destination (claim.mode NONE first says whether it fits), and stop those that are not. Until then only the host's report counts them.`,
      )
    case 'host.same_machine':
      return byHand(
        `If the machine was renamed, name the new host by hostReplace; if the old name is only left over, end it by hostForget. Both have a dryRun. If these are two machines, give each a machine id of its own: they were made from one image.`,
      )
    case 'use.no_instances': {
      const record = fleet.hosts.records.find((one) => hostKey(one) === host && isThere(fleet, one))
      const text = `Let ${host} list its instances. If it cannot, and runs none without a claim, let its used amounts come from claims.`
      if (record === undefined) return byHand(text)
      return { text, toChange: (reason) => ({ type: 'usedFrom', host: record.host, node: record.node, usedFrom: 'CLAIMS', reason }) }
    }
    case 'use.below_claims':
      return byHand(`Let ${host} report the use of all instances that it lists, or release the claims of those that are gone.`)
  }
}

const byHand = (text: string): Repair => ({ text, toChange: undefined })

const revokes = (claim: string | null, text: string): Repair =>
  claim === null ? byHand(text) : { text, toChange: (reason) => ({ type: 'revoke', claim, reason }) }

/** Every host that lists an instance: one may have begun to since the auditor looked. */
export const listingOf = ({ hosts }: Fleet, instance: string): HostIndex[] =>
  hosts.present.filter(({ present }) => present.has(instance)).map(({ index }) => index)

/**
 * The one claim of an instance whose host lists its instances without this one, where each of the others is shown; undefined where it is
 * not that clear. A host that lists nothing does not say that it runs nothing.
 */
function unlistedOf(fleet: Fleet, instance: string): Claim | undefined {
  const claims = fleet.ledger.claimsFor(instance)
  const idle = claims.filter(({ state }) => state !== 'MATERIALISED')
  const [only] = idle
  return claims.length > 1 && only !== undefined && idle.length === 1 && unlistedSince(fleet, only) !== null ? only : undefined
}
