import { setTimeout as sleep } from 'node:timers/promises'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { reportHosts } from '../promises/calls.ts'
import { type Cluster, startCluster } from '../safety-under-faults/cluster.ts'
import type { Loss } from '../safety-under-faults/engine.ts'
import { type EngineName, engines } from '../safety-under-faults/engines/index.ts'
import { claimsOf } from '../safety-under-faults/final.ts'
import type { Figures } from './figure.ts'
import { answeredAgainMs, longestSilenceMs, type Probe, startProbe } from './probe.ts'

export interface LeaderLossOptions {
  readonly engine: EngineName
  readonly rounds: number
  readonly signal: AbortSignal
  say(line: string): void
}

const REPLICAS = 3
/** Hosts that are large enough for every claim of a run. */
const HOSTS = Array.from({ length: 20 }, (_, i) => ({ name: `h${i}`, vcpus: 8_192 }))
const PAUSE_BETWEEN_FAULTS_MS = 3_000
const RECOVERY_MS = 60_000
const POLL_INTERVAL_MS = 20

/**
 * Stops the leader of the store in each way that the engine supports, and keeps it down until all three replicas can write again. Measures
 * the time until all replicas can write.
 */
export function measureLeaderLoss(checks: Checks, figures: Figures, { engine, rounds, signal, say }: LeaderLossOptions): Promise<void> {
  return withFolder(async (folder) => {
    const cluster = await startCluster({ folder, replicas: REPLICAS, startEngine: engines[engine], smallDisks: false, signal, say })
    try {
      await reportHosts(cluster.replicas[0]?.client as Cluster['replicas'][0]['client'], HOSTS)
      for (const loss of cluster.engine.losses.filter(({ of }) => of === 'leader'))
        for (let round = 0; round < rounds; round++) {
          signal.throwIfAborted()
          await measureOnce(checks, figures, cluster, loss, `${engine}: ${loss.name}`)
        }
    } finally {
      await cluster.close()
    }
  })
}

async function measureOnce(checks: Checks, figures: Figures, cluster: Cluster, loss: Loss, name: string): Promise<void> {
  const probes = cluster.replicas.map(({ client }, i) => startProbe(client, `${name}-${performance.now()}-${i}`))
  try {
    await until(() => probes.every(({ writes, reads }) => writes.length > 0 && reads.length > 0), 'answers before anything is taken')
    await sleep(PAUSE_BETWEEN_FAULTS_MS)
    const at = performance.now()
    const taken = await loss.take()
    const succession = taken.succeeded?.then(() => performance.now() - at)
    await until(() => probes.every(({ writes }) => answeredAgainMs(writes, at) !== undefined), `answers after ${name}`)
    const succeeded = await succession
    await sleep(PAUSE_BETWEEN_FAULTS_MS)
    await taken.giveBack()
    await Promise.all(probes.map((probe) => probe.stop()))
    addFigures(figures, name, probes, at, succeeded)
  } finally {
    await Promise.all(probes.map((probe) => probe.stop()))
  }
  await checkNothingLost(checks, cluster, probes)
}

function addFigures(figures: Figures, name: string, probes: readonly Probe[], at: number, succeeded: number | undefined): void {
  const seconds = (ms: number): number => ms / 1_000
  const again = probes.map(({ writes }) => answeredAgainMs(writes, at) ?? Number.POSITIVE_INFINITY)
  if (succeeded !== undefined) figures.add(`${name}: until there is another leader`, 's', seconds(succeeded))
  figures.add(`${name}: until the first replica answers a new write`, 's', seconds(Math.min(...again)))
  figures.add(`${name}: until the last of three replicas answers a new write`, 's', seconds(Math.max(...again)))
  const end = at + Math.max(...again)
  figures.add(
    `${name}: longest time without a read on a replica`,
    's',
    ...probes.map(({ reads }) => seconds(longestSilenceMs(reads, at, end))),
  )
}

/** Checks that everything that was acknowledged exists on every replica. */
async function checkNothingLost(checks: Checks, cluster: Cluster, probes: readonly Probe[]): Promise<void> {
  const acknowledged = probes.flatMap(({ claims }) => claims)
  for (const { client } of cluster.replicas) {
    const there = new Set((await claimsOf(client)).map(({ id }) => id))
    const lost = acknowledged.filter((id) => !there.has(id))
    checks.check('every acknowledged claim is there', lost.length === 0, () => `${lost.length} of ${acknowledged.length} are lost`)
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const deadline = performance.now() + RECOVERY_MS; !holds(); await sleep(POLL_INTERVAL_MS))
    if (performance.now() > deadline) throw new Error(`no ${what} within ${RECOVERY_MS / 1_000} s`)
}
