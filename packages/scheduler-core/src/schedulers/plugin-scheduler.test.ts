import { describe, expect, test } from 'vitest'
import type { PluginScheduler } from '../contracts/compiled-profile.ts'
import { noPlugins, type Plugins } from '../contracts/plugins.ts'
import { examineAgain, replay } from '../decision/replay.ts'
import { checkpointOf } from '../fleet/checkpoint.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import { lacksOf, parseProfile } from '../pipeline/compile.ts'
import { checkPlugin, joinPlugins } from '../plugin/check-plugin.ts'
import { definePlugin, defineScheduler } from '../plugin/index.ts'
import { type ProfileInput, profileLevel, profileSchema } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aFleet, aRequest, aUuid } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { decide } from './decide.ts'
import { schedulerSuite } from './scheduler.suite.ts'

function join(...exported: readonly unknown[]): Plugins {
  const list = exported.map((one) => {
    const checked = checkPlugin(one)
    if (!checked.ok) throw new Error(checked.problems.map(({ message }) => message).join())
    return checked.value
  })
  const joined = joinPlugins(list)
  if (!joined.ok) throw new Error(joined.problems.map(({ message }) => message).join())
  return joined.value
}

const profileBy = (scheduler: string, more: Partial<ProfileInput> = {}) =>
  profileSchema.parse({
    ...{ name: 'site', number: 1, scheduler, hostSubsetSize: 1_000 },
    filters: [{ name: 'ComputeFilter' }, { name: 'TraitsFilter' }],
    weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
    ...more,
  })

const { default: rack }: { default: unknown } = await import(new URL('../../../../examples/plugin-rack/index.js', import.meta.url).href)
schedulerSuite(profileBy('any-rack'), join(rack))

/** A plug-in with a scheduler that has this function `select`. */
const withSelect = (select: (...args: Parameters<ReturnType<PluginScheduler['create']>['select']>) => unknown): Plugins =>
  join(
    definePlugin({
      ...{ name: 'site', version: '2.0.0', description: 'Of a test.' },
      schedulers: [
        defineScheduler({
          ...{ name: 'mine', description: 'Of a test.' },
          // The cast allows tests to return invalid results.
          create: () => ({ select }) as ReturnType<PluginScheduler['create']>,
        }),
      ],
    }),
  )

function decideWith(plugins: Plugins, numInstances = 1, allOrNothing = true) {
  const fleet = aFleet({ a: { vcpus: 1 }, b: { vcpus: 4 } }, plugins)
  const profile = profileBy('mine')
  fleet.apply({ format: 1, id: 'p', writer: 't', basis: fleet.place, changes: [{ type: 'profile', profile }], revision: 2, at: 1_000 })
  const before = canonicalJson(checkpointOf(fleet))
  const overlay = openOverlay(fleet)
  const request = aRequest({ vcpus: 2, numInstances })
  const claimIds = Array.from({ length: numInstances }, (_, i) => `c${i}`)
  const decided = decide(fleet, overlay, {
    ...{ id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 2, allOrNothing, claimIds },
  })
  const held = overlay.size
  overlay.discard()
  expect(canonicalJson(checkpointOf(fleet))).toBe(before)
  return { fleet, decided, held }
}

const groupFilters = ['ComputeFilter', 'ServerGroupAntiAffinityFilter', 'ServerGroupAffinityFilter'].map((name) => ({ name }))

/** The number of free vCPUs of each host. */
const freeOn = ({ hosts }: Fleet): readonly number[] => [...hosts.classColumns('VCPU').free.subarray(0, hosts.count)]

function decideOn(fleet: Fleet, request: RequestSpec, seed: string) {
  const overlay = openOverlay(fleet)
  const decided = decide(fleet, overlay, {
    ...{
      id: 'd',
      request,
      profile: profileBy('any-rack', { filters: groupFilters }),
      seed,
      attempt: 1,
      alternatesPerInstance: 0,
      allOrNothing: true,
    },
    claimIds: Array.from({ length: request.numInstances }, (_, i) => `c${i}`),
  })
  overlay.discard()
  return decided
}

