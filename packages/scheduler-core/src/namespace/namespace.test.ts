import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digestPart, partsOf } from '../audit/index.ts'
import { filters, weighers } from '../bundled.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { renewalAge } from '../pipeline/namespaces/renewal.ts'
import type { Change } from '../records/change.ts'
import { profileSchema } from '../records/profile.ts'
import { aDocument, aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { namespaces } from './index.ts'

const pool = (number: number, more: object = {}) => ({ uuid: aUuid(number), name: `p${number}`, ...more })
const volume = (number: number, inPool: number) => ({ uuid: aUuid(number), pool: aUuid(inPool) })
const level5: Change = { type: 'feature', level: 5 }
const nearVolume = aRequest({ schedulerHints: { near_volume: [aUuid(20)] } })
const nearPort = aRequest({ schedulerHints: { near_port: [aUuid(30)] } })

/** A fleet with the hosts h1, h2 and h3, to which these changes were applied. */
function fleetWith(...changes: readonly Change[]): Fleet {
  const log = aLog()
  log.append([level5, aReport('h1'), aReport('h2'), aReport('h3')])
  for (const change of changes) expect(log.append([change])).toEqual([undefined])
  return log.fleet
}

const filterNamed = (name: string) => filters.find((one) => one.name === name) as (typeof filters)[number]
const weigherNamed = (name: string) => weighers.find((one) => one.name === name) as (typeof weighers)[number]

/** The verdict of a filter on each host: true if the host passes, otherwise the code of the refusal. */
function saysOf(name: string, fleet: Fleet, request: typeof nearVolume, options = {}): unknown[] {
  const prepared = filterNamed(name).prepare(request, fleet, options)
  return fleet.hosts.records.map(({ index }) => prepared?.passes(index) || prepared?.reason(index).code)
}

const rawOf = (name: string, fleet: Fleet, request: typeof nearVolume, options = {}): number[] => {
  const raw = weigherNamed(name).prepare(request, fleet, options, 1)
  return fleet.hosts.records.map(({ index }) => raw(index))
}

describe('documents with a wrong form', () => {
  test.each<[string, 'storage' | 'network', string, unknown, readonly string[]]>([
    ['a version that does not exist', 'storage', '2.0', { pools: [] }, ['version']],
    ['no pools', 'storage', '1.0', {}, ['document.pools']],
    ['no object', 'storage', '1.0', 7, ['document']],
    ['a field that does not exist', 'storage', '1.0', { pools: [], size: 1 }, ['document.size']],
    ['a pool that is listed twice', 'storage', '1.0', { pools: [pool(1), pool(1)] }, ['document.pools']],
    [
      'a volume in a pool that is not listed',
      'storage',
      '1.0',
      { pools: [pool(1)], volumes: [volume(20, 2)] },
      ['document.volumes.0.pool'],
    ],
    [
      'a document with several problems',
      'storage',
      '1.0',
      { pools: [pool(1, { distance: 100, totalGib: -1 })] },
      ['document.pools.0.distance', 'document.pools.0.totalGib'],
    ],
    [
      'a port without its physical network',
      'network',
      '1.0',
      { physicalNetworks: [], ports: [{ uuid: aUuid(30) }] },
      ['document.ports.0.physicalNetwork'],
    ],
  ])('%s: is refused with the paths of all problems', (_name, namespace, version, document, paths) => {
    const parsed = namespaces[namespace].parse(version, document)
    expect(parsed.ok ? [] : parsed.problems.map(({ path }) => path.join('.'))).toEqual(paths)
  })
})

describe('VolumeAffinity', () => {
  const near = aDocument('h1', 'storage', { pools: [pool(1, { distance: 0 })], volumes: [volume(20, 1)] })
  const shared = aDocument('h2', 'storage', { pools: [pool(1, { distance: 3 })] })

  test('the score of a host is minus its distance to the pool of the volume, and NaN without a document', () => {
    const fleet = fleetWith(near, shared)
    expect(saysOf('VolumeAffinityFilter', fleet, nearVolume)).toEqual([true, true, 'namespace.not_reported'])
    expect(saysOf('VolumeAffinityFilter', fleet, nearVolume, { within: 'host' })).toEqual([true, 'volume.far', 'namespace.not_reported'])
    expect(saysOf('VolumeAffinityFilter', fleet, nearVolume, { maxDistance: 2 })).toEqual([true, 'volume.far', 'namespace.not_reported'])
    expect(rawOf('VolumeAffinityWeigher', fleet, nearVolume)).toEqual([0, -3, Number.NaN])
  })

  test('with the option within: zone, all hosts in the zone of the pool pass, even without a document', () => {
    const fleet = fleetWith(
      aDocument('h1', 'storage', { pools: [pool(1, { zone: 'z1' })], volumes: [volume(20, 1)] }),
      { type: 'aggregate', uuid: aUuid(9), expectedVersion: 0, next: { name: 'z', hosts: ['h2'], metadata: { availability_zone: 'z1' } } },
      aDocument('h3', 'storage', { pools: [] }),
    )
    expect(saysOf('VolumeAffinityFilter', fleet, nearVolume, { within: 'zone' })).toEqual([true, true, 'volume.far'])
    expect(rawOf('VolumeAffinityWeigher', fleet, nearVolume)).toEqual([-1, -100, -1_000])
  })

  test('each volume of the hint must be near, and a volume that no document names is not near any host', () => {
    const both = aRequest({ schedulerHints: { near_volume: [aUuid(20), aUuid(21)] } })
    expect(saysOf('VolumeAffinityFilter', fleetWith(near, shared), both)).toEqual([
      'volume.unknown',
      'volume.unknown',
      'namespace.not_reported',
    ])
    const documents = aDocument('h3', 'storage', { pools: [pool(2)], volumes: [volume(21, 2)] })
    expect(saysOf('VolumeAffinityFilter', fleetWith(near, shared, documents), both)).toEqual(['volume.far', 'volume.far', 'volume.far'])
  })

  test('the youngest document determines the location of the volume', () => {
    const log = aLog()
    log.append([level5, aReport('h1'), aReport('h2'), near])
    log.append([aDocument('h2', 'storage', { pools: [pool(2)], volumes: [volume(20, 2)] })], { at: 2_000 })
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume)).toEqual(['volume.far', true])
    log.append([{ ...near, sequence: 2 }], { at: 3_000 })
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume)).toEqual([true, 'volume.far'])
  })

  test('a document is used until it is older than the allowed age, by the time of the log, and a new report renews it', () => {
    const log = aLog()
    log.append([level5, aReport('h1'), near])
    const pass = (at: number) => log.append([aReport('h2', {}, at)], { at })
    pass(1_000 + 60_000)
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume, { maxAgeSeconds: 60 })[0]).toBe(true)
    pass(1_000 + 60_001)
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume, { maxAgeSeconds: 60 })[0]).toBe('volume.unknown')
    expect(rawOf('VolumeAffinityWeigher', log.fleet, nearVolume, { maxAgeSeconds: 60 })[0]).toBe(0)
    log.append([{ ...near, sequence: 2 }])
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume, { maxAgeSeconds: 60 })[0]).toBe(true)
  })

  test.each<[string, readonly Change[], string, unknown]>([
    ['missing', [], 'namespace.not_reported', 'none'],
    ['old', [aDocument('h2', 'storage', { pools: [pool(1)] })], 'namespace.stale', 61],
    [
      'not readable',
      [{ type: 'status', host: 'h1', node: 'h1', status: 'ENABLED', reason: '' }],
      'namespace.malformed',
      'pools is missing; it must be a list',
    ],
  ])('a host is refused if its own document is %s, and the refusal names the report', (state, changes, code, have) => {
    const log = aLog()
    log.append([level5, aReport('h1'), aReport('h2'), ...changes])
    const at = 62_000
    log.append(state === 'not readable' ? [near, aDocument('h2', 'storage', { of: 'an older release' })] : [near], { at })
    const prepared = filterNamed('VolumeAffinityFilter').prepare(nearVolume, log.fleet, { maxAgeSeconds: 60 })
    const h2 = 1 as HostIndex
    expect(prepared?.passes(h2)).toBe(false)
    expect(prepared?.reason(h2)).toMatchObject({ code, subject: 'storage', have })
    const [fact, place] = prepared?.facts?.(h2) ?? []
    expect(fact).toMatchObject({ actual: have, requiredFrom: { kind: 'hint', ref: 'near_volume' }, actualFrom: { kind: 'report' } })
    expect(place).toMatchObject({
      subject: aUuid(20),
      actual: 'in pool p1, as reported about h1',
      actualFrom: { ref: `storage, sequence 1, ${new Date(at).toISOString()}`, report: { sequence: 1, at } },
    })
  })

  test('a document in the same log entry as the change to feature level 5 has a report time', () => {
    const log = aLog()
    log.append([aReport('h1')])
    log.append([near, level5])
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume)).toEqual([true])
  })

  test('a document without a report time is too old', () => {
    const log = aLog()
    log.append([aReport('h1'), near])
    log.append([level5])
    expect(saysOf('VolumeAffinityFilter', log.fleet, nearVolume)).toEqual(['volume.unknown'])
  })
})

