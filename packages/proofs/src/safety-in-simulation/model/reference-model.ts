import { judgeAggregate } from './aggregate.ts'
import { CLASSES, judgeFleetAllocation, minRatio } from './allocation.ts'
import { judgeClaimCall } from './claim-calls.ts'
import type { ModelChange, ModelEntry } from './entry.ts'
import { ModelFleet } from './fleet.ts'
import { judgeGroup } from './group.ts'
import { judgeEdit } from './host.ts'
import { forgetUnused, judgeAbandon, judgeKeyLimits } from './key.ts'
import { judgeForget, judgeReadmit, judgeReplace } from './leaving.ts'
import { judgeAttempt, judgeClaims, judgeListed, judgeMembership, judgeMove, judgeProposal } from './proposal.ts'
import { releaseEnded, takeReport } from './report.ts'

const WINDOW = 1_024
const FENCES = 65_536

/**
 * A model of the fleet that follows the rules of the documentation, in slow and obvious code. Nothing is cached, every sum is computed
 * again, and no code is shared with the core. For every log, the core must have the same state as the model. The model covers the resources
 * that the simulation uses: countable classes and whole GPUs, but no NUMA cells and no other devices.
 */
export class ReferenceModel extends ModelFleet {
  /**
   * Applies the changes of the next entry. For each change, the result is undefined if the change takes effect, and otherwise the reason
   * why it has no effect.
   */
  apply(entry: ModelEntry): (string | undefined)[] {
    const repeated = this.#recentIds().includes(entry.id)
    const at = this.places[entry.basis.revision]
    const inWindow = entry.basis.revision > this.revision - WINDOW
    const known = inWindow && at !== undefined && at.id === entry.basis.id && at.at === entry.basis.at
    this.revision++
    this.places.push({ id: entry.id, at: entry.at })
    this.now = Math.max(this.now, entry.at)
    const levelBefore = this.level
    if (!repeated && known)
      for (const change of entry.changes) if (change.type === 'feature') this.level = Math.max(this.level, change.level)
    // Below level 9, the core does not record since when a host has not listed an instance. So this time begins when the level is raised.
    if (levelBefore < 9 && this.level >= 9) for (const claim of this.claims) if (claim.state === 'CONFIRMED') claim.unlistedAt = this.now
    if (levelBefore < 10 && this.level >= 10)
      for (const host of this.hosts)
        if (host.gone === null && CLASSES.some((name) => minRatio(this, host.name, name) !== undefined)) host.edited = this.revision
    if (this.level >= 9) for (const host of this.hosts) if (host.listsNothing) releaseEnded(this, host)
    let fence = this.revision * FENCES
    const verdicts = entry.changes.map((change) => {
      if (repeated) return 'entry.repeated'
      if (!known) return 'entry.basis'
      const verdict = this.#judge(change, entry.basis.revision, fence)
      if (['claims', 'move', 'instances', 'attempt'].includes(change.type)) fence += change.parts.length
      return verdict
    })
    this.keys = this.keys.filter(({ forgottenAt }) => forgottenAt === null || forgottenAt > this.now)
    forgetUnused(this)
    return verdicts
  }

  #recentIds(): string[] {
    return this.places.slice(Math.max(0, this.places.length - WINDOW)).map(({ id }) => id)
  }

  #judge(change: ModelChange, basis: number, fence: number): string | undefined {
    switch (change.type) {
      case 'claims':
      case 'instances':
        return judgeProposal(this, change, basis) ?? (change.isListed ? judgeListed : judgeClaims)(this, change, fence)
      case 'attempt':
        return judgeProposal(this, change, basis) ?? judgeAttempt(this, change, fence)
      case 'move':
        return judgeProposal(this, change, basis) ?? judgeMove(this, change, fence)
      case 'report':
        return takeReport(this, change)
      case 'status':
      case 'liveness':
      case 'usedFrom':
      case 'hostAllocation':
        return judgeEdit(this, change)
      case 'forget':
        return judgeForget(this, change)
      case 'readmit':
        return judgeReadmit(this, change)
      case 'replace':
        return judgeReplace(this, change)
      case 'abandon':
        return judgeAbandon(this, change)
      case 'key-limits':
        return judgeKeyLimits(this, change)
      case 'group':
        return judgeGroup(this, change)
      case 'membership':
        return judgeMembership(this, change)
      case 'aggregate':
        return judgeAggregate(this, change)
      case 'fleetAllocation':
        return judgeFleetAllocation(this, change)
      case 'expire': {
        const verdict = judgeClaimCall(this, change)
        forgetUnused(this)
        return verdict
      }
      // `apply` has already raised the level. Versions of profiles do not affect how claims are judged.
      case 'feature':
      case 'profile':
      case 'activate':
      case 'rollout':
        return undefined
      default:
        return judgeClaimCall(this, change)
    }
  }
}
