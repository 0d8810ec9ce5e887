import { hash32, mix32 } from '../values/random.ts'
import type { Profile } from './profile.ts'

/**
 * The modes of a rollout. SHADOW: the candidate version also decides a share of the calls, and its results are only compared. CANARY: the
 * candidate version decides a share of the calls instead of the active version.
 */
export const rolloutModes = ['SHADOW', 'CANARY'] as const
export type RolloutMode = (typeof rolloutModes)[number]

/** The trial of a candidate version while another version is active. */
export interface Rollout {
  readonly mode: RolloutMode
  /** The version number of the candidate. */
  readonly number: number
  /** The share of calls that a canary decides, or that a shadow decides in addition, in hundredths of a percent: 0 to 10,000. */
  readonly share: number
  /** The store time at which the candidate started in this mode. */
  readonly since: number
}

/**
 * The history of a profile's versions: which were active before, which were rolled back, and which is in a rollout. Stored after the first
 * rollout of the profile.
 */
export interface ProfileCourse {
  /** Increases by one with every change. */
  readonly version: number
  /** The numbers of versions that were active before, the latest last. */
  readonly past: readonly number[]
  /** The numbers of versions that were rolled back, the latest last. */
  readonly rolledBack: readonly number[]
  readonly rollout: Rollout | null
}

/**
 * The present state of a version. RETIRED: the version was active earlier. DRAFT: the version was not active, according to the changes that
 * are still remembered.
 */
export type ProfileState = 'DRAFT' | 'SHADOW' | 'CANARY' | 'ACTIVE' | 'RETIRED' | 'ROLLED_BACK'

export const WHOLE_SHARE = 10_000
/** At most this many former versions and rolled back versions are remembered. */
export const PAST_KEPT = 32

export function profileState({ number }: Pick<Profile, 'number'>, active: number, course: ProfileCourse | undefined): ProfileState {
  if (number === active) return 'ACTIVE'
  if (course?.rollout?.number === number) return course.rollout.mode
  if (course?.rolledBack.includes(number)) return 'ROLLED_BACK'
  // version 0 is the version of the release, which was active until another version was activated
  return number === 0 || course?.past.includes(number) ? 'RETIRED' : 'DRAFT'
}

/**
 * Returns true if a canary with this share decides a call. The result is always the same for the same account and key. If a canary with a
 * smaller share decides a call, a canary with any larger share also decides it.
 */
export const isInShare = (account: string, key: string, share: number): boolean =>
  Math.floor((mix32(hash32(`${account}\u0000${key}`)) / 0x1_0000_0000) * WHOLE_SHARE) < share
