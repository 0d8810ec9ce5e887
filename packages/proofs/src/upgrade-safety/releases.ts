import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { FEATURE_LEVEL, STRICT_CLAIMS } from '@gantt/scheduler-core'
import type { Release } from '../safety-under-faults/cluster.ts'

/** From this feature level on, the service allows the call with which this proof tests the level of the log (`needNewer`). */
const NEEDED_LEVEL = STRICT_CLAIMS
/** If no older release is given, this release, limited to this feature level, is used as the older release. */
const STAND_IN_LEVEL = NEEDED_LEVEL - 1

/**
 * The feature level must rise within this many milliseconds. A replica that was killed is treated as living for a minute and delays the
 * rise. The rest of the time is for a busy machine.
 */
const TIMEOUT_MS = 120_000
const RETRY_DELAY_MS = 200

/** The older release of an upgrade, and its name in messages. */
export interface Older {
  readonly release: Release
  readonly name: string
}

/** The folder is not a built checkout. The message states what is missing and how to build it. */
export class NotBuiltError extends Error {
  override readonly name = 'NotBuiltError'
}

/**
 * The older release: a built checkout or, if no checkout is given, this release limited to an older feature level. Throws NotBuiltError.
 */
export function olderRelease(checkout: string | undefined): Older {
  if (checkout === undefined) return { release: held(STAND_IN_LEVEL), name: `this release held at feature level ${STAND_IN_LEVEL}` }
  const program = path.resolve(checkout, 'apps', 'cli', 'dist', 'main.js')
  if (!existsSync(program)) throw new NotBuiltError(`${program} does not exist: build that checkout first (npm ci, npm run build)`)
  return { release: { program }, name: `the release in ${checkout}` }
}

/** This release, limited to the given feature level. There is no limit if this level is as high as the level of the release. */
export const held = (level: number): Release => (level < FEATURE_LEVEL ? { settings: { GANTT_FEATURE_LEVEL: String(level) } } : {})

/** This release without a limit on its feature level. */
export const unlimited: Release = {}

/** The highest feature level that the answering replica reads. */
export async function levelReadBy(client: Client): Promise<number> {
  const { replicas } = await client.request<{ replicas: { answers: boolean; featureLevel: number }[] }>(
    '{ replicas { answers featureLevel } }',
  )
  const own = replicas.find(({ answers }) => answers)
  if (own === undefined) throw new Error('the list of replicas does not have the replica that answered')
  return own.featureLevel
}

/** The feature level of the log according to the answering replica. */
export async function levelOfLog(client: Client): Promise<number> {
  const { health } = await client.request<{ health: { featureLevel: number } }>('{ health { featureLevel } }')
  return health.featureLevel
}

/**
 * Waits until the log has reached this feature level, or until the timeout. Returns the level of the log. The level rises with the next
 * decision.
 */
export async function levelReached(client: Client, level: number): Promise<number> {
  for (const end = performance.now() + TIMEOUT_MS; ; await sleep(RETRY_DELAY_MS)) {
    const found = await levelOfLog(client)
    if (found >= level || performance.now() > end) return found
  }
}

/** Whether the service refuses, at this feature level, the call with which this proof tests the level (`needNewer`). */
export const isNewer = (level: number): boolean => level < NEEDED_LEVEL

/**
 * Repeats a call that needs a newer feature level until it has the awaited result: success (`done`) or a refusal (`FEATURE_LEVEL`). Returns
 * `done`, or the message of the last answer.
 */
export async function needNewer(client: Client, awaited: 'done' | 'FEATURE_LEVEL'): Promise<string> {
  for (const end = performance.now() + TIMEOUT_MS; ; await sleep(RETRY_DELAY_MS)) {
    const answer = await setKeyLimits(client).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    if (answer === 'done' || answer.includes(awaited) || performance.now() > end) return answer
  }
}

/** Sets the limits of ended keys to their present values. This changes nothing, but writes an entry to the log. */
async function setKeyLimits(client: Client): Promise<string> {
  const { keyLimits } = await client.request<{ keyLimits: { version: number; cap: number; afterlife: string } }>(
    '{ keyLimits { version cap afterlife } }',
  )
  const { version, cap, afterlife } = keyLimits
  const { keyLimitsUpdate } = await client.request<{ keyLimitsUpdate: { message?: string } }>(KEY_LIMITS, { version, cap, afterlife })
  return keyLimitsUpdate.message ?? 'done'
}

const KEY_LIMITS = `mutation ($version: Int!, $cap: Int!, $afterlife: Duration!) {
  keyLimitsUpdate(ifVersion: $version, cap: $cap, afterlife: $afterlife) { __typename ... on UserError { message } } }`
