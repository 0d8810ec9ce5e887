import { amountsOf } from './allocation.ts'
import { growsInPlace, isLiveState } from './claim.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelClaim, ModelHost } from './state.ts'

/** The resources that a claim, or a part of a proposal, holds on a host. */
interface Holding {
  amounts: Record<string, number>
  gpus: number[]
}

/**
 * The free amount of a class on a host: capacity minus the used amount and the claims that the report does not count. The used amount is
 * the reported one or, if larger, the sum of the claims of listed instances.
 */
export function freeOf(
  fleet: ModelFleet,
  host: ModelHost,
  resourceClass: string,
  without: ModelClaim[] = [],
  lingering: ModelClaim[] = [],
): number {
  if (host.gone !== null) return 0
  const { capacity, used } = amountsOf(fleet, host, resourceClass)
  const { shown, uncounted } = heldOn(fleet, host, without, lingering)
  const sum = (all: Record<string, number>[]) => all.reduce((total, amounts) => total + (amounts[resourceClass] ?? 0), 0)
  const reported = host.fromClaims ? 0 : used
  const inUse = fleet.level < 8 ? reported : Math.max(reported, sum(shown.map(({ amounts }) => amounts)))
  return capacity - inUse - sum(uncounted.map(({ amounts }) => amounts))
}

/** The indices of the free GPUs of a host. If the GPU that a claim names is in use, the claim uses the first free GPU instead. */
export function gpusLeft(fleet: ModelFleet, host: ModelHost, without: ModelClaim[] = [], lingering: ModelClaim[] = []): number[] {
  if (host.gone !== null) return []
  const { shown, uncounted } = heldOn(fleet, host, without, lingering)
  const used = host.fromClaims ? [] : host.gpusUsed
  let left = host.gpus.filter((gpu) => !used.includes(gpu))
  const take = (gpus: number[]): void => {
    left = left.filter((gpu) => !gpus.includes(gpu))
  }
  const named = uncounted.flatMap(({ gpus }) => gpus)
  if (fleet.level < 8) {
    take(named)
    return left
  }
  const theirs = shown.flatMap(({ gpus }) => gpus)
  // If the report shows fewer used GPUs than the claims of listed instances hold, more GPUs are treated as used: first the GPUs that these
  // claims name, then any other GPUs.
  const hidden = Math.max(0, theirs.length - used.length)
  const found = left.filter((gpu) => theirs.includes(gpu)).slice(0, hidden)
  take(found)
  take(left.slice(0, hidden - found.length))
  const isThere = new Set(left)
  take(named)
  // If several claims name a GPU, it belongs to one of them. Each of the others, and each claim whose GPU is in use, uses another free GPU.
  const waiting = named.filter((gpu, i) => !isThere.has(gpu) || named.indexOf(gpu) !== i)
  take(left.slice(0, waiting.length))
  return left
}

/**
 * The count of a host's GPUs minus the counts of used and of claimed GPUs, regardless of which GPUs the claims name. Negative if the host
 * has too few.
 */
export function gpuRoom(fleet: ModelFleet, host: ModelHost): number {
  if (host.gone !== null) return 0
  const { shown, uncounted } = heldOn(fleet, host)
  const count = (all: { gpus: number[] }[]) => all.reduce((sum, { gpus }) => sum + gpus.length, 0)
  return host.gpus.length - Math.max(host.fromClaims ? 0 : host.gpusUsed.length, count(shown)) - count(uncounted)
}

/** The resources that claims hold on a host: `shown` are those that its report includes, `uncounted` are those that it does not. */
export function heldOn(
  fleet: ModelFleet,
  host: ModelHost,
  without: ModelClaim[] = [],
  lingering: ModelClaim[] = [],
): { shown: Holding[]; uncounted: Holding[] } {
  const shown: Holding[] = lingering.filter((claim) => claim.host === host.name)
  const uncounted: Holding[] = []
  for (const claim of fleet.claims) {
    if (claim.host !== host.name || without.includes(claim)) continue
    const { amounts, gpus } = claim
    const extra = claim.extra ?? {}
    const counted = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount - (extra[name] ?? 0)]))
    const ofReport: Holding = { amounts: counted, gpus: claim.extraGpus ? [] : gpus }
    const ofItself: Holding = { amounts: extra, gpus: claim.extraGpus ? gpus : [] }
    if (!isLiveState(claim.state)) {
      if (claim.lingers) shown.push(ofReport)
      uncounted.push(ofItself)
    } else if (growsInPlace(fleet, claim)) uncounted.push(claim.extra === null ? { amounts, gpus } : { amounts: extra, gpus: [] })
    else if (claim.state === 'MATERIALISED' && !host.fromClaims) {
      shown.push(ofReport)
      uncounted.push(ofItself)
    } else {
      uncounted.push({ amounts, gpus })
      if (fleet.level < 8) uncounted.push({ amounts: extra, gpus: [] })
    }
  }
  return { shown, uncounted }
}
