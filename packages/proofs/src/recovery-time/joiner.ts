import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { reportHosts, select } from '../promises/calls.ts'
import { type Cluster, type ReplicaProcess, startCluster } from '../safety-under-faults/cluster.ts'
import { type EngineName, engines } from '../safety-under-faults/engines/index.ts'
import type { Figures } from './figure.ts'
import { peakMemoryMb } from './memory.ts'
import { findStart } from './words.ts'

export interface JoinerOptions {
  readonly engine: EngineName
  readonly hosts: number
  /** This many calls are made after the last checkpoint. The checkpoint contains the effects of all earlier calls. */
  readonly history: number
  readonly signal: AbortSignal
  say(line: string): void
}

/** The count of replicas. The last replica joins repeatedly while the others keep running. */
const REPLICAS = 3
const AT_ONCE = 100
const CALLERS = 8
const CLAIMS_PER_CALL = 10
/** A long deadline, because calls can take long while the fleet is being restored. */
const CALL_MS = 60_000
const TRIES = 30
const RETRY_DELAY_MS = 1_000
/**
 * A checkpoint contains nearly the whole log if at most this many entries follow it. Replicas write a checkpoint about once a minute, or
 * after many changes.
 */
const FEW_ENTRIES = 100
const POLL_INTERVAL_MS = 5_000
const CHECKPOINT_MS = 240_000
const DIGEST_MS = 900_000

/**
 * Measures how long a further replica takes to join a large fleet, how much it reads, and how long all replicas take to recover after every
 * process was lost.
 */
export function measureJoiner(checks: Checks, figures: Figures, { engine, signal, say, ...sizes }: JoinerOptions): Promise<void> {
  return withFolder(async (folder) => {
    const cluster = await startCluster({
      ...{ folder, replicas: REPLICAS, startEngine: engines[engine], smallDisks: false, callMs: CALL_MS, signal, say },
    })
    try {
      await measure(checks, figures, cluster, { name: `${engine}, ${sizes.hosts} hosts`, signal, say, ...sizes })
    } finally {
      await cluster.close()
    }
  })
}

interface Measured extends Omit<JoinerOptions, 'engine'> {
  readonly name: string
}

async function measure(checks: Checks, figures: Figures, cluster: Cluster, options: Measured): Promise<void> {
  const { name, hosts, history, signal, say } = options
  const [first, second, joiner] = cluster.replicas as readonly [ReplicaProcess, ReplicaProcess, ReplicaProcess]
  await joiner.kill()
  const begunAt = performance.now()
  const placed = await fill([first.client, second.client], hosts, signal)
  say(`  ${hosts} hosts and ${placed} claims are there after ${Math.round((performance.now() - begunAt) / 1_000)} s`)
  await untilJoinsBehindFew(joiner, options)
  await joiner.kill()
  figures.add(`${name}: claims`, '', placed)
  await joinOnce(checks, figures, joiner, cluster, `${name}: joins at a checkpoint`)
  await joiner.kill()
  await inParallel(history, (i) => place(first.client, `after-${i}`, i % hosts, 1), signal)
  await joinOnce(checks, figures, joiner, cluster, `${name}: joins behind some history`)
  await checkDigests(checks, cluster, signal)
  await startCold(figures, cluster, name)
  await checkSees(checks, cluster.replicas, placed + history)
}

/**
 * Reports all hosts, and places ten claims on every tenth host. Returns the number of claims. Each request names its host, so that the
 * service does not have to search for one.
 */
async function fill(clients: readonly Client[], hosts: number, signal: AbortSignal): Promise<number> {
  const clientOf = (i: number): Client => clients[i % clients.length] as Client
  await inParallel(
    Math.ceil(hosts / AT_ONCE),
    (i) => {
      const from = i * AT_ONCE
      return reportHosts(
        clientOf(i),
        Array.from({ length: Math.min(AT_ONCE, hosts - from) }, (_, n) => ({ name: `h${from + n}`, vcpus: 64 })),
      )
    },
    signal,
  )
  const calls = Math.floor(hosts / CLAIMS_PER_CALL)
  await inParallel(calls, (i) => place(clientOf(i), `fill-${i}`, i * CLAIMS_PER_CALL, CLAIMS_PER_CALL), signal)
  return calls * CLAIMS_PER_CALL
}

async function place(client: Client, key: string, host: number, numInstances: number): Promise<void> {
  const answer = await select(client, { key, numInstances, forceHosts: [`h${host}`] })
  if (answer.destinations?.length !== numInstances) throw new Error(`a call was not placed: ${JSON.stringify(answer).slice(0, 300)}`)
}

/**
 * Makes the calls 0 to n - 1, several at a time. Every call must be safe to retry, because a busy machine does not always answer in time.
 */
async function inParallel(n: number, call: (i: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let i = next++; i < n; i = next++) {
        for (let left = TRIES; ; left--) {
          signal.throwIfAborted()
          const problem = await call(i).then(
            () => undefined,
            (error: unknown) => error ?? new Error('a call failed'),
          )
          if (problem === undefined) break
          if (left === 1) throw problem
          await sleep(RETRY_DELAY_MS)
        }
      }
    }),
  )
}

