import { expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aRequest } from '../testing/index.ts'
import { PRESENT_OPTIONS } from '../values/levels.ts'

/** Places a request without an image. The option `isolated_hosts` lists `rack1`, which was renamed to `rack9`. Returns the chosen hosts. */
function placedAt(level: number, compat: 'gantt' | 'nova'): readonly string[] {
  const log = aLog()
  log.append([{ type: 'feature', level }, aReport('rack1', { vcpus: 8, instances: [] }), aReport('rack2', { vcpus: 1, instances: [] })])
  const hosts = [{ from: { host: 'rack1', node: 'rack1' }, to: { host: 'rack9', node: 'rack9' } }]
  expect(log.append([{ type: 'replace', hosts, reason: 'new name' }])).toEqual([undefined])
  const profile = profileSchema.parse({
    ...{ name: 'isolating', number: 1, ...(compat === 'nova' && { compat }) },
    filters: [{ name: 'IsolatedHostsFilter', options: { isolated_hosts: ['rack1'], isolated_images: ['i1'] } }],
    weighers: [],
  })
  const request = aRequest({ numInstances: 2, vcpus: 1, memoryMb: 64 })
  const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false, claimIds: ['a', 'b'] }
  return decide(log.fleet, openOverlay(log.fleet), { ...asked, request, profile, intent: 'CREATE' }).parts.map(({ host }) => host)
}

test.each(['gantt', 'nova'] as const)('a host that is replaced stays isolated, with compat: %s', (compat) => {
  expect(placedAt(FEATURE_LEVEL, compat)).toEqual(['rack2'])
})

test.each(['gantt', 'nova'] as const)(
  'below the feature level an option applies only to the name that it states, with compat: %s',
  (compat) => {
    expect(placedAt(PRESENT_OPTIONS - 1, compat)).toContain('rack9')
  },
)
