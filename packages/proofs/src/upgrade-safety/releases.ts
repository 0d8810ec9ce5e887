import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { FEATURE_LEVEL, STRICT_CLAIMS } from '@gantt/scheduler-core'
import type { Release } from '../safety-under-faults/cluster.ts'

/** The feature level that `needNewer` needs. */
const NEEDED_LEVEL = STRICT_CLAIMS
/** The level at which this release acts as an older one: the one before that. */
const STAND_IN_LEVEL = NEEDED_LEVEL - 1

/**
 * The time within which the level must rise: a killed replica counts as living for another minute, and the rest is for
 * a busy machine.
 */
const ASKED_MS = 120_000
const AGAIN_AFTER_MS = 200

/** The release that replicas are replaced by, and its name. */
export interface Older {
  readonly release: Release
  readonly name: string
}

/** The folder is not a built checkout; the message says what is missing and how to make it. */
export class NotBuiltError extends Error {
  override readonly name = 'NotBuiltError'
}

/** The command of a built checkout; without one, of this checkout held at an older feature level. Throws NotBuiltError. */
export function olderRelease(checkout: string | undefined): Older {
  if (checkout === undefined) return { release: held(STAND_IN_LEVEL), name: `this release held at feature level ${STAND_IN_LEVEL}` }
  const program = path.resolve(checkout, 'apps', 'cli', 'dist', 'main.js')
  if (!existsSync(program)) throw new NotBuiltError(`${program} is not there: build that checkout first (npm ci, npm run build)`)
  return { release: { program }, name: `the release in ${checkout}` }
}

/** This release, limited to the feature level that the other one reads; without that setting if its own is not higher. */
export const held = (level: number): Release => (level < FEATURE_LEVEL ? { settings: { GANTT_FEATURE_LEVEL: String(level) } } : {})

/** This release without changes. */
export const unlimited: Release = {}

/** The level that the answering replica reads. */
export async function levelReadBy(client: Client): Promise<number> {
  const { replicas } = await client.request<{ replicas: { answers: boolean; featureLevel: number }[] }>(
    '{ replicas { answers featureLevel } }',
  )
  const own = replicas.find(({ answers }) => answers)
  if (own === undefined) throw new Error('a replica does not know itself')
  return own.featureLevel
}

/** The level of the log at the answering replica. */
export async function levelOfLog(client: Client): Promise<number> {
  const { health } = await client.request<{ health: { featureLevel: number } }>('{ health { featureLevel } }')
  return health.featureLevel
}

/** The level of the log once it has reached this level, or at the timeout; the next decision raises it. */
export async function levelReached(client: Client, level: number): Promise<number> {
  for (const end = performance.now() + ASKED_MS; ; await sleep(AGAIN_AFTER_MS)) {
    const found = await levelOfLog(client)
    if (found >= level || performance.now() > end) return found
  }
}

/** Whether `needNewer` needs a change that this level does not allow. */
export const isNewer = (level: number): boolean => level < NEEDED_LEVEL

/** Repeats a call that only newer releases support until it succeeds or is refused as expected: returns `done`, or the last answer. */
export async function needNewer(client: Client, awaited: 'done' | 'FEATURE_LEVEL'): Promise<string> {
  for (const end = performance.now() + ASKED_MS; ; await sleep(AGAIN_AFTER_MS)) {
    const answer = await setKeyLimits(client).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    if (answer === 'done' || answer.includes(awaited) || performance.now() > end) return answer
  }
}

/** Sets the limits of ended keys to their present values, because each setting writes an entry. */
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