/** Restarts the joiner until it finds a checkpoint with nearly all of the fleet. */
async function untilJoinsBehindFew(joiner: ReplicaProcess, { hosts, signal }: Measured): Promise<void> {
  // A small fleet is read quickly without a checkpoint, which would only be written after a minute.
  if (hosts <= FEW_ENTRIES) return joiner.start()
  for (const deadline = performance.now() + CHECKPOINT_MS; ; await sleep(POLL_INTERVAL_MS)) {
    signal.throwIfAborted()
    await joiner.start()
    const start = findStart(joiner.service?.words ?? [])
    if (start !== undefined && start.entries <= FEW_ENTRIES) return
    if (performance.now() > deadline) throw new Error(`no checkpoint of the fleet after ${CHECKPOINT_MS / 1_000} s`)
    await joiner.kill()
  }
}

async function joinOnce(checks: Checks, figures: Figures, joiner: ReplicaProcess, { engine }: Cluster, what: string): Promise<void> {
  const link = engine.linkOf(REPLICAS - 1)
  const [receivedBefore, begunAt] = [link.received, performance.now()]
  const seconds = (): number => (performance.now() - begunAt) / 1_000
  await joiner.start()
  figures.add(`${what}: from the start of its process until it is ready`, 's', seconds())
  figures.add(`${what}: read from the store until then`, 'MB', (link.received - receivedBefore) / 1_000_000)
  const answer = await select(joiner.client, { key: 'fill-0', numInstances: CLAIMS_PER_CALL, forceHosts: ['h0'] })
  figures.add(`${what}: until it has answered a call that was answered before`, 's', seconds())
  checks.check('a joiner knows what was answered before', answer.replayed === true, () => JSON.stringify(answer).slice(0, 300))
  const start = findStart(joiner.service?.words ?? [])
  checks.check('a joiner reports the state with which it started', start !== undefined)
  if (start !== undefined) {
    figures.add(`${what}: the checkpoint loaded and restored`, 's', start.checkpointSeconds)
    figures.add(`${what}: entries after the checkpoint`, '', start.entries)
    figures.add(`${what}: these entries read and applied`, 's', start.entriesSeconds)
  }
  const peak = joiner.service === undefined ? undefined : peakMemoryMb(joiner.service.pid)
  if (peak !== undefined) figures.add(`${what}: highest memory use`, 'MB', peak)
}

const STATES = '{ replicas { id live revision stateHash { hash revision } } }'

interface ReplicaState {
  readonly live: boolean
  readonly stateHash: { readonly hash: string; readonly revision: number } | null
}

/**
 * Waits until all replicas have the same digest at one revision. While nothing is written, every replica computes the digest of its whole
 * state, several hosts at a time.
 */
async function checkDigests(checks: Checks, { replicas }: Cluster, signal: AbortSignal): Promise<void> {
  const client = replicas[0]?.client as Client
  for (const deadline = performance.now() + DIGEST_MS; ; await sleep(POLL_INTERVAL_MS / 5)) {
    signal.throwIfAborted()
    const { replicas: found } = await client.request<{ replicas: ReplicaState[] }>(STATES)
    const live = found.filter((one) => one.live)
    const places = new Set(live.map(({ stateHash }) => stateHash?.revision))
    const isTaken = live.length === REPLICAS && places.size === 1 && !places.has(undefined)
    if (!isTaken && performance.now() < deadline) continue
    const hashes = new Set(live.map(({ stateHash }) => stateHash?.hash))
    checks.check('the states of all replicas have one digest', isTaken && hashes.size === 1, () => JSON.stringify(live))
    return
  }
}

/** Kills all replicas and all servers with SIGKILL, and starts all of them at the same time. */
async function startCold(figures: Figures, { replicas, engine }: Cluster, name: string): Promise<void> {
  const loss = engine.losses.find(({ of }) => of === 'all servers')
  if (loss === undefined) throw new Error('this engine cannot lose all of its servers')
  await Promise.all(replicas.map((replica) => replica.kill()))
  const taken = await loss.take()
  const begunAt = performance.now()
  const seconds = (): number => (performance.now() - begunAt) / 1_000
  const back = taken.giveBack().then(seconds)
  const ready = await Promise.all(replicas.map((replica) => replica.start().then(seconds)))
  figures.add(`${name}: all killed, until the servers of the store are synchronized again`, 's', await back)
  figures.add(`${name}: all killed, until the first replica is ready`, 's', Math.min(...ready))
  figures.add(`${name}: all killed, until the last of three replicas is ready`, 's', Math.max(...ready))
}

async function checkSees(checks: Checks, replicas: readonly ReplicaProcess[], claims: number): Promise<void> {
  for (const { client } of replicas) {
    const { claims: found } = await client.request<{ claims: { totalCount: number } }>(
      '{ claims(first: 1, states: [CONFIRMED]) { totalCount } }',
    )
    checks.check(
      'every acknowledged claim is there after the start',
      found.totalCount === claims,
      () => `${found.totalCount} of ${claims} are`,
    )
  }
}
