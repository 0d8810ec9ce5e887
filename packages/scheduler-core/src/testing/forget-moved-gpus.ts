import { isLive } from '../claims/claim.ts'
import type { Fleet } from '../fleet/fleet.ts'

/**
 * The mistake "a claim forgets its amount when pins move", put into a fleet from outside: every GPU has free what its report and the
 * claims that name it leave, whatever claims wait for another one. It was the rule before feature level 8. Whoever proves that claims
 * keep their amounts must find it.
 */
export function forgetMovedGpus({ hosts }: Fleet): void {
  for (const { index, stats, claims, usedFrom } of hosts.records) {
    const record = hosts.own(index)
    for (const gpu of record.gpus) {
      const reported = (usedFrom === 'REPORT' ? stats.gpus.find((one) => one.index === gpu.index)?.usedMilli : undefined) ?? null
      const named = [...claims]
        .filter((claim) => isLive(claim) && (claim.state !== 'MATERIALISED' || reported === null))
        .flatMap(({ grants }) => (grants.gpu ?? []).filter((grant) => grant.index === gpu.index))
      const held = named.reduce((sum, { milli }) => sum + milli, 0)
      // a whole GPU that is in use and claimed is taken once
      gpu.freeMilli = Math.max(0, 1_000 - (reported ?? 0) - held)
    }
    hosts.columns.gpuMostFreeMilli[index] = Math.max(0, ...record.gpus.map(({ freeMilli }) => freeMilli))
  }
}
