import { describe, expect, test } from 'vitest'
import { examine } from '../examine/examine.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { importNovaRequest } from '../nova/import/request.ts'
import { unreadKeys } from '../pipeline/unread.ts'
import { builtInProfiles, builtInProfilesAt } from '../profiles/built-in.ts'
import type { Change } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aDocument, aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { OWN_AFFINITY } from '../values/levels.ts'

const VOLUME = aUuid(20)
const PORT = aUuid(30)
const pool = (number: number, distance = 1) => ({ uuid: aUuid(number), name: `p${number}`, distance })
/** A storage document about a host that reaches these pools. If `has` is true, the volume of the requests is in the first pool. */
const storage = (host: string, pools: readonly ReturnType<typeof pool>[], has = false): Change =>
  aDocument(host, 'storage', { pools, volumes: has ? [{ uuid: VOLUME, pool: pools[0]?.uuid }] : [] })
const network = (host: string, names: readonly string[], has = false): Change =>
  aDocument(host, 'network', {
    physicalNetworks: names.map((name) => ({ name })),
    ports: has ? [{ uuid: PORT, physicalNetwork: names[0] }] : [],
  })
const shipped = (name: string, level = OWN_AFFINITY) => builtInProfilesAt(level).find((profile) => profile.name === name) as Profile

interface Town {
  readonly changes?: readonly Change[]
  readonly level?: number
  readonly profile?: string
}

/**
 * Decides a request on the hosts h1, h2 and h3. Returns the chosen host, the reasons of refused hosts, and the ignored fields. h1 has the
 * most free memory and h3 the least, so without affinity h1 is chosen.
 */
function placed(request: RequestSpec, { changes = [], level = OWN_AFFINITY, profile: name = 'default' }: Town) {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...[3, 2, 1].map((size, i) => aReport(`h${i + 1}`, { memoryMb: size * 65_536 }))])
  for (const change of changes) expect(log.append([change])).toEqual([undefined])
  const profile = shipped(name, level)
  const overlay = openOverlay(log.fleet)
  const asked = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
  const on = decide(log.fleet, overlay, asked).parts[0]?.host
  overlay.discard()
  const { checksOf } = examine(log.fleet, request, profile, 's')
  const why = log.fleet.hosts.records.flatMap(({ index, host }) =>
    checksOf(index).flatMap(({ reason }) => (reason ? [`${host} ${reason.code}`] : [])),
  )
  return { on, why, ignored: unreadKeys(request, profile, log.fleet) }
}

const hinted = aRequest({ schedulerHints: { near_volume: [VOLUME] } })
const booted = aRequest({ isBfv: true, volumes: [VOLUME] })
const withPort = aRequest({ ports: [PORT] })
const inPool = storage('h3', [pool(1, 0)], true)

describe('the profile default obeys affinity hints if documents exist', () => {
  test.each<[string, RequestSpec, Town, ReturnType<typeof placed>]>([
    [
      'the nearest host that reaches the volume is chosen',
      hinted,
      { changes: [inPool, storage('h2', [pool(1, 5)]), storage('h1', [pool(2)])] },
      { on: 'h3', why: ['h1 volume.far'], ignored: [] },
    ],
    [
      'hosts without a document are refused because of the hint',
      hinted,
      { changes: [inPool] },
      { on: 'h3', why: ['h1 namespace.not_reported', 'h2 namespace.not_reported'], ignored: [] },
    ],
    [
      'without any document the hint has no effect, which is reported',
      hinted,
      {},
      { on: 'h1', why: [], ignored: ['schedulerHints.near_volume'] },
    ],
    [
      'all hosts are refused if documents exist and none names the volume',
      hinted,
      { changes: [storage('h1', [pool(1)])] },
      { on: undefined, why: ['h1 volume.unknown', 'h2 volume.unknown', 'h3 volume.unknown'], ignored: [] },
    ],
    [
      'below feature level OWN_AFFINITY the profile ignores hints',
      hinted,
      { changes: [inPool], level: OWN_AFFINITY - 1 },
      { on: 'h1', why: [], ignored: ['schedulerHints.near_volume'] },
    ],
    [
      'a profile without such filters ignores hints',
      hinted,
      { changes: [inPool], profile: 'first-fit' },
      { on: 'h1', why: [], ignored: ['schedulerHints.near_volume'] },
    ],
  ])('%s', (_name, request, town, expected) => {
    expect(placed(request, town)).toEqual(expected)
  })
})

