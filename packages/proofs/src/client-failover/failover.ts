import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Client } from '@gantt/client'
import { liveClaimsOf } from '../processes/pages.ts'
import { ADMIN_KEY, type Service } from '../processes/service.ts'
import { reportHosts, usageOf } from '../promises/calls.ts'

/**
 * A program that places instances with a client library, in any language. It gets its work in the environment: GANTT_URLS (the endpoints,
 * with commas between them), GANTT_KEY, GANTT_CALLS (how many calls of `selectDestinations` it makes, each with its own idempotency key, for
 * one instance of 1 VCPU and 64 MiB, with the claim mode CONFIRM), GANTT_CALLS_AT_ONCE (how many of them it makes at the same time),
 * GANTT_ATTEMPT_MS and GANTT_DEADLINE_MS (the time limits of an attempt and of a call). After each call it prints one line of JSON: `{"key": ..., "claim": ...}` with the id of
 * the claim, or `{"key": ..., "error": ...}` with a text. It ends with status 0.
 */
export interface ClientProgram {
  readonly command: string
  readonly args: readonly string[]
  /** Variables of the environment that are added to those that describe the work. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface FailoverOptions {
  readonly program: ClientProgram
  /** Two replicas of one service. The client prefers the first. */
  readonly replicas: readonly [Service, Service]
  readonly calls: number
  /** What happens to the first replica after a third of the calls. */
  readonly fault: 'kill' | 'pause'
}

export interface FailoverResult {
  /** What the program printed, one for each call. */
  readonly lines: readonly Line[]
  /** The ids of all live claims of the service afterwards. */
  readonly liveClaims: readonly string[]
  /** How many lines of the program were read after the replica had ended, or was paused. */
  readonly linesAfterFault: number
  /** The exit status of the program, and what it wrote to standard error. */
  readonly status: number | null
  readonly complaints: string
}

interface Line {
  readonly key: string
  readonly claim?: string
  readonly error?: string
}

const HOSTS = Array.from({ length: 10 }, (_, i) => ({ name: `failover-${i}`, vcpus: 200 }))
const CALLS_AT_ONCE = 8
/** The time limit of an attempt. It is short, so that a paused replica is noticed soon. */
const ATTEMPT_MS = 5_000
/** The time limit of a call. It is so long that no call fails because the machine is busy. */
const DEADLINE_MS = 600_000
/** How many times the second replica is asked whether it knows the hosts. */
const MAX_CHECKS = 10_000

/** Lets a program place instances, and kills or pauses the replica that it prefers in the middle. The hosts have room for 2,000 calls. */
export async function failOver({ program, replicas: [first, second], calls, fault }: FailoverOptions): Promise<FailoverResult> {
  await reportHosts(first.client, HOSTS)
  await untilKnown(second.client)
  const child = spawn(program.command, program.args, {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      ...program.environment,
      GANTT_URLS: `${first.url},${second.url}`,
      GANTT_KEY: ADMIN_KEY,
      GANTT_CALLS: String(calls),
      GANTT_CALLS_AT_ONCE: String(CALLS_AT_ONCE),
      GANTT_ATTEMPT_MS: String(ATTEMPT_MS),
      GANTT_DEADLINE_MS: String(DEADLINE_MS),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  const complaints = text(child.stderr)
  const lines: Line[] = []
  let hasFailed = false
  let linesAfterFault = 0
  let failing: Promise<void> | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line) as Line)
    if (hasFailed) linesAfterFault += 1
    if (lines.length !== Math.ceil(calls / 3)) continue
    if (fault === 'pause') first.pause()
    failing = fault === 'kill' ? first.kill() : Promise.resolve()
    void failing.then(() => {
      hasFailed = true
    })
  }
  await failing
  const [status] = await ended
  return { lines, linesAfterFault, liveClaims: await liveClaimsOf(second.client), status, complaints: await complaints }
}

/** Waits until the replica knows the last reported host. */
async function untilKnown(client: Client): Promise<void> {
  const [last] = HOSTS.slice(-1)
  for (let i = 0; i < MAX_CHECKS; i++) if ((await usageOf(client, last?.name ?? '')).vcpusTotal > 0) return
  throw new Error(`expected the second replica to know the host ${last?.name}, found that it does not after ${MAX_CHECKS} queries`)
}