const on = (host: string, claim = 'c0') => ({ claim, instance: null, host, node: host, grants: {} })

describe('a scheduler of a plug-in', () => {
  test('only the hosts in the result of a plug-in scheduler are used, and its other fields are ignored', () => {
    const { decided, held } = decideWith(withSelect(() => ({ parts: [{ ...on('b'), grants: { classes: { VCPU: 0 } } }], found: 9 })))
    expect(decided).toMatchObject({
      found: 1,
      parts: [{ host: 'b', grants: { classes: { VCPU: 2 } } }],
      answer: [{ selected: { host: 'b' } }],
    })
    expect(held).toBe(1)
    expect(decided.record).toMatchObject({ plugins: [{ name: 'site', version: '2.0.0' }] })
    expect(decided.record.failure).toBeUndefined()
  })

  test.each<[string, Parameters<typeof withSelect>[0], number, string]>([
    [
      'throws',
      () => {
        throw new Error('no more')
      },
      1,
      'it threw no more',
    ],
    [
      'throws a value that is not an error',
      () => {
        throw 7
      },
      1,
      'it threw a value of type number',
    ],
    [
      'returns nothing',
      () => undefined,
      1,
      'select returned no parts; it must return a list with one part for each instance that has a host',
    ],
    ['returns a promise', async () => ({ parts: [] }), 1, 'select returned no parts'],
    ['chooses a host that is refused', () => ({ parts: [on('a')] }), 1, 'select placed instance 0 on a, which does not pass'],
    [
      'chooses a host that an earlier instance has filled',
      () => ({ parts: [on('b'), on('b'), on('b')] }),
      3,
      'select placed instance 2 on b, which does not pass',
    ],
    [
      'chooses a host that does not exist',
      () => ({ parts: [on('z')] }),
      1,
      'select placed instance 0 on z; it must return a host and node of the fleet',
    ],
    ['returns a number', () => ({ parts: [Number.NaN] }), 1, 'select placed instance 0 on something that is not a host'],
    ['returns too many hosts', () => ({ parts: [on('b'), on('b')] }), 1, 'select returned 2 parts; it must return at most 1'],
    ['leaves an instance out', () => ({ parts: [] }), 1, 'select returned no host for instance 0; it must return a host that passes'],
    [
      'holds on a host that does not exist',
      (_r, _f, overlay) => overlay.hold(on('z'), null),
      1,
      'it threw cannot reserve resources on z: the fleet has no such host',
    ],
    [
      'lifts a claim',
      (_r, _f, overlay) => overlay.lift(undefined as never, undefined as never),
      1,
      "it threw a plug-in's scheduler cannot call this method; it may only call hold, rollback and discard",
    ],
  ])(
    "a plug-in's scheduler that %s causes refusals of every host with ERROR, and holds nothing afterwards",
    (_name, select, numInstances, why) => {
      const { fleet, decided, held } = decideWith(withSelect(select), numInstances)
      expect([decided.parts, decided.answer, decided.found, held]).toEqual([[], [], 0, 0])
      expect(decided.record.failure).toContain(why)
      const [instance] = decided.record.instances
      expect(instance).toMatchObject({ best: [] })
      expect(instance?.filters.at(-1)).toEqual({ filter: 'mine', entered: 1, passed: 0, errors: 1 })
      // The record of the decision contains the failure. So replay does not call the scheduler again, and explains the failure.
      const again = replay(fleet, [], decided.record)
      expect(canonicalJson(again.record)).toBe(canonicalJson(decided.record))
      const reason = examineAgain(fleet, [], decided.record, 0, ({ steps }) => steps.find(({ filter }) => filter === 'mine')?.reasons[0])
      expect(reason).toMatchObject({ code: 'filter.error', hosts: 1, example: { subject: 'mine', have: expect.stringContaining(why) } })
    },
  )

  test("a plug-in's scheduler cannot release what was held before it ran", () => {
    const plugins = withSelect((_request, _fleet, overlay) => {
      overlay.rollback(0)
      overlay.discard()
      return { parts: [on('b')] }
    })
    const fleet = aFleet({ b: { vcpus: 4 } }, plugins)
    const overlay = openOverlay(fleet)
    overlay.hold({ ...on('b'), grants: { classes: { VCPU: 3 } } }, null)
    const { record } = decide(fleet, overlay, {
      ...{ id: 'd', request: aRequest({ vcpus: 2 }), profile: profileBy('mine'), seed: 's', attempt: 1 },
      ...{ alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] },
    })
    expect([overlay.size, record.failure]).toEqual([1, 'select placed instance 0 on b, which does not pass'])
    overlay.discard()
  })

  test.each<[string, Parameters<typeof withSelect>[0], string]>([
    ['ids of the claims', (_request, _fleet, _overlay, { claimIds }) => (claimIds as string[]).reverse(), 'it threw Cannot assign'],
    ['request', (request) => Object.assign(request, { numInstances: 1 }), 'it threw Cannot assign'],
    ['scheduler hints of the request', (request) => Object.assign(request.schedulerHints, { rack: ['r'] }), 'it threw Cannot add property'],
  ])("a plug-in's scheduler that writes into the %s gets an error, and the write has no effect elsewhere", (_name, select, why) => {
    const { decided } = decideWith(withSelect(select), 2)
    expect(decided.record).toMatchObject({ request: { numInstances: 2 }, failure: expect.stringContaining(why) })
    expect(decided.found).toBe(0)
  })

  test.each<[string, (overlay: Overlay) => void]>([
    ['no number', (overlay) => overlay.hold({ ...on('b'), grants: { classes: { VCPU: Number.NaN } } }, null)],
    ['a text', (overlay) => overlay.hold({ ...on('b'), grants: { classes: { VCPU: '2' as never } } }, null)],
    ['more than any host has', (overlay) => overlay.hold({ ...on('b'), grants: { classes: { VCPU: 1e300 } } }, null)],
    ['no grants', (overlay) => overlay.hold({ ...on('b'), grants: undefined as never }, null)],
    [
      'grants that it changes afterwards',
      (overlay) => {
        const classes = { VCPU: 2 }
        overlay.hold({ ...on('b'), grants: { classes } }, null)
        classes.VCPU = 0
      },
    ],
  ])("a plug-in's scheduler that holds %s holds the grants of the instance, and leaves the fleet unchanged", (_name, hold) => {
    let free: number | undefined
    const plugins = withSelect((_request, fleet, overlay) => {
      hold(overlay)
      free = freeOn(fleet)[1]
      return { parts: [on('b')] }
    })
    const { fleet, decided } = decideWith(plugins)
    expect([free, decided.found]).toEqual([2, 1])
    expect(freeOn(fleet)).toEqual([1, 4])
  })

  test.each<[string, (overlay: Overlay) => void, string]>([
    [
      'for a claim of another decision',
      (overlay) => overlay.hold(on('b', 'c9'), null),
      'cannot reserve resources for the claim c9: it must be one of claimIds',
    ],
    ['on a host without enough free resources', (overlay) => overlay.hold(on('a'), null), 'found no grants on a host'],
  ])("a plug-in's scheduler that holds %s is refused", (_name, hold, why) => {
    const { fleet, decided } = decideWith(withSelect((_request, _fleet, overlay) => hold(overlay)))
    expect(decided.record.failure).toContain(why)
    expect(freeOn(fleet)).toEqual([1, 4])
  })

  test("a plug-in's scheduler that continues after its result can neither hold nor release", async () => {
    let later: Promise<unknown> = Promise.resolve()
    const plugins = withSelect((_request, _fleet, overlay) => {
      later = Promise.resolve().then(() => overlay.hold(on('b'), null))
      return { parts: [on('b')] }
    })
    const { fleet } = decideWith(plugins)
    await expect(later).rejects.toThrow('the decision has ended')
    expect(freeOn(fleet)).toEqual([1, 4])
  })

  test("a plug-in's scheduler places a gang, and each member gets the resources of its own flavor", () => {
    // Host a is too small for the large member, and host b has too little memory for the other members.
    const fleet = aFleet({ a: { vcpus: 2 }, b: { vcpus: 3, memoryMb: 512 } }, join(rack))
    const gang = [{ name: 'big', instances: 1, flavor: { vcpus: 3, memoryMb: 256 } }]
    const { parts, record } = decideOn(fleet, aRequest({ numInstances: 3, gang }), 's')
    expect(record.failure).toBeUndefined()
    expect(parts.map(({ claim, host, grants }) => [claim, host, grants.classes?.VCPU])).toEqual([
      ['c0', 'a', 1],
      ['c1', 'a', 1],
      ['c2', 'b', 3],
    ])
  })

  test.each<['ANTI_AFFINITY' | 'AFFINITY', number, number]>([
    ['ANTI_AFFINITY', 20, 20],
    ['ANTI_AFFINITY', 21, 0],
    ['AFFINITY', 20, 1],
  ])("a plug-in's scheduler keeps %s among %i instances", (policy, numInstances, hosts) => {
    const plugins = join(rack)
    const fleet = aFleet(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`h${i}`, { vcpus: 32 }])), plugins)
    const { parts, record } = decideOn(fleet, aRequest({ vcpus: 1, numInstances, instanceGroup: { uuid: aUuid(7), policy } }), 's')
    expect(record.failure).toBeUndefined()
    expect([parts.length, new Set(parts.map(({ host }) => host)).size]).toEqual([hosts === 0 ? 0 : numInstances, hosts])
    expect(new Set(parts.map(({ claim }) => claim)).size).toBe(parts.length)
  })

  test("if a plug-in's scheduler finds too few hosts, an all-or-nothing request is refused, and other requests are placed in part", () => {
    const plugins = withSelect((request, _fleet, _overlay, { allOrNothing }) => {
      expect(allOrNothing).toBe(false)
      return { parts: Array.from({ length: Math.min(2, request.numInstances) }, () => on('b')) }
    })
    expect(decideWith(plugins, 3, true).decided).toMatchObject({ parts: [], found: 2 })
    expect(decideWith(plugins, 3, false).decided).toMatchObject({ parts: [{ host: 'b' }, { host: 'b' }], found: 2 })
  })

  test("a profile can name a plug-in's scheduler if the plug-in is loaded; otherwise the scheduler is reported as missing", () => {
    const plugins = withSelect(() => undefined)
    const profile = profileBy('mine')
    expect([parseProfile(profile, plugins).ok, lacksOf(profile, plugins), profileLevel(profile)]).toEqual([true, [], 6])
    const sentence = 'there is no scheduler "mine"; it must be one of filter, chance, solver'
    expect(lacksOf(profile, noPlugins)).toEqual([sentence])
    expect(parseProfile(profile)).toMatchObject({
      ok: false,
      problems: [{ path: ['scheduler'], message: expect.stringContaining(sentence) }],
    })
    expect(parseProfile({ ...profile, scheduler: 'constructor' }).ok).toBe(false)
    const { decided } = decideWith(noPlugins)
    expect(decided.record).toMatchObject({ failure: 'no loaded plug-in has it', instances: [{ best: [] }] })
  })

  test("a plug-in's scheduler must have a unique name and follow the contract", () => {
    const named = (name: string, more = {}) => ({
      ...definePlugin({ name: 'p', version: '1.0.0', description: 'P.' }),
      schedulers: [{ name, description: 'S.', create: () => 1, ...more }],
    })
    const wrong = (exported: unknown) => {
      const checked = checkPlugin(exported)
      const joined = checked.ok ? joinPlugins([checked.value]) : checked
      return joined.ok ? '' : joined.problems.map(({ message }) => message).join()
    }
    expect(wrong(named('mine'))).toBe('')
    expect(wrong(named('solver'))).toContain('solver of plug-in p has the name of a part of this release')
    expect(wrong(named('Mine'))).toContain('it must be 1 to 63 lower-case letters, digits and dashes, and must not begin with a dash')
    expect(wrong(named('mine', { create: 1 }))).toContain('schedulers.0.create is 1; it must be a function')
  })
})