describe('PortAffinity', () => {
  const port = (more: object = {}) => ({ uuid: aUuid(30), physicalNetwork: 'physnet1', ...more })
  const reaching = (name: string, more: object = {}) => ({ physicalNetworks: [{ name, ...more }] })

  test('hosts that reach the physical network of the port pass; nearer hosts rank better, and the host of the port ranks first', () => {
    const fleet = fleetWith(
      aDocument('h1', 'network', { ...reaching('physnet1', { distance: 2 }), ports: [port({ here: true })] }),
      aDocument('h2', 'network', reaching('physnet1', { distance: 2 })),
      aDocument('h3', 'network', reaching('physnet2')),
    )
    expect(saysOf('PortAffinityFilter', fleet, nearPort)).toEqual([true, true, 'port.far'])
    expect(saysOf('PortAffinityFilter', fleet, nearPort, { maxDistance: 1 })).toEqual([true, 'port.far', 'port.far'])
    expect(rawOf('PortAffinityWeigher', fleet, nearPort)).toEqual([0, -2, -1_000])
  })

  test('a host must reach the segment of the port, and a host that reports no segments reaches all segments', () => {
    const fleet = fleetWith(
      aDocument('h1', 'network', { ...reaching('physnet1', { segments: ['s1'] }), ports: [port({ segment: 's2' })] }),
      aDocument('h2', 'network', reaching('physnet1', { segments: ['s1', 's2'] })),
      aDocument('h3', 'network', reaching('physnet1')),
    )
    expect(saysOf('PortAffinityFilter', fleet, nearPort)).toEqual(['port.far', true, true])
  })

  test('network documents work without storage documents, and storage documents without network documents', () => {
    const fleet = fleetWith(aDocument('h1', 'network', { ...reaching('physnet1'), ports: [port()] }))
    expect(saysOf('PortAffinityFilter', fleet, nearPort)).toEqual([true, 'namespace.not_reported', 'namespace.not_reported'])
    expect(filterNamed('VolumeAffinityFilter').prepare(nearPort, fleet, {})).toBeUndefined()
    expect(rawOf('VolumeAffinityWeigher', fleet, nearPort)).toEqual([0, 0, 0])
    expect(saysOf('PortAffinityFilter', fleet, aRequest({ schedulerHints: { near_port: [aUuid(31)] } }))[0]).toBe('port.unknown')
  })
})

