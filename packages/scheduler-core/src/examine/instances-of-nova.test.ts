import { expect, test } from 'vitest'
import { causeOf } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { importNovaRequest } from '../nova/import/request.ts'
import { profileSchema } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import { aLog, aReport, aUuid } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { refusedHosts } from '../what-if/would-fit/refused-hosts.ts'
import { examine, prepareChecks, refusalsOf } from './examine.ts'

const [FIRST, SECOND, GROUP] = [aUuid(1), aUuid(2), aUuid(70)]

const profile = profileSchema.parse({
  ...{ name: 'nova', number: 1, compat: 'nova' },
  filters: [{ name: 'ServerGroupAntiAffinityFilter' }],
  weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
})

const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

/** A RequestSpec of Nova whose uuids are sent in addition to it. */
function ofNova(): RequestSpec {
  const group = object('InstanceGroup', '1.11', { uuid: GROUP, policy: 'anti-affinity', members: [FIRST], hosts: [] })
  const flavor = object('Flavor', '1.2', { vcpus: 1, memory_mb: 64 })
  const spec = object('RequestSpec', '1.14', { flavor, num_instances: 2, instance_group: group })
  const imported = importNovaRequest({ spec, instance_uuids: [FIRST, SECOND] })
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}

/** The first instance already runs on `full`. Both hosts take the first instance, and `free` is the better one. */
function aFleet(): Fleet {
  const { fleet, append } = aLog()
  append([aReport('full', { instances: [FIRST], memoryMb: 1_000 }), aReport('free', { memoryMb: 9_000 })])
  return fleet
}

test('each instance of a document of Nova is explained by its own uuid', () => {
  const fleet = aFleet()
  const request = ofNova()
  const overlay = openOverlay(fleet)
  const { parts, record } = decide(fleet, overlay, {
    ...{ id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false },
    request,
    claimIds: ['x0', 'x1'],
  })
  overlay.discard()
  const passedBy = record.instances.map(({ filters }) => filters.at(-1)?.passed)
  expect(passedBy).toEqual([2, 0])

  for (const [instance, passed] of passedBy.entries()) {
    const earlier = openOverlay(fleet)
    for (const part of parts.slice(0, instance)) earlier.hold(part, groupOf(request))
    const refused = 2 - (passed ?? 0)
    expect(examine(fleet, request, profile, 's', instance).steps.at(-1)?.passed).toBe(passed)
    const { checksOf } = prepareChecks(fleet, request, profile, instance)
    expect(fleet.hosts.present.filter(({ index }) => checksOf(index).some(({ verdict }) => verdict === 'FAIL'))).toHaveLength(refused)
    expect(atOnce(refusedHosts(fleet, request, profile, instance))).toHaveLength(refused)
    expect(refusalsOf(fleet, request, profile, instance).reduce((sum, { hosts }) => sum + hosts, 0)).toBe(refused)
    if (refused > 0) expect(causeOf(fleet, request, profile, instance).refusals).toMatchObject([{ code: 'group.anti_affinity', hosts: 2 }])
    earlier.discard()
  }
})
