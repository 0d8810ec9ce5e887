import { hash32, mix32 } from '../values/random.ts'
import type { Profile } from './profile.ts'

/**
 * How a candidate version is tried. SHADOW decides in parallel with the active version and claims nothing. CANARY decides a share of the
 * calls.
 */
export const rolloutModes = ['SHADOW', 'CANARY'] as const
export type RolloutMode = (typeof rolloutModes)[number]

/** A version that is tried while another one is active. */
export interface Rollout {
  readonly mode: RolloutMode
  /** The version number of the candidate. */
  readonly number: number
  /** The share of calls that a canary decides, or that a shadow decides in addition, in hundredths of a percent: 0 to 10,000. */
  readonly share: number
  /** The store time at which the candidate was started in this mode. */
  readonly since: number
}

/** Which versions of a profile are active, were active before, or are being tried. Stored from the first rollout of the profile on. */
export interface ProfileCourse {
  /** Increases by one with every change. */
  readonly version: number
  /** Numbers that were active before, the latest last. */
  readonly past: readonly number[]
  /** Numbers that were rolled back, the latest last. */
  readonly rolledBack: readonly number[]
  readonly rollout: Rollout | null
}

/**
 * The present state of a version. RETIRED: the version was active earlier. DRAFT: the version has not been active among the remembered
 * changes.
 */
export type ProfileState = 'DRAFT' | 'SHADOW' | 'CANARY' | 'ACTIVE' | 'RETIRED' | 'ROLLED_BACK'

export const WHOLE_SHARE = 10_000
/** At most this many former versions are remembered, so that the state does not grow with every change. */
export const PAST_KEPT = 32

export function profileState({ number }: Pick<Profile, 'number'>, active: number, course: ProfileCourse | undefined): ProfileState {
  if (number === active) return 'ACTIVE'
  if (course?.rollout?.number === number) return course.rollout.mode
  if (course?.rolledBack.includes(number)) return 'ROLLED_BACK'
  // version 0 of the release was active until another version was activated
  return number === 0 || course?.past.includes(number) ? 'RETIRED' : 'DRAFT'
}

/**
 * Whether a canary decides a call. The result is always the same for the same caller and key. A call that is in a smaller share is also in
 * every larger share.
 */
export const isInShare = (account: string, key: string, share: number): boolean =>
  Math.floor((mix32(hash32(`${account}\u0000${key}`)) / 0x1_0000_0000) * WHOLE_SHARE) < share
