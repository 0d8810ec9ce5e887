import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGantt } from '@gantt/client'
import { createRandom, type Random } from '@gantt/scheduler-core'
import { createDemoApi, type DemoApi, DemoError } from './api.ts'
import { type DemoFleet, demoFleet } from './fleet.ts'
import type { DemoFolder } from './folder.ts'
import { keepHeartbeats } from './heartbeats.ts'
import { operate, operationsOf } from './operations.ts'
import { failingExamples } from './requests.ts'
import { setUpFleet } from './set-up.ts'
import { createStream, type Stream } from './stream.ts'
import { busiestOf, linkLines } from './words.ts'

export interface DemoOptions {
  /** The URL of the service's GraphQL endpoint. */
  readonly url: string
  readonly folder: DemoFolder
  readonly hosts: number
  /** Requests per second after the links are printed; 0 for none. */
  readonly rate: number
  readonly seed: string
  readonly stopped: AbortSignal
  /** Prints a line about progress or a failure. */
  readonly say: (line: string) => void
  /** Shows how many of the hosts have reported. */
  readonly show: (reported: number, of: number) => void
  /** Prints the links. */
  readonly announce: (lines: readonly string[]) => void
}

/** Approximate limits for the count of requests that have live claims at the same time. */
const REQUESTS_HELD = { least: 30, most: 240 }
/**
 * The first requests together may cause at most this many host checks. On a large fleet, most claims are therefore created by the stream,
 * after the links are printed.
 */
const FIRST_CHECKS = 800_000
const PLACED_AT_ONCE = 8
/** Each time this many requests were sent, one host reports. */
const REQUESTS_PER_REPORT = 4

/** Fills a service with the demo's fleet and claims, and prints links. Then sends heartbeats and requests until the demo is stopped. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { url, folder, rate, stopped, say, announce } = options
  let heartbeats: Promise<void> | undefined
  const over = new AbortController()
  const api = createDemoApi(createGantt({ url, key: folder.key }), stopped)
  try {
    const fleet = await reportFleet(api, options)
    const operations = operationsOf(fleet, folder.fleet?.seed ?? options.seed)
    const { silent, instances } = operations
    const alive = fleet.hosts.map(({ name }) => name).filter((name) => name !== silent)
    heartbeats = keepHeartbeats(api, alive, AbortSignal.any([stopped, over.signal]), say)
    const { decisions, claims } = await api.count()
    // The count of existing decisions is part of the seed. A new demo therefore always gets the same requests, and a continued demo gets
    // other requests.
    const random = createRandom(`${options.seed}/${decisions}`)
    const held = Math.min(REQUESTS_HELD.most, Math.max(REQUESTS_HELD.least, fleet.hosts.length))
    const stream = createStream({ api, fleet, random, run: randomUUID(), silent, meanLifetime: 2 * held })
    // The stream must not release the claims of the operators' instances.
    stream.adopt((await api.liveClaims()).filter(({ instanceUuid }) => instanceUuid === null || !instances.includes(instanceUuid)))
    const first = Math.min(Math.max(0, held - claims), Math.ceil(FIRST_CHECKS / fleet.hosts.length))
    if (first > 0) say(`Placing the first ${first} requests.`)
    await placeFirst(stream, first)
    await operate(api, operations, folder.fleet?.seed ?? options.seed)
    // The operator edits changed the instances of these hosts, or an earlier start ended before the hosts reported their instances.
    await stream.report(await api.occupied())
    const failed = await failExamples(api, fleet, random)
    const memory = (await api.aggregates()).find(({ name }) => name === 'memory')
    announce(
      linkLines({
        base: new URL(url).origin,
        key: folder.key,
        counts: await api.count(),
        failed,
        busiest: busiestOf(await api.liveClaims()),
        host: (fleet.hosts[4] ?? fleet.hosts[0])?.name ?? '',
        aggregate: memory?.uuid ?? '',
        operations,
        rate,
      }),
    )
    await keepAlive(stream, rate, stopped, say)
  } catch (error) {
    if (!stopped.aborted) throw error
  } finally {
    over.abort()
    await heartbeats
  }
}

/** Reports the fleet and creates its aggregates, unless an earlier start has completed this. */
async function reportFleet(api: DemoApi, { folder, hosts, seed, say, show }: DemoOptions): Promise<DemoFleet> {
  const { hosts: known } = await api.count()
  const kept = folder.fleet !== undefined && known >= folder.fleet.hosts ? folder.fleet : undefined
  if (kept !== undefined && kept.seed !== seed) say(`The fleet of this folder was created with seed ${kept.seed} and is used again.`)
  const fleet = demoFleet({ hosts: Math.max(hosts, kept?.hosts ?? 0), seed: kept?.seed ?? seed })
  const count = fleet.hosts.length
  if (kept?.hosts === count) {
    say(`${count} hosts are there from an earlier start${count > hosts ? `; ${hosts} were requested, none is removed` : ''}.`)
    return fleet
  }
  const started = performance.now()
  await setUpFleet(api, fleet, (reported) => show(reported, count))
  folder.keepFleet({ hosts: count, seed: kept?.seed ?? seed })
  say(`${count} hosts and their aggregates were set up in ${((performance.now() - started) / 1_000).toFixed(1)} s.`)
  return fleet
}

async function placeFirst(stream: Stream, requests: number): Promise<void> {
  for (let placed = 0; placed < requests; placed += PLACED_AT_ONCE) await stream.step(Math.min(PLACED_AT_ONCE, requests - placed))
  await stream.step(0)
}

async function failExamples(api: DemoApi, fleet: DemoFleet, random: Random) {
  const failed: { decision: string; sentence: string }[] = []
  for (const { spec, sentence } of failingExamples(random, fleet.licensed.length)) {
    const { decision, claims } = await api.select(spec, randomUUID(), 'PT30S')
    if (claims.length > 0) {
      // An example can find a host only if a user changed the fleet after its set-up.
      await api.release(claims)
      continue
    }
    failed.push({ decision, sentence })
  }
  if (failed.length === 0)
    throw new DemoError('every request that must fail found a host: the fleet in this folder was not created by the demo')
  return failed
}

/** Sends requests at an even rate until the demo is stopped. A failed request is skipped. A failure that repeats is printed only once. */
async function keepAlive(stream: Stream, rate: number, stopped: AbortSignal, say: (line: string) => void): Promise<void> {
  if (rate === 0 && !stopped.aborted) await once(stopped, 'abort')
  let lastError = ''
  for (let count = 1; !stopped.aborted; count++) {
    const next = performance.now() + 1_000 / rate
    try {
      await stream.step(1)
      if (count % REQUESTS_PER_REPORT === 0) await stream.reportNext()
      lastError = ''
    } catch (error) {
      if (stopped.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      if (message !== lastError) say(`A request of the demo failed: ${message}`)
      lastError = message
    }
    await sleep(Math.max(0, next - performance.now()), undefined, { signal: stopped })
  }
}