test('a copy and a restored checkpoint have the same verdicts and digests as the fleet that applied the reports', () => {
  const reports = fc.array(
    fc.record({
      host: fc.constantFrom('h1', 'h2', 'h3'),
      sequence: fc.nat({ max: 9 }),
      at: fc.nat({ max: 200_000 }),
      level: fc.boolean(),
      pools: fc.uniqueArray(fc.constantFrom(1, 2, 3), { minLength: 1 }),
      hasVolume: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(reports, (steps) => {
      const log = aLog()
      log.append([aReport('h1'), aReport('h2'), aReport('h3')])
      const newest = new Map<string, number>()
      for (const { host, sequence, at, level, pools, hasVolume } of steps) {
        const before = copyFleet(log.fleet)
        const kept = JSON.stringify(checkpointOf(before))
        const document = { pools: pools.map((number) => pool(number)), volumes: hasVolume ? [volume(20, pools[0] as number)] : [] }
        const [verdict] = log.append([aDocument(host, 'storage', document, sequence), ...(level ? [level5] : [])], { at })
        expect(verdict).toBe(sequence > (newest.get(host) ?? -1) ? undefined : 'report.stale')
        newest.set(host, Math.max(sequence, newest.get(host) ?? -1))
        expect(JSON.stringify(checkpointOf(before))).toBe(kept)
      }
      const says = (fleet: Fleet) => [
        saysOf('VolumeAffinityFilter', fleet, nearVolume, { maxAgeSeconds: 60 }),
        rawOf('VolumeAffinityWeigher', fleet, nearVolume, { maxAgeSeconds: 60 }),
        Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part)),
      ]
      const restored = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet))))
      expect(says(restored)).toEqual(says(log.fleet))
      expect(says(copyFleet(log.fleet))).toEqual(says(log.fleet))
    }),
    { numRuns: 60 },
  )
})

test('an unchanged document is written again after a quarter of the shortest maximum age in the active profiles', () => {
  const log = aLog()
  log.append([level5])
  expect([renewalAge(log.fleet, 'storage'), renewalAge(log.fleet, 'cinder')]).toEqual([900_000, undefined])
  const filter = { name: 'VolumeAffinityFilter', options: { maxAgeSeconds: 60 } }
  const profile = profileSchema.parse({ name: 'near', number: 1, filters: [filter], weighers: [] })
  expect(log.append([{ type: 'profile', profile }])).toEqual([undefined])
  expect([renewalAge(log.fleet, 'storage'), renewalAge(log.fleet, 'network')]).toEqual([15_000, 900_000])
})
