import { createRandom } from '@gantt/scheduler-core'
import { findNatsServer, INSTALL_NATS_SERVER } from '@gantt/server'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../../testing/extent.ts'
import { withFolder } from '../processes/folder.ts'
import { ADMIN_KEY, type Service, startService } from '../processes/service.ts'
import { createNatsCluster } from '../safety-under-faults/engines/nats-cluster.ts'
import { createInProcessDriver } from './in-process.ts'
import { figuresOf } from './openb/figures.ts'
import type { OpenbNode } from './openb/nodes.ts'
import { runOpenb } from './openb/openb.ts'
import type { OpenbPod } from './openb/pods.ts'
import { findTargets } from './remote/servers.ts'

const REPLICAS = 3
/**
 * The tolerated difference in percentage points. In this fleet, two GPUs are two percentage points. With concurrent calls, a few pods can
 * get other hosts than with sequential calls. A service that ignored the profile would differ by more.
 */
const MAX_DEVIATION_POINTS = 5

/** A small random fleet, and a list of pods that needs more than the fleet has. No trace file is needed. */
const nodes = Array.from(
  { length: 12 },
  (_, i): OpenbNode => ({ name: `n${i}`, cpuMilli: 64_000, memoryMib: 262_144, gpus: 8, gpuModel: i % 3 === 0 ? 'A' : 'B' }),
)
const random = createRandom('concurrent')
const shapes = [
  { gpus: 1, gpuMilliEach: 250 },
  { gpus: 1, gpuMilliEach: 500 },
  { gpus: 1, gpuMilliEach: 1_000 },
  { gpus: 2, gpuMilliEach: 1_000 },
]
const pods = Array.from({ length: 120 }, (_, i): OpenbPod => {
  const shape = shapes[random.below(shapes.length)] as (typeof shapes)[number]
  return { name: `p${i}`, cpuMilli: 1_000, memoryMib: 4_096, gpuModels: random.below(10) === 0 ? ['A'] : [], ...shape }
})
const workload = { nodes, pods, profile: 'fgd', scale: 1, seed: 1, departures: 10 }

/** Places the same list through three replicas with twelve concurrent calls, and compares the result with that of one replica alone. */
async function packsAsOne(settings: Readonly<Record<string, string>>): Promise<void> {
  const alone = await runOpenb({ ...workload, createDriver: (seed) => createInProcessDriver({ seed }) })
  const services: Service[] = []
  try {
    // The services start one after the other, because the first one creates the tables.
    for (let i = 0; i < REPLICAS; i++) services.push(await startService(settings))
    const [target] = await findTargets([services.map(({ url }) => url).join(',')], [ADMIN_KEY])
    if (target === undefined) throw new Error('there is nothing to replay on')
    const together = await runOpenb({ ...workload, concurrency: 12, createDriver: target.createDriver })
    expect(target.name).toContain('3 replicas')
    expect([together.overCommits, together.differences]).toEqual([[], []])
    expect(Math.abs(together.gpuAllocatedPct - alone.gpuAllocatedPct)).toBeLessThan(MAX_DEVIATION_POINTS)
    const { effort } = figuresOf([together])
    // Each claim comes from one proposal that took effect. Therefore the number of such proposals, added over all replicas, equals the
    // number of claims.
    expect((effort?.proposals ?? 0) - Object.values(effort?.byRule ?? {}).reduce((sum, times) => sum + times, 0)).toBe(together.placed)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

test.skipIf(!isLongForm)(`three replicas on one PostgreSQL allocate nothing twice and pack like a single one${longFormNote}`, () =>
  withFolder((folder) => packsAsOne({ GANTT_DATA_DIR: folder })),
)

const program = findNatsServer()

test.skipIf(program === undefined || !isLongForm)(
  `three replicas on three nats-servers allocate nothing twice and pack like a single one${program === undefined ? ` [skipped: ${INSTALL_NATS_SERVER}]` : longFormNote}`,
  () =>
    withFolder(async (folder) => {
      const cluster = await createNatsCluster(program as string, `${folder}-nats`)
      try {
        await cluster.start()
        const servers = cluster.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
        await packsAsOne({ GANTT_DATA_DIR: folder, GANTT_SYNC: `nats://${servers}` })
      } finally {
        await cluster.close()
      }
    }),
)
