import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { overload } from './callers/extra-load.ts'
import { type Cluster, type Release, type StartRelease, startCluster } from './cluster.ts'
import { type EngineName, engines } from './engines/index.ts'
import { faultsOf, injectFaults } from './faults/faults.ts'
import type { Figures } from './report.ts'
import { RECOVERY_MS, underLoad } from './under-load.ts'

export interface NemesisOptions {
  readonly engine: EngineName
  readonly seconds: number
  readonly replicas: number
  readonly clients: number
  readonly seed: string
  /** The names of the faults to inject, in the order of the first round; all faults if absent. */
  readonly faults?: readonly string[]
  /** The release from which the replicas are started. If absent, it is this release. */
  readonly release?: Release
  /** How replicas are started. If absent, each replica is a process of the command line. */
  readonly startRelease?: StartRelease
  /** Ends the run early. Everything is stopped, and the run throws an error. */
  readonly signal?: AbortSignal
}

/**
 * Runs several service processes on one store, with callers that make all kinds of calls, and injects faults. Afterwards the callers'
 * histories and the final state of the replicas are checked by rules that do not depend on the implementation of the service.
 */
export async function runNemesis(checks: Checks, options: NemesisOptions, say: (line: string) => void): Promise<Figures> {
  const { replicas, engine, release, startRelease, signal = new AbortController().signal } = options
  return withFolder(async (folder) => {
    const cluster = await startCluster({
      folder,
      replicas,
      startEngine: engines[engine],
      signal,
      say,
      ...(release && { release }),
      ...(startRelease && { startRelease }),
    })
    try {
      say(`  under faults: ${cluster.engine.parts}`)
      return await attack(checks, options, cluster, signal)
    } catch (error) {
      // The state of the servers is added to the error, because the servers and their logs are removed afterwards.
      if (signal.aborted) throw error
      throw new Error(`${error instanceof Error ? error.message : error}\n${await cluster.engine.describe()}`, { cause: error })
    } finally {
      await cluster.close()
    }
  })
}

/** Faults that are injected first, so that even a short run has kills and fail-overs. */
const FIRST: readonly string[] = [
  'kill -9 of a replica',
  'kill -9 of the primary',
  'fail-over to the standby',
  'fail-over after a restart that the standby did not see',
  "kill -9 of the stream's leader",
  'two of three nats-servers down',
  "SIGSTOP of the stream's leader",
]

async function attack(checks: Checks, { seconds, clients, seed, faults }: NemesisOptions, cluster: Cluster, signal: AbortSignal) {
  const maxRunMs = seconds * 1_000 + 2 * RECOVERY_MS
  const { history: _history, ...figures } = await underLoad(checks, cluster, { seed, clients, maxRunMs, signal }, async (run) => {
    const all = faultsOf(cluster, (replica, random) => overload(run, replica, random))
    const unknown = faults?.filter((name) => !all.some((fault) => fault.name === name)) ?? []
    if (unknown.length > 0)
      throw new Error(`there is no fault ${unknown.join(', ')} here; there are: ${all.map(({ name }) => name).join(', ')}`)
    const named = (names: readonly string[]) => names.flatMap((name) => all.filter((fault) => fault.name === name))
    return injectFaults({
      seed,
      replicas: cluster.replicas.length,
      first: named(faults ?? FIRST),
      all: faults === undefined ? all : named(faults),
      now: run.now,
      isOver: () => run.isOver() || signal.aborted || run.now() > seconds * 1_000,
    })
  })
  return figures
}
