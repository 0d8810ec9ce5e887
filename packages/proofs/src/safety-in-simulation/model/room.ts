import { amountsOf } from './allocation.ts'
import { growsInPlace, isLiveState } from './claim.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelClaim, ModelHost } from './state.ts'

/** What a claim, or a part of it, takes of a host. */
interface Holding {
  amounts: Record<string, number>
  gpus: number[]
}

/**
 * What is free of a class on a host: capacity, less what is in use, less what claims hold that no report shows. In use is
 * what the report says, or what the claims of the listed instances hold, whichever is more.
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
  const { shown, beside } = heldOn(fleet, host, without, lingering)
  const sum = (all: Record<string, number>[]) => all.reduce((total, amounts) => total + (amounts[resourceClass] ?? 0), 0)
  const reported = host.fromClaims ? 0 : used
  const inUse = fleet.level < 8 ? reported : Math.max(reported, sum(shown.map(({ amounts }) => amounts)))
  return capacity - inUse - sum(beside.map(({ amounts }) => amounts))
}

/** GPUs of a host that nobody has: a claim of one that is in use otherwise has the first that is left. */
export function gpusLeft(fleet: ModelFleet, host: ModelHost, without: ModelClaim[] = [], lingering: ModelClaim[] = []): number[] {
  if (host.gone !== null) return []
  const { shown, beside } = heldOn(fleet, host, without, lingering)
  const used = host.fromClaims ? [] : host.gpusUsed
  let left = host.gpus.filter((gpu) => !used.includes(gpu))
  const take = (gpus: number[]): void => {
    left = left.filter((gpu) => !gpus.includes(gpu))
  }
  const named = beside.flatMap(({ gpus }) => gpus)
  if (fleet.level < 8) {
    take(named)
    return left
  }
  const theirs = shown.flatMap(({ gpus }) => gpus)
  // the host shows fewer GPUs in use than the claims of its instances hold: those that they name, then any
  const hidden = Math.max(0, theirs.length - used.length)
  const found = left.filter((gpu) => theirs.includes(gpu)).slice(0, hidden)
  take(found)
  take(left.slice(0, hidden - found.length))
  const isThere = new Set(left)
  take(named)
  // of each GPU one claim has it, the others wait for another
  const waiting = named.filter((gpu, i) => !isThere.has(gpu) || named.indexOf(gpu) !== i)
  take(left.slice(0, waiting.length))
  return left
}

/** GPUs that a host has beyond what is in use and what claims hold, however they are spread; below 0: more than it has. */
export function gpuRoom(fleet: ModelFleet, host: ModelHost): number {
  if (host.gone !== null) return 0
  const { shown, beside } = heldOn(fleet, host)
  const count = (all: { gpus: number[] }[]) => all.reduce((sum, { gpus }) => sum + gpus.length, 0)
  return host.gpus.length - Math.max(host.fromClaims ? 0 : host.gpusUsed.length, count(shown)) - count(beside)
}

/** What claims hold on a host: of instances that its report shows, and beside it. */
export function heldOn(
  fleet: ModelFleet,
  host: ModelHost,
  without: ModelClaim[] = [],
  lingering: ModelClaim[] = [],
): { shown: Holding[]; beside: Holding[] } {
  const shown: Holding[] = lingering.filter((claim) => claim.host === host.name)
  const beside: Holding[] = []
  for (const claim of fleet.claims) {
    if (claim.host !== host.name || without.includes(claim)) continue
    const { amounts, gpus } = claim
    const extra = claim.extra ?? {}
    if (!isLiveState(claim.state)) {
      if (claim.lingers) shown.push({ amounts, gpus })
    } else if (growsInPlace(fleet, claim)) beside.push(claim.extra === null ? { amounts, gpus } : { amounts: extra, gpus: [] })
    else if (claim.state === 'MATERIALISED' && !host.fromClaims) {
      const counted = Object.entries(amounts).map(([name, amount]) => [name, amount - (extra[name] ?? 0)])
      shown.push({ amounts: Object.fromEntries(counted), gpus })
      beside.push({ amounts: extra, gpus: [] })
    } else {
      beside.push({ amounts, gpus })
      if (fleet.level < 8) beside.push({ amounts: extra, gpus: [] })
    }
  }
  return { shown, beside }
}
