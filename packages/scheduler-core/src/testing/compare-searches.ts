import { openOverlay } from '../fleet/overlay.ts'
import type { ClaimPart } from '../records/change.ts'
import { type DecideInput, decide } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import { Churn } from './churn.ts'

/** How many decisions of each kind were compared. */
export interface Compared {
  decisions: number
  placed: number
  /** Decisions for several instances. */
  several: number
  /** Decisions for members of server groups. */
  grouped: number
  /** Decisions that were made with earlier decisions of the same batch in the overlay. */
  batched: number
}

export const noneCompared = (): Compared => ({ decisions: 0, placed: 0, several: 0, grouped: 0, batched: 0 })

/**
 * Makes decisions on a fleet under churn, each by a search of the index and by examining every host. Counts them in `tally`. Returns a
 * description of the first difference. The same seed gives the same decisions. `hosts` is the most hosts at the beginning.
 * With `isNova`, the profiles have `compat: nova`.
 */
export function compareSearches(
  seed: string,
  decisions: number,
  hosts: number,
  tally: Compared = noneCompared(),
  isNova = false,
): string | undefined {
  const churn = new Churn(seed, hosts, isNova)
  const { fleet } = churn
  for (let before = 0, batch = 0; before < decisions; batch++) {
    const asked = Array.from({ length: Math.min(1 + (batch % 3), decisions - before) }, () => churn.decision())
    const made: { input: DecideInput; parts: readonly ClaimPart[] }[] = []
    const overlay = openOverlay(fleet)
    try {
      for (const [i, input] of asked.entries()) {
        const held = overlay.size
        const examined = decide(fleet, overlay, { ...input, isExhaustive: true })
        overlay.rollback(held)
        const found = decide(fleet, overlay, input)
        const [expected, actual] = [JSON.stringify(examined), JSON.stringify(found)]
        if (expected !== actual) return `seed ${seed}, decision ${before + i}: expected ${expected}, found ${actual}`
        tally.decisions++
        if (found.parts.length > 0) tally.placed++
        if (input.request.numInstances > 1) tally.several++
        if (input.request.instanceGroup !== null) tally.grouped++
        if (i > 0) tally.batched++
        made.push({ input, parts: found.parts })
      }
    } finally {
      overlay.discard()
    }
    before += asked.length
    for (const { input, parts } of made) churn.claim(input, parts, groupOf(input.request))
    for (let change = 0; change < batch % 4; change++) churn.change()
  }
  return undefined
}
