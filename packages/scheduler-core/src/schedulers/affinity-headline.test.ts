import { describe, expect, test } from 'vitest'
import { type Cause, causeOf } from '../cause/cause.ts'
import { causeText } from '../cause/cause-text.ts'
import { profileNamed } from '../cause/testing/town.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { type DecideInput, decide } from './decide.ts'
import { wayOut } from './way-out.ts'

const group = { uuid: aUuid(9), policy: 'AFFINITY' as const, maxServerPerHost: null }
const GIB = 1_024

/** A fleet with hosts, and members of the group with two vCPUs each on host a. */
function fleetOf(hosts: Readonly<Record<string, HostShape>>, members: number, ...edits: readonly Change[]): Fleet {
  const log = aLog()
  const reports = Object.entries(hosts).map(([name, shape]) => aReport(name, { memoryMb: 64 * GIB, ...shape }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...reports])
  const grants = { classes: { VCPU: 2, MEMORY_MB: GIB } }
  for (let n = 1; n <= members; n++)
    expect(
      log.append([aClaim({ key: `m${n}`, ids: [`m${n}`], hosts: ['a'], instances: [aUuid(n)], mode: 'CONFIRM', group, grants })]),
    ).toEqual([undefined])
  log.append(edits)
  return log.fleet
}

/** Why a request for members of the group is refused: the cause, and the way out. `moved` is the claim that moves away from host a. */
function refusedBy(
  fleet: Fleet,
  asks: Parameters<typeof aRequest>[0],
  { profile: name = 'default', moved }: { readonly profile?: string; readonly moved?: string } = {},
): { readonly cause: Cause; readonly text: string; readonly way: string | undefined } {
  const excluded = moved === undefined ? {} : { ignoreHosts: ['a'], instanceUuids: [aUuid(1)] }
  const request = aRequest({ flavor: { vcpus: 2, memoryMb: GIB, rootGb: 0 }, instanceGroup: group, ...excluded, ...asks })
  const profile = profileNamed(name)
  const source = moved === undefined ? undefined : fleet.ledger.claims.get(moved)
  const input: DecideInput = {
    ...{ id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true },
    ...{ claimIds: Array.from({ length: request.numInstances }, (_, i) => `c${i}`), solution: undefined },
    ...(source === undefined ? { intent: 'CREATE' } : { intent: 'EVACUATE', source }),
  }
  const overlay = openOverlay(fleet)
  const { found, parts } = decide(fleet, overlay, input)
  expect(parts).toEqual([])
  if (found > 0) decide(fleet, overlay, { ...input, allOrNothing: false })
  const cause = causeOf(fleet, request, profile, found)
  overlay.rollback(0)
  const way = wayOut(fleet, overlay, input, cause)
  overlay.discard()
  return { cause, text: causeText(cause), way }
}

const disabled = (host: string): Change => ({ type: 'status', host, node: host, status: 'DISABLED', reason: 'repair' })

test.each<readonly [string, Readonly<Record<string, HostShape>>, number, readonly string[]]>([
  ['one host that is full', { a: { vcpus: 6, vcpusUsed: 2, memoryMb: 256 * GIB }, b: { vcpus: 16 } }, 3, ['b']],
  ['one host that is too small', { a: { vcpus: 4, memoryMb: 256 * GIB }, b: { vcpus: 16 } }, 4, ['b']],
  [
    'one host, and several others have room',
    { a: { vcpus: 4, memoryMb: 256 * GIB }, b: { vcpus: 16 }, c: { vcpus: 16 }, d: { vcpus: 16 } },
    4,
    ['b', 'c', 'd'],
  ],
])(
  'under Nova’s rules, if the first instance is placed on %s, the headline does not say that no host takes all',
  (_what, hosts, asked, fitting) => {
    const fleet = fleetOf(hosts, 0)
    const { cause, text, way } = refusedBy(fleet, { numInstances: asked }, { profile: 'nova-compat' })
    expect(way).toContain(`all ${asked} instances fit there`)
    expect(text).not.toContain('none takes')
    expect(text).not.toContain('other than the host of the server group')
    expect(text).toContain(
      `${fitting.length === 1 ? '1 host has' : `${fitting.length} hosts have`} room for all ${asked} instances, but the first one is placed on a`,
    )
    // the refusal is counted under what the chosen host lacks
    expect(cause.code).toMatch(/^cpu\./)
    expect(cause.nearest?.address).toBe('a')
    expect(cause.reasons.reduce((sum, { hosts: count }) => sum + count, 0)).toBe(Object.keys(hosts).length)
  },
)