describe('an instance without a hint is placed near its own volumes and ports', () => {
  test.each<[string, RequestSpec, Town, ReturnType<typeof placed>]>([
    [
      'an instance that boots from a volume is placed near this volume',
      booted,
      { changes: [inPool, storage('h2', [pool(1, 5)])] },
      { on: 'h3', why: [], ignored: [] },
    ],
    [
      'hosts that are reported not to reach the volume are refused, and hosts without a report are not',
      booted,
      { changes: [storage('h3', [pool(1)], true), storage('h1', [pool(2)])] },
      { on: 'h3', why: ['h1 volume.far'], ignored: [] },
    ],
    [
      'a volume that no document names has no effect, which is reported',
      aRequest({ volumes: [VOLUME, aUuid(21)] }),
      { changes: [storage('h3', [pool(1)], true)] },
      { on: 'h3', why: [], ignored: ['volumes.1'] },
    ],
    [
      'a port that no document names has no effect, which is reported',
      withPort,
      { changes: [network('h3', ['physnet1'])] },
      { on: 'h1', why: [], ignored: ['ports.0'] },
    ],
    ['without any document the volume has no effect, which is reported', booted, {}, { on: 'h1', why: [], ignored: ['volumes'] }],
    [
      'an instance with nearness switched off may be placed anywhere',
      aRequest({ volumes: [VOLUME], nearVolumesAndPorts: false }),
      { changes: [inPool] },
      { on: 'h1', why: [], ignored: [] },
    ],
    [
      'a hint also applies if nearness to the own volumes of the instance is switched off',
      aRequest({ schedulerHints: { near_volume: [VOLUME] }, nearVolumesAndPorts: false }),
      { changes: [inPool, storage('h1', [pool(2)]), storage('h2', [pool(2)])] },
      { on: 'h3', why: ['h1 volume.far', 'h2 volume.far'], ignored: [] },
    ],
    [
      'hosts that are reported not to reach a requested port are refused',
      withPort,
      { changes: [network('h2', ['physnet1'], true), network('h1', ['physnet2'])] },
      { on: 'h2', why: ['h1 port.far'], ignored: [] },
    ],
    [
      'with a profile without such filters, ports have no effect, which is reported',
      withPort,
      { changes: [network('h2', ['physnet1'], true)], profile: 'first-fit' },
      { on: 'h1', why: [], ignored: ['ports'] },
    ],
    [
      'volumes and ports apply together',
      aRequest({ volumes: [VOLUME], ports: [PORT] }),
      { changes: [inPool, network('h3', ['physnet1'], true)] },
      { on: 'h3', why: [], ignored: [] },
    ],
  ])('%s', (_name, request, town, expected) => {
    expect(placed(request, town)).toEqual(expected)
  })

  test("an instance is placed near the ports of Nova's requested networks", () => {
    const object = (name: string, data: object) => ({
      'nova_object.name': name,
      'nova_object.namespace': 'nova',
      'nova_object.version': '1.14',
      'nova_object.data': data,
    })
    const flavor = object('Flavor', { name: 'm1', vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0, extra_specs: {} })
    const networks = object('NetworkRequestList', {
      objects: [
        object('NetworkRequest', { network_id: aUuid(41), port_id: null }),
        object('NetworkRequest', { network_id: aUuid(40), port_id: PORT }),
      ],
    })
    const imported = importNovaRequest(object('RequestSpec', { flavor, num_instances: 1, requested_networks: networks }))
    const parsed = parseRequestSpec(imported.ok ? imported.document : undefined)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed))
    const changes = [network('h2', ['physnet1'], true), network('h1', ['physnet2'])]
    expect(placed(parsed.value, { changes })).toMatchObject({ on: 'h2', why: ['h1 port.far'] })
    expect(placed(parsed.value, { changes, level: OWN_AFFINITY - 1 })).toMatchObject({ on: 'h1', why: [] })
    const ignored = ['spec.requested_networks.objects.1.port_id']
    expect(placed(parsed.value, { changes })).toMatchObject({ ignored: [] })
    expect(placed(parsed.value, { changes, profile: 'first-fit' })).toMatchObject({ ignored })
    expect(placed(parsed.value, {})).toMatchObject({ ignored })
    expect(placed(parsed.value, { changes: [network('h1', ['physnet2'])] })).toMatchObject({ ignored })
  })
})

test('from level OWN_AFFINITY on there is a built-in profile default-solver, which does not replace a profile of a site with that name', () => {
  expect(builtInProfiles.filter(({ scheduler }) => scheduler === 'solver').map(({ name }) => name)).toEqual(['default-solver'])
  const log = aLog()
  log.append([{ type: 'feature', level: OWN_AFFINITY - 1 }])
  expect(log.fleet.profiles.find('default-solver')).toBeUndefined()
  const own = { ...shipped('first-fit'), name: 'default-solver', number: 1 }
  expect(log.append([{ type: 'profile', profile: own }])).toEqual([undefined])
  expect(log.fleet.profiles.activeNumber('default-solver')).toBe(1)
  log.append([{ type: 'feature', level: OWN_AFFINITY }])
  expect(log.fleet.profiles.activeNumber('default-solver')).toBe(1)
  expect(log.fleet.profiles.versionsOf('default-solver').map(({ number }) => number)).toEqual([0, 1])
  const other = aLog()
  other.append([{ type: 'feature', level: OWN_AFFINITY }])
  expect(other.fleet.profiles.find('default-solver')?.scheduler).toBe('solver')
})
