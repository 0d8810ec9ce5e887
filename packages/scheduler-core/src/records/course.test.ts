import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareFleets } from '../audit/diff.ts'
import { digestPart } from '../audit/digest.ts'
import { type Checkpoint, checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import { aLog } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { Change, ProfileRolledOut } from './change.ts'
import { levelOf } from './change-levels.ts'
import { isInShare, profileState, WHOLE_SHARE } from './course.ts'
import { profileSchema } from './profile.ts'

const version = (number: number): Change => ({
  type: 'profile',
  profile: profileSchema.parse({ name: 'site', number, filters: [], weighers: [] }),
})
const activate = (number: number): Change => ({ type: 'activate', name: 'site', number })
const rollout = (parts: Partial<Omit<ProfileRolledOut, 'type'>>): ProfileRolledOut => ({
  ...{ type: 'rollout', name: 'site', expected: { active: 1, version: 0 }, active: 1, past: [], rolledBack: [], rollout: null },
  ...parts,
})
const canary = (number: number, share = 2_500) => ({ mode: 'CANARY' as const, number, share })

/** A log with three versions of the profile `site`, followed by these changes. Version 1 is active. */
function siteLog(...changes: readonly Change[]) {
  const log = aLog()
  log.append([version(1), version(2), version(3)])
  const verdicts = changes.map((change) => log.append([change])[0])
  return { log, verdicts, course: log.fleet.profiles.courseOf('site'), active: log.fleet.profiles.activeNumber('site') }
}

describe('the course of a profile', () => {
  test.each<[string, readonly Change[], unknown]>([
    ['on the state that the change was based on', [rollout({ rollout: canary(2) })], undefined],
    ['on another version of the course', [rollout({}), rollout({ rollout: canary(2) })], 'profile.rollout'],
    ['on another active version', [activate(2), rollout({ rollout: canary(3) })], 'profile.rollout'],
    ['of a version that does not exist', [rollout({ rollout: canary(9) })], 'profile.unknown'],
    ['to a version that does not exist', [rollout({ active: 9 })], 'profile.unknown'],
    ['of the active version', [rollout({ rollout: canary(1) })], 'profile.rollout'],
    ['with a share above 100 %', [rollout({ rollout: canary(2, WHOLE_SHARE + 1) })], 'profile.rollout'],
    ['of a name that does not exist', [rollout({ name: 'none' })], 'profile.rollout'],
  ])('a rollout %s', (_name, changes, verdict) => expect(siteLog(...changes).verdicts.at(-1)).toBe(verdict))

  test('a larger share continues the same canary, and a change from shadow to canary starts a new rollout', () => {
    const { log } = siteLog()
    const at = (time: number, version: number, next: ProfileRolledOut['rollout']) => {
      log.append([rollout({ expected: { active: 1, version }, rollout: next })], { at: time })
      return log.fleet.profiles.courseOf('site')?.rollout
    }
    expect(at(2_000, 0, { mode: 'SHADOW', number: 2, share: WHOLE_SHARE })).toMatchObject({ since: 2_000 })
    expect(at(3_000, 1, canary(2, 500))).toMatchObject({ since: 3_000, share: 500 })
    expect(at(4_000, 2, canary(2, 5_000))).toMatchObject({ since: 3_000, share: 5_000 })
  })

  test('an activate change, which older releases write, ends the rollout, and the previous version is remembered', () => {
    const { course, active } = siteLog(rollout({ rollout: canary(2) }), activate(3))
    expect([active, course]).toEqual([3, { version: 2, past: [1], rolledBack: [], rollout: null }])
  })

  test('a profile without a rollout has no course', () => {
    const { log, course } = siteLog(activate(2))
    expect(course).toBeUndefined()
    expect(checkpointOf(log.fleet)).not.toHaveProperty('profileCourses')
  })

  test('checkpoints, copies, digests and comparisons of fleets include the course', () => {
    const { log } = siteLog(rollout({ rollout: canary(2), past: [3], rolledBack: [3] }))
    const stored: Checkpoint = JSON.parse(canonicalJson(checkpointOf(log.fleet)))
    for (const other of [restoreFleet(stored), copyFleet(log.fleet)]) {
      expect(checkpointOf(other)).toEqual(checkpointOf(log.fleet))
      expect(digestPart(other, 0)).toBe(digestPart(log.fleet, 0))
      other.profiles.restoreCourse('site', { version: 1, past: [3], rolledBack: [3], rollout: null })
      expect(digestPart(other, 0)).not.toBe(digestPart(log.fleet, 0))
      expect([...compareFleets(log.fleet, other)].flat()).toMatchObject([{ subject: 'fleet', field: 'profileCourses' }])
    }
  })

  test('a rollout needs feature level 4', () => expect(levelOf(rollout({}))).toBe(4))

  test.each([
    [1, 'ACTIVE'],
    [2, 'CANARY'],
    [3, 'ROLLED_BACK'],
    [4, 'RETIRED'],
    [5, 'DRAFT'],
    [0, 'RETIRED'],
  ])('version %i is %s', (number, state) => {
    const course = { version: 1, past: [4], rolledBack: [3], rollout: { ...canary(2), since: 0 } }
    expect(profileState({ number }, 1, course)).toBe(state)
  })
})

describe('a canary', () => {
  test('a canary decides its share of the idempotency keys, within the error of random sampling', () => {
    for (const share of [0, 1, 500, 2_500, 5_000, 9_999, WHOLE_SHARE]) {
      const keys = 40_000
      let inside = 0
      for (let i = 0; i < keys; i++) if (isInShare('nova', `req-${i}`, share)) inside++
      const expected = (keys * share) / WHOLE_SHARE
      // at most four standard deviations of a random sample are accepted
      const spread = 4 * Math.sqrt((expected * (WHOLE_SHARE - share)) / WHOLE_SHARE)
      expect(Math.abs(inside - expected), `share ${share}: ${inside}`).toBeLessThanOrEqual(spread)
    }
  })

  test('a call that a canary decides is decided by the canary again, at the same share and at every larger share', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(WHOLE_SHARE), fc.nat(WHOLE_SHARE), (account, key, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        expect(isInShare(account, key, less)).toBe(isInShare(account, key, less))
        if (isInShare(account, key, less)) expect(isInShare(account, key, more)).toBe(true)
      }),
    )
  })

  test('a candidate decides no call that names a version, and no call while it is a shadow', () => {
    const all = siteLog(rollout({ rollout: canary(2, WHOLE_SHARE) })).log.fleet.profiles
    expect([all.pick('site', 'nova', 'k')?.number, all.pick('site@1', 'nova', 'k')?.number]).toEqual([2, 1])
    expect(all.pick('none', 'nova', 'k')).toBeUndefined()
    const shadow = siteLog(rollout({ rollout: { mode: 'SHADOW', number: 2, share: WHOLE_SHARE } })).log.fleet.profiles
    expect(shadow.pick('site', 'nova', 'k')?.number).toBe(1)
  })
})
