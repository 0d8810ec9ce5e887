import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '@gantt/scheduler-core'
import type { Cluster, ReplicaProcess } from '../cluster.ts'
import type { Fault } from '../engine.ts'
import { shut, silence, slow } from './link-harm.ts'

const HOUR_MS = 3_600_000

/**
 * All faults: those of replicas and their links, which are the same for every engine, and those of the engine. `overload` sends too many
 * calls to a replica.
 */
export function faultsOf({ replicas, engine }: Cluster, overload: (replica: number, random: Random) => Promise<void>): Fault[] {
  const onReplica = (name: string, harm: (replica: ReplicaProcess, random: Random, i: number) => Promise<void>): Fault => ({
    name,
    hits: ['replica'],
    inject: (i, random) => harm(replicas[i] as ReplicaProcess, random, i),
  })
  const storeLink = (name: string, harm: (link: ReturnType<typeof engine.linkOf>, random: Random) => Promise<void>): Fault =>
    onReplica(name, (_replica, random, i) => harm(engine.linkOf(i), random))
  const jump = (name: string, byMs: number): Fault =>
    onReplica(name, async ({ clock, service }, random) => {
      service?.signal(clock.set(byMs))
      await sleep(2_000 + random.below(4_000))
      service?.signal(clock.set(0))
    })

  return [
    onReplica('kill -9 of a replica', async (replica, random) => {
      await replica.kill()
      await sleep(random.below(500))
      await replica.start()
    }),
    onReplica('SIGSTOP of a replica', async ({ service }, random) => {
      service?.pause()
      await sleep(500 + random.below(2_500))
      service?.resume()
    }),
    storeLink('all connections of a replica to the store cut', async (link) => link.sever()),
    storeLink('replica without its store', (link, random) => shut(link, 500 + random.below(2_500))),
    storeLink('store delayed for a replica', (link, random) => slow(link, 20 + random.below(200), 2_000 + random.below(2_000))),
    storeLink('store silent for a replica', (link, random) => silence(link, 1_000 + random.below(5_000))),
    onReplica('all connections of callers to a replica cut', async ({ link }) => link.sever()),
    onReplica('replica delayed for its callers', ({ link }, random) => slow(link, 50 + random.below(300), 2_000 + random.below(2_000))),
    onReplica('replica silent for its callers', ({ link }, random) => silence(link, 1_000 + random.below(4_000))),
    jump('clock of a replica an hour ahead', HOUR_MS),
    jump('clock of a replica an hour back', -HOUR_MS),
    onReplica('overload of a replica', (_replica, random, i) => overload(i, random)),
    ...engine.faults,
  ]
}

export interface Injected {
  readonly fault: string
  /** The time of the injection in milliseconds of the run's clock; `until` is the time at which the fault was undone. */
  readonly at: number
  readonly until: number
}

/** The pause between two faults is at least this many milliseconds, and at most twice as long. */
const PAUSE_BETWEEN_FAULTS_MS = 1_500

export interface InjectOptions {
  readonly seed: string
  readonly replicas: number
  /** The faults that are injected first, in this order. Later faults are chosen randomly from all faults. */
  readonly first: readonly Fault[]
  readonly all: readonly Fault[]
  now(): number
  isOver(): boolean
}

/** Injects faults until the run is over, with short pauses between them. Faults may overlap unless they have a common target. */
export async function injectFaults({ seed, replicas, first, all, now, isOver }: InjectOptions): Promise<readonly Injected[]> {
  const random = createRandom(`${seed}/faults`)
  const injected: Injected[] = []
  const underway = new Map<string, Promise<unknown>>()
  const failures: unknown[] = []
  let queue = [...first]
  while (!isOver() && failures.length === 0) {
    await sleep(PAUSE_BETWEEN_FAULTS_MS + random.below(PAUSE_BETWEEN_FAULTS_MS))
    if (isOver()) break
    if (queue.length === 0) queue = shuffled(all, random)
    const replica = random.below(replicas)
    const targets = ({ hits }: Fault): string[] => hits.map((hit) => (hit === 'replica' ? `replica ${replica}` : hit))
    // A fault is postponed while another fault affects one of its targets.
    const next = queue.findIndex((fault) => !targets(fault).some((target) => underway.has(target)))
    if (next < 0) continue
    const [fault] = queue.splice(next, 1) as [Fault]
    const at = now()
    const done = fault
      .inject(replica, random)
      .catch((cause: unknown) => failures.push(new Error(`the fault "${fault.name}" failed: ${messageOf(cause)}`, { cause })))
      .finally(() => {
        injected.push({ fault: fault.name, at, until: now() })
        for (const target of targets(fault)) underway.delete(target)
      })
    for (const target of targets(fault)) underway.set(target, done)
  }
  await Promise.all(underway.values())
  if (failures.length > 0) throw failures[0]
  return injected.sort((a, b) => a.at - b.at)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.below(rest.length), 1)[0] as T)
}
