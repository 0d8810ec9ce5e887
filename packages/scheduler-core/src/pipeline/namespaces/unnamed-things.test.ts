import { describe, expect, test } from 'vitest'
import { examine } from '../../examine/examine.ts'
import { importLegacyRequest, importNovaRequest } from '../../nova/import/request.ts'
import { profileSchema } from '../../records/profile.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aDocument, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { COLLECTOR_STATES } from '../../values/levels.ts'
import { ignoredFields, unlocatedFields } from '../unread.ts'

/** The rule: a hint or a field that names volumes has no effect, and is listed, if no document that is recent enough names one of them. */

const NOW = Date.parse('2026-11-20T12:00:00Z')
const [volume, other, pool] = [aUuid(1), aUuid(2), aUuid(3)]

/** A fleet in which a document about h1 names `volume`. It was reported `minutes` before the present. */
function fleetAfter(minutes: number, maxAgeSeconds?: number) {
  const log = aLog()
  const pools = { pools: [{ uuid: pool, name: 'fast' }], volumes: [{ uuid: volume, pool }] }
  const at = NOW - minutes * 60_000
  log.append([{ type: 'feature', level: COLLECTOR_STATES }, aReport('h1'), aReport('h2')], { at })
  log.append([aDocument('h1', 'storage', pools)], { at })
  const since = new Date(at).toISOString()
  const collectors = [{ name: 'disks', namespace: 'storage', state: 'PAUSED', since }]
  log.append([aDocument('h1', 'collectors', { collectors })], { at: NOW })
  const options = maxAgeSeconds === undefined ? {} : { maxAgeSeconds }
  const profileOf = (parts: object) => profileSchema.parse({ name: 'p', number: 1, filters: [], weighers: [], ...parts })
  return {
    fleet: log.fleet,
    weighed: profileOf({ weighers: [{ name: 'VolumeAffinityWeigher', multiplier: 1, options }] }),
    filtered: profileOf({ filters: [{ name: 'VolumeAffinityFilter', options }] }),
  }
}

const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const flavor = { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} }
const readFrom = (imported: ReturnType<typeof importNovaRequest>): RequestSpec => {
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}
const forms: readonly (readonly [string, (uuid: string) => RequestSpec, string])[] = [
  ['the typed form', (uuid) => aRequest({ schedulerHints: { near_volume: [uuid] } }), 'schedulerHints.near_volume'],
  [
    "Nova's object",
    (uuid) =>
      readFrom(
        importNovaRequest(
          object('RequestSpec', '1.14', {
            num_instances: 1,
            flavor: object('Flavor', '1.2', flavor),
            scheduler_hints: { near_volume: [uuid] },
          }),
        ),
      ),
    'spec.scheduler_hints.near_volume',
  ],
  [
    "Nova's dictionaries",
    (uuid) =>
      readFrom(
        importLegacyRequest({
          request_spec: { num_instances: 1, instance_type: flavor, image: {}, instance_properties: {} },
          filter_properties: { scheduler_hints: { near_volume: uuid } },
        }),
      ),
    'filter_properties.scheduler_hints.near_volume',
  ],
  ['a field of the typed form', (uuid) => aRequest({ volumes: [uuid] }), 'volumes.0'],
]

describe.each(forms)('a volume in %s, for a profile that only weighs', (_form, requestOf, path) => {
  test('is not listed if a recent document names it', () => {
    const { fleet, weighed } = fleetAfter(1)
    expect(ignoredFields(requestOf(volume), weighed, fleet)).toEqual([])
    expect(ignoredFields(requestOf(volume.toUpperCase()), weighed, fleet)).toEqual([])
  })

  test('is listed if no document names it', () => {
    const { fleet, weighed } = fleetAfter(1)
    expect(ignoredFields(requestOf(other), weighed, fleet)).toEqual([path])
    expect(unlocatedFields(requestOf(other), weighed, fleet)).toEqual([path])
  })

  test('is listed for another reason if nothing in the profile reads it', () => {
    const { fleet, weighed } = fleetAfter(1)
    const none = { ...weighed, weighers: [] }
    expect([ignoredFields(requestOf(volume), none, fleet), unlocatedFields(requestOf(volume), none, fleet)]).toEqual([
      [path.replace(/\.0$/, '')],
      [],
    ])
  })

  test('is listed if the only document that names it is too old, because the collector of its host is paused', () => {
    const { fleet, weighed } = fleetAfter(61)
    expect(ignoredFields(requestOf(volume), weighed, fleet)).toEqual([path])
    expect(unlocatedFields(requestOf(volume), weighed, fleet)).toEqual([path])
    // it indeed has no effect
    const scoresOf = (request: RequestSpec) => examine(fleet, request, weighed, 'seed').weighed.weighers.map(({ raw }) => raw)
    expect(scoresOf(requestOf(volume))).toEqual(scoresOf(requestOf(other)))
    // the weigher accepts older documents
    const patient = fleetAfter(61, 7_200)
    expect(ignoredFields(requestOf(volume), patient.weighed, patient.fleet)).toEqual([])
  })
})

test.each(forms.slice(0, 3))(
  'a hint in %s with a volume that no document names has an effect if a filter reads it: it refuses every host',
  (_form, requestOf) => {
    const { fleet, filtered } = fleetAfter(1)
    expect(ignoredFields(requestOf(other), filtered, fleet)).toEqual([])
    expect(examine(fleet, requestOf(other), filtered, 'seed').weighed.hosts).toHaveLength(0)
  },
)
