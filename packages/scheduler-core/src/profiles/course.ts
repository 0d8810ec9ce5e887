import { hash32, mix32 } from '../random.ts'
import type { Profile } from './profile.ts'

/** How a candidate is tried: SHADOW decides beside the active version and claims nothing; CANARY decides for a share of the calls. */
export const rolloutModes = ['SHADOW', 'CANARY'] as const
export type RolloutMode = (typeof rolloutModes)[number]

/** A version that is being tried beside the active one. */
export interface Rollout {
  readonly mode: RolloutMode
  /** Number of the candidate. */
  readonly number: number
  /** Hundredths of a percent of calls that a canary decides, or that a shadow looks at: 0 to 10,000. */
  readonly share: number
  /** Store time at which this candidate began in this mode. */
  readonly since: number
}

/** Which versions of a name decide, decided before and are being tried; kept from the first rollout of the name on. */
export interface ProfileCourse {
  /** Rises by one with every change. */
  readonly version: number
  /** Numbers that were active before, the latest last. */
  readonly past: readonly number[]
  /** Numbers that were taken back: the latest last. */
  readonly rolledBack: readonly number[]
  readonly rollout: Rollout | null
}

/** What a version is at present. RETIRED: it decided once; DRAFT: it never did, as far as is known. */
export type ProfileState = 'DRAFT' | 'SHADOW' | 'CANARY' | 'ACTIVE' | 'RETIRED' | 'ROLLED_BACK'

export const WHOLE_SHARE = 10_000
/** Numbers that are remembered, so that the state does not grow with every change. */
export const PAST_KEPT = 32

export function profileState({ number }: Pick<Profile, 'number'>, active: number, course: ProfileCourse | undefined): ProfileState {
  if (number === active) return 'ACTIVE'
  if (course?.rollout?.number === number) return course.rollout.mode
  if (course?.rolledBack.includes(number)) return 'ROLLED_BACK'
  // those of the release decided until another version of their name did
  return number === 0 || course?.past.includes(number) ? 'RETIRED' : 'DRAFT'
}

/** Whether a canary decides a call: the same for the same caller and key for ever, and a call of a smaller share is in every larger one. */
export const isInShare = (account: string, key: string, share: number): boolean =>
  Math.floor((mix32(hash32(`${account}\u0000${key}`)) / 0x1_0000_0000) * WHOLE_SHARE) < share
