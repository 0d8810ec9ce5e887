/**
 * What a private copy of a fleet costs beside one made over a checkpoint: 10,000 hosts with 50,000 claims, and 100,000 with
 * 500,000; every tenth host has NUMA cells. Medians, milliseconds. Run:
 * npx esbuild packages/scheduler-core/bench/copy-fleet.ts --bundle --format=esm | node --input-type=module -
 */
import { checkpointOf, restoreFleet } from '../src/fleet/checkpoint.ts'
import { copyFleet, copySteps } from '../src/fleet/copy.ts'
import type { Fleet } from '../src/fleet/fleet.ts'
import { aClaim, aLog, aReport, aUuid } from '../src/testing/index.ts'

const cell = (id: number) => ({ id, cpuset: Array.from({ length: 16 }, (_, cpu) => id * 16 + cpu), memoryMb: 65_536 })

function aBigFleet(hosts: number, claims: number): Fleet {
  const log = aLog()
  const names = Array.from({ length: hosts }, (_, i) => `host-${i}`)
  for (let i = 0; i < hosts; i += 1_000)
    log.append(names.slice(i, i + 1_000).map((name, n) => aReport(name, { vcpus: 32, numaCells: n % 10 === 0 ? [cell(0), cell(1)] : [] })))
  for (let i = 0; i < claims; i += 1_000)
    log.append(
      Array.from({ length: 1_000 }, (_, n) =>
        aClaim({
          key: `key-${i + n}`,
          hosts: [names[(i + n) % hosts] as string],
          ids: [aUuid(i + n)],
          instances: [aUuid(i + n)],
          grants: { classes: { VCPU: 1, MEMORY_MB: 512, DISK_GB: 1 } },
          mode: 'CONFIRM',
        }),
      ),
    )
  return log.fleet
}

const median = (runs: number, run: () => void): number => {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] as number
}

/** The longest that a copy in pieces goes on without a pause. */
function longestPiece(fleet: Fleet): number {
  let longest = 0
  for (const steps = copySteps(fleet); ; ) {
    const start = performance.now()
    const { done } = steps.next()
    longest = Math.max(longest, performance.now() - start)
    if (done) return longest
  }
}

for (const [hosts, claims] of [
  [10_000, 50_000],
  [100_000, 500_000],
] as const) {
  const fleet = aBigFleet(hosts, claims)
  const runs = hosts > 10_000 ? 5 : 21
  const copy = median(runs, () => copyFleet(fleet))
  const through = median(Math.ceil(runs / 3), () => restoreFleet(checkpointOf(fleet)))
  const counted = `${fleet.hosts.count} hosts, ${fleet.ledger.claims.size} claims`
  console.log(`${counted}: copy ${copy.toFixed(1)}, longest piece ${longestPiece(fleet).toFixed(1)}, by a checkpoint ${through.toFixed(1)}`)
}
