import { expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { withPresentNames } from '../fleet/present-names.ts'
import { builtInProfilesAt } from '../profiles/built-in.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aUuid } from '../testing/index.ts'
import { PRESENT_IN_NOVA } from '../values/levels.ts'
import { importNovaRequest } from './import/request.ts'

const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
  'nova_object.changes': [],
})
const flavor = object('Flavor', '1.2', { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} })

/** Places a request in Nova's form after host `rack1` was renamed to `rack9`. Returns the chosen hosts. */
function placedAt(level: number, profile: Profile, data: object): readonly string[] {
  const log = aLog()
  log.append([{ type: 'feature', level }, aReport('rack1', { instances: [] }), aReport('rack2', { memoryMb: 262_144, instances: [] })])
  const hosts = [{ from: { host: 'rack1', node: 'rack1' }, to: { host: 'rack9', node: 'rack9' } }]
  expect(log.append([{ type: 'replace', hosts, reason: 'new name' }])).toEqual([undefined])
  const imported = importNovaRequest(object('RequestSpec', '1.14', { flavor, num_instances: 1, ...data }))
  const parsed = parseRequestSpec(imported.ok ? imported.document : undefined)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed))
  const request = withPresentNames(log.fleet, parsed.value)
  const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['a'] }
  return decide(log.fleet, openOverlay(log.fleet), { ...asked, request, profile }).parts.map(({ host }) => host)
}

const compat = builtInProfilesAt(PRESENT_IN_NOVA).find(({ name }) => name === 'nova-compat') as Profile
const retrying = profileSchema.parse({ name: 'retrying', number: 1, compat: 'nova', filters: [{ name: 'RetryFilter' }], weighers: [] })
const group = (policy: string) =>
  object('InstanceGroup', '1.11', { uuid: aUuid(5), policy, policies: [policy], members: [aUuid(6)], hosts: ['rack1'], rules: {} })
const retry = object('SchedulerRetries', '1.1', {
  num_attempts: 2,
  hosts: [object('ComputeNode', '1.19', { host: 'rack2', hypervisor_hostname: 'rack2' })],
})

test.each<[string, Profile, object, readonly string[], readonly string[]]>([
  [
    'an affinity group on a host that was replaced stays on that host under its new name',
    compat,
    { instance_group: group('affinity') },
    ['rack9'],
    [],
  ],
  [
    'a host that was tried is not tried again after it was replaced',
    retrying,
    {
      retry: object('SchedulerRetries', '1.1', {
        num_attempts: 2,
        hosts: [object('ComputeNode', '1.19', { host: 'rack1', hypervisor_hostname: 'rack1' })],
      }),
    },
    ['rack2'],
    ['rack9'],
  ],
  ['a tried host that kept its name is not tried again', retrying, { retry }, ['rack9'], ['rack9']],
  [
    'a destination that names only a node',
    compat,
    { requested_destination: object('Destination', '1.4', { node: 'rack1' }) },
    ['rack9'],
    ['rack2'],
  ],
])('%s', (_situation, profile, data, now, before) => {
  expect(placedAt(PRESENT_IN_NOVA, profile, data)).toEqual(now)
  expect(placedAt(PRESENT_IN_NOVA - 1, profile, data)).toEqual(before)
})