describe('a member of a pair moves away', () => {
  const hosts = { a: { vcpus: 4 }, b: { vcpus: 8 }, c: { vcpus: 8 } }
  const away = (fleet: Fleet, asks = {}, profile = 'default') => refusedBy(fleet, asks, { moved: 'm1', profile })
  const step = 'Move all of them: make its policy SOFT_AFFINITY'
  const noRoom = 'No other host has enough free for all of them at present, so free capacity on one first.'

  test.each(['default', 'nova-compat', 'default-solver'])('by profile %s: headline and way out name the same cause', (profile) => {
    const { cause, text, way } = away(fleetOf(hosts, 2), {}, profile)
    expect(cause.code).toBe('group.affinity')
    expect(text).toContain(`The members of server group ${group.uuid} are on a`)
    expect(way).toContain(`keeps its 2 members on a together, and no member can leave while another one stays. ${step}`)
    expect(way).not.toContain(noRoom)
  })

  test.each<readonly [string, Fleet]>([
    ['too small for both', fleetOf({ a: { vcpus: 4 }, b: { vcpus: 3 }, c: { vcpus: 2 } }, 2)],
    ['too full for both', fleetOf({ a: { vcpus: 4 }, b: { vcpus: 8, vcpusUsed: 5 }, c: { vcpus: 8, vcpusUsed: 6 } }, 2)],
    ['disabled or too small for both', fleetOf({ a: { vcpus: 4 }, b: { vcpus: 8 }, c: { vcpus: 2 } }, 2, disabled('b'))],
    ['too short of memory for both', fleetOf({ a: { vcpus: 4 }, b: { vcpus: 8, memoryMb: 2 * GIB - 1 }, c: { vcpus: 2 } }, 2)],
  ])('if each other host is %s, the way out says that none has room for all members', (_what, fleet) => {
    const { cause, way } = away(fleet)
    expect(cause.code).toBe('group.affinity')
    expect(way).toContain(step)
    expect(way).toMatch(new RegExp(`${noRoom}$`))
  })

  test('if no other host takes even one member, the headline says so, and there is no way out', () => {
    const { text, way } = away(fleetOf({ a: { vcpus: 4 }, b: { vcpus: 8, vcpusUsed: 7 } }, 2))
    expect(text).toContain('2 vCPUs needed, 1 free')
    expect(way).toBeUndefined()
  })
})

describe('a further member is requested', () => {
  const hosts = { a: { vcpus: 4 }, b: { vcpus: 8 } }
  test.each<readonly [string, Fleet, Parameters<typeof aRequest>[0], string, string]>([
    ['a full host', fleetOf(hosts, 2), {}, 'cpu.short', 'a: 2 vCPUs needed, 0 free.'],
    ['a disabled host', fleetOf(hosts, 1, disabled('a')), {}, 'host.disabled', 'a: The host is DISABLED: repair.'],
    ['an excluded host', fleetOf(hosts, 1), { ignoreHosts: ['a'] }, 'group.affinity', 'are on a.'],
    ['a host outside of the named hosts', fleetOf(hosts, 1), { forceHosts: ['b'] }, 'group.affinity', 'are on a.'],
    [
      'a host that is too small for all',
      fleetOf(hosts, 1),
      { numInstances: 3 },
      'cpu.too_few',
      '6 vCPUs needed by the 3 instances together',
    ],
  ])('and the members are on %s: the headline names this cause, and no way out contradicts it', (_what, fleet, asks, code, said) => {
    const { cause, text, way } = refusedBy(fleet, asks)
    expect(cause.code).toBe(code)
    expect(text).toContain(said)
    expect(way).toBeUndefined()
  })
})
