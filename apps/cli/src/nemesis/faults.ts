import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '@gantt/scheduler-core'
import type { Cluster, ReplicaProcess } from './cluster.ts'

interface Harm {
  readonly hits: 'replica' | 'database'
  /** Resolves once what was done is undone. */
  inject(cluster: Cluster, replica: number, random: Random): Promise<void>
}

const onReplica = (harm: (replica: ReplicaProcess, random: Random) => Promise<void> | void): Harm => ({
  hits: 'replica',
  inject: async ({ replicas }, i, random) => harm(replicas[i] as ReplicaProcess, random),
})

const onDatabase = (harm: (database: Cluster['database'], random: Random) => Promise<void>): Harm => ({
  hits: 'database',
  inject: ({ database }, _replica, random) => harm(database, random),
})

/** What can be done to a cluster. */
export const faults = {
  'kill -9 of a replica': onReplica(async (replica, random) => {
    await replica.service?.kill()
    await sleep(random.below(500))
    await replica.start()
  }),
  'kill -9 of the database': onDatabase((database) => database.kill()),
  'SIGSTOP of a replica': onReplica(async ({ service }, random) => {
    service?.pause()
    await sleep(500 + random.below(2_500))
    service?.resume()
  }),
  'SIGSTOP of the database': onDatabase(async (database, random) => {
    database.pause()
    await sleep(300 + random.below(1_500))
    database.resume()
  }),
  'commit whose answer is lost': onReplica(({ proxy }) => proxy.cutNextAppend('after')),
  'append that does not arrive': onReplica(({ proxy }) => proxy.cutNextAppend('before')),
  'all connections of a replica cut': onReplica(({ proxy }) => proxy.sever()),
  'replica without its database': onReplica(async ({ proxy }, random) => {
    proxy.setOpen(false)
    proxy.sever()
    await sleep(500 + random.below(2_500))
    proxy.setOpen(true)
  }),
} satisfies Record<string, Harm>

export type Fault = keyof typeof faults

export interface Injected {
  readonly fault: Fault
  readonly at: number
}

/** Between two faults, at least; at most twice as long. */
const CALM_MS = 1_500

/** The killings come first and are never left out; then each fault in turn, in an order that the seed gives. */
const FIRST: readonly Fault[] = ['kill -9 of a replica', 'kill -9 of the database']

/** Injects faults, which may overlap unless they hit the same thing, with a little calm between them, until it is told to stop. */
export async function injectFaults(
  cluster: Cluster,
  { seed, only, now, isOver }: { readonly seed: string; readonly only?: readonly Fault[]; now(): number; isOver(): boolean },
): Promise<readonly Injected[]> {
  const random = createRandom(`${seed}/faults`)
  const injected: Injected[] = []
  const underway = new Map<string, Promise<unknown>>()
  const all = only ?? (Object.keys(faults) as Fault[])
  let queue: Fault[] = only === undefined ? [...FIRST] : []
  while (!isOver()) {
    await sleep(CALM_MS + random.below(CALM_MS))
    if (isOver()) break
    if (queue.length === 0) queue = shuffled(all, random)
    const fault = queue.shift() as Fault
    const { hits, inject } = faults[fault]
    const replica = random.below(cluster.replicas.length)
    const target = hits === 'database' ? hits : `replica ${replica}`
    if (underway.has(target)) continue
    injected.push({ fault, at: now() })
    underway.set(
      target,
      inject(cluster, replica, random).finally(() => underway.delete(target)),
    )
  }
  await Promise.all(underway.values())
  return injected
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.below(rest.length), 1)[0] as T)
}
