import { hostAt } from '@gantt/cli/for-proofs'
import type { Random } from '@gantt/scheduler-core'
import { anyLength, chance, oneOf } from './choose.ts'
import type { Call } from './draw-document.ts'
import { drawNovaHost, maybeDamaged } from './draw-nova.ts'
import type { Source } from './draw-value.ts'

const REPORT = `mutation ($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { appliedCount fleetRevision results { __typename ... on UserError { code message } } } }`

const WRONG = [null, -1, 2 ** 53, 'many', [], {}, 1.5]
const INCARNATION = '00000000-0000-4000-8000-0000000000f1'
/** A large call has reports of this many hosts. */
const MANY = 400

/**
 * A call with random reports of hosts: valid, invalid or large. `number` is the index of the call. The sequence numbers of the reports
 * increase with this index.
 */
export function drawReport({ fleet, random }: Source, number: number): Call {
  const length = chance(random, 3) ? MANY : 1 + random.below(3)
  const updates = Array.from({ length }, () => {
    const index = random.below(fleet.hosts.length)
    const { name, stats } = hostAt(index, 'fuzz')
    const full: Record<string, unknown> = { ...stats, hypervisorHostname: name }
    if (chance(random, 40)) full[oneOf(random, Object.keys(full))] = oneOf(random, WRONG)
    if (chance(random, 5)) full.traits = Array.from({ length: 2_000 }, (_, i) => `CUSTOM_${i}`)
    if (chance(random, 5)) full.inventories = drawInventories(random)
    if (chance(random, 5)) full.numaCells = Array.from({ length: 64 }, (_, id) => ({ id, cpus: [id], memoryMb: 1_024 }))
    const report = chance(random, 20) ? { delta: { numIoOps: random.below(9), runningVms: oneOf(random, [1, -5, 2 ** 31]) } } : { full }
    return {
      name: { host: chance(random, 90) ? name : oneOf(random, ['', 'x'.repeat(1_000), '\u202ehost', 'new-host']) },
      reporter: { incarnation: chance(random, 95) ? INCARNATION : 'none', sequence: chance(random, 90) ? number + 1 : random.below(5) },
      report: chance(random, 3) ? {} : report,
    }
  })
  return reporting('report', updates)
}

/** Inventories of up to 256 resource classes. Hosts draw the same names, so that the fleet soon has as many classes as it may have. */
const drawInventories = (random: Random): readonly unknown[] =>
  Array.from({ length: anyLength(random, 256) }, (_, i) => ({ resourceClass: `CUSTOM_FUZZ_${i}`, total: 1 + random.below(8) }))

/** A call with Nova's reports of one to three hosts, some of them damaged. */
export function drawNovaReport({ fleet, random }: Source, number: number): Call {
  const updates = Array.from({ length: 1 + random.below(3) }, () => {
    const host = oneOf(random, fleet.hosts)
    const nova = maybeDamaged(random, drawNovaHost(random, host))
    return { name: { host }, reporter: { incarnation: INCARNATION, sequence: number + 1 }, report: { nova } }
  })
  return reporting('Nova report', updates)
}

const reporting = (kind: 'report' | 'Nova report', updates: readonly unknown[]): Call => ({
  ...{ kind, document: REPORT, variables: { input: { updates } }, roots: ['updateResourceStats'], isWriting: true },
})
