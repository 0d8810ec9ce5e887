import { expect, test } from 'vitest'
import { examine } from '../../examine/examine.ts'
import type { Change } from '../../records/change.ts'
import { type Profile, profileSchema } from '../../records/profile.ts'
import { aDocument, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import type { Reason } from '../../text/reason.ts'
import { reasonText } from '../../text/reason-text.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { COLLECTOR_STATES } from '../../values/levels.ts'

const VOLUME = aUuid(3)
const reading = (name: string): Profile =>
  profileSchema.parse({ name, number: 1, filters: [{ name: 'VolumeAffinityFilter' }], weighers: [] })
const plain: Profile = profileSchema.parse({ name: 'default', number: 1, filters: [{ name: 'ComputeFilter' }], weighers: [] })
const collector = { name: 'disks', namespace: 'storage', state: 'PAUSED', since: '2026-11-20T12:00:00.000Z' }

/** Why the host h1, whose collector for `storage` is paused, is refused under a profile. h2 reports where the volume is. */
function whyPaused(profile: Profile, changes: readonly Change[]): string {
  const log = aLog()
  log.append([{ type: 'feature', level: COLLECTOR_STATES }, aReport('h1'), aReport('h2'), ...changes])
  const pool = { uuid: aUuid(1), name: 'p', distance: 1 }
  log.append([
    aDocument('h1', 'collectors', { collectors: [collector] }),
    aDocument('h2', 'storage', { pools: [pool], volumes: [{ uuid: VOLUME, pool: pool.uuid }] }),
  ])
  const request = aRequest({ vcpus: 1, schedulerHints: { near_volume: [VOLUME] } })
  const checks = examine(log.fleet, request, profile, 'seed').checksOf(0 as HostIndex)
  return reasonText(checks.find(({ filter }) => filter === 'VolumeAffinityFilter')?.reason as Reason)
}

const inUse = (profile: Profile): readonly Change[] => [
  { type: 'profile', profile },
  { type: 'activate', name: profile.name, number: profile.number },
]

test('a profile that is not in use is named as the reason why the namespace is not sent', () => {
  expect(whyPaused(reading('tried'), inUse(plain))).toBe(
    'The host does not send the namespace storage, because no profile in use reads it: its collector is paused.',
  )
})

test('if a profile in use reads the namespace, the reason names the profile, and not that none reads it', () => {
  expect(whyPaused(reading('mine'), [...inUse(plain), ...inUse(reading('mine'))])).toBe(
    'The host does not send the namespace storage yet, although the profile mine@1 reads it: its agent reported last that its collector is paused.',
  )
})
