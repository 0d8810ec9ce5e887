import { describe, expect, test } from 'vitest'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { compileProfile, lacksOf, parseProfile } from '../pipeline/compile.ts'
import { prepareFilters } from '../pipeline/filtering/run-filters.ts'
import { asksAges } from '../pipeline/namespaces/affinities.ts'
import { renewalAge } from '../pipeline/namespaces/renewal.ts'
import { checkPlugin, joinPlugins } from '../plugin/check-plugin.ts'
import { at, defineFilter, defineNamespace, definePlugin, defineWeigher, type PluginNamespace, z } from '../plugin/index.ts'
import { profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aDocument, aLog, aReport, aRequest } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { jsonSchemaOf } from './part-kinds.ts'
import { noPlugins, type Plugins } from './plugins.ts'

const crowdFilter = defineFilter({
  name: 'CrowdFilter',
  description: 'The host runs fewer instances than allowed.',
  reads: ['runningVms'],
  readsHostOnly: true,
  parameters: z.strictObject({ most: z.int().min(1).default(2).describe('Instances that a host may run.') }),
  prepare: (_request, { hosts }, { most }) => ({
    passes: (host) => at(hosts.columns.instances, host) < most,
    reason: (host) => ({
      code: 'filter.refused',
      subject: 'instances',
      need: `fewer than ${most}`,
      have: at(hosts.columns.instances, host),
    }),
  }),
})

const crowdWeigher = defineWeigher({
  name: 'CrowdWeigher',
  description: 'Prefers hosts with fewer instances.',
  unit: 'instances',
  reads: ['runningVms'],
  prepare:
    (_request, { hosts }) =>
    (host) =>
      -at(hosts.columns.instances, host),
})

const crowd = definePlugin({
  name: 'crowd',
  version: '1.2.3',
  description: 'Counts instances.',
  filters: [crowdFilter],
  weighers: [crowdWeigher],
})

function joined(...list: Parameters<typeof joinPlugins>[0]): Plugins {
  const plugins = joinPlugins(list)
  if (!plugins.ok) throw new Error(plugins.problems.map(({ message }) => message).join())
  return plugins.value
}

const messagesOf = (parsed: ReturnType<typeof checkPlugin> | ReturnType<typeof joinPlugins> | ReturnType<typeof parseProfile>) =>
  parsed.ok ? [] : parsed.problems.map(({ code, message }) => `${code}: ${message}`)

const [withFilter, withWeigher] = [
  { filters: [{ name: 'CrowdFilter', options: { most: 1 } }], weighers: [] },
  { filters: [], weighers: [{ name: 'CrowdWeigher', multiplier: 1 }] },
].map((parts) => profileSchema.parse({ name: 'site', number: 1, ...parts })) as [
  ReturnType<typeof profileSchema.parse>,
  ReturnType<typeof profileSchema.parse>,
]

test('the prepared filter of a plug-in can be an instance of a class', () => {
  class Even {
    readonly #refuses = 1
    passes(host: HostIndex): boolean {
      return host % 2 !== this.#refuses
    }
    reason(host: HostIndex) {
      return { code: 'filter.refused' as const, subject: 'number', need: 'even', have: host }
    }
    readonly which = 'with an even number'
    havers() {
      return { which: this.which, has: (host: HostIndex) => this.passes(host), lacks: (host: HostIndex) => this.reason(host) }
    }
  }
  const filter = defineFilter({ ...crowdFilter, name: 'EvenFilter', reads: [], parameters: z.strictObject({}), prepare: () => new Even() })
  const plugins = joined({ ...crowd, filters: [filter], weighers: [] })
  const fleet = new Fleet({ plugins })
  aLog(fleet).append([aReport('a'), aReport('b')])
  const profile = profileSchema.parse({ name: 'site', number: 1, filters: [{ name: 'EvenFilter' }], weighers: [] })
  const prepared = prepareFilters(compileProfile(profile, plugins), aRequest(), fleet).find(({ name }) => name === 'EvenFilter')?.prepared
  expect(
    fleet.hosts.records.map(({ index }) => [prepared?.passes(index), prepared?.reason(index).have, prepared?.havers?.()?.has(index)]),
  ).toEqual([
    [true, 0, true],
    [false, 1, false],
  ])
})

describe('checking the export of a module with a plug-in', () => {
  test('a valid plug-in is returned unchanged', () => expect(checkPlugin(crowd)).toEqual({ ok: true, value: crowd }))

  test.each<[string, unknown, string]>([
    ['a module without an export', undefined, 'plugin.invalid: the plug-in is nothing; it must be a value that definePlugin returned'],
    [
      'a contract that this release does not have',
      { ...crowd, contract: 2 },
      'plugin.contract: contract is 2; it must be 1, which this release has',
    ],
    ['a resource kind', { ...crowd, resourceKinds: [{}] }, 'plugin.resource_kind: resourceKinds is a list of 1'],
    ['a field that does not exist', { ...crowd, filter: [] }, 'plugin.unknown_field: filter is not a field of this version'],
    ['a name with capitals', { ...crowd, name: 'Crowd' }, 'plugin.invalid: name is "Crowd"; it must be 1 to 63 lower-case letters'],
    ['a version without numbers', { ...crowd, version: 'new' }, 'plugin.invalid: version is "new"; it must be a version such as 1.2.3'],
    ['a filter without prepare', { ...crowd, filters: [{ ...crowdFilter, prepare: 1 }] }, 'filters.0.prepare is 1; it must be a function'],
    [
      'a filter with an invalid name',
      { ...crowd, filters: [{ ...crowdFilter, name: 'crowd' }] },
      'filters.0.name is "crowd"; it must be letters',
    ],
    [
      'a read of a field that no report has',
      { ...crowd, filters: [{ ...crowdFilter, reads: ['racks'] }] },
      'filters.0.reads.0 is "racks"; it must be a field of reports',
    ],
    [
      'parameters that are not a schema',
      { ...crowd, filters: [{ ...crowdFilter, parameters: {} }] },
      'it must be the zod schema of an object',
    ],
    ['a weigher without a unit', { ...crowd, weighers: [{ ...crowdWeigher, unit: undefined }] }, 'weighers.0.unit is missing'],
  ])('%s is refused', (_name, exported, message) => expect(messagesOf(checkPlugin(exported)).join()).toContain(message))

  test('the parameters of a filter are converted to JSON Schema', () =>
    expect(jsonSchemaOf(crowdFilter.parameters)).toMatchObject({
      type: 'object',
      properties: { most: { type: 'integer', default: 2, description: 'Instances that a host may run.' } },
    }))

  test('two plug-ins, and two parts of plug-ins or of the release, cannot have the same name', () => {
    expect(messagesOf(joinPlugins([crowd, crowd]))).toEqual([
      'plugin.clash: a second plug-in is named "crowd"; it must have another name',
      'plugin.clash: CrowdFilter of plug-in crowd has the name of a part of plug-in crowd; it must have another name',
      'plugin.clash: CrowdWeigher of plug-in crowd has the name of a part of plug-in crowd; it must have another name',
    ])
    const ram = { ...crowd, filters: [{ ...crowdFilter, name: 'RamFilter' }] }
    expect(messagesOf(joinPlugins([ram]))[0]).toContain('RamFilter of plug-in crowd has the name of a part of this release')
  })
})

describe('a profile with parts of a plug-in', () => {
  const plugins = joined(crowd)

  test('a profile with a filter of a plug-in is accepted only if the plug-in is loaded', () => {
    expect(parseProfile(withFilter, plugins).ok).toBe(true)
    expect(messagesOf(parseProfile(withFilter))[0]).toContain('there is no filter "CrowdFilter"; it must be one of')
    const wrong = { ...withFilter, filters: [{ name: 'CrowdFilter', options: { most: 0 } }] }
    expect(messagesOf(parseProfile(wrong, plugins))).toEqual(['profile.invalid: filters.0.options: most is 0; it must be 1 or more'])
  })

  test("copies of a fleet decide with the plug-in's filters and weighers, and decision records have the plug-in's version", () => {
    const fleet = fleetWith(plugins)
    for (const one of [fleet, copyFleet(fleet), restoreFleet(checkpointOf(fleet), { plugins })]) {
      expect(decideBy(withFilter, one)).toMatchObject({ plugins: [{ name: 'crowd', version: '1.2.3' }], chosen: 'empty', passed: 1 })
      expect(decideBy(withWeigher, one)).toMatchObject({ chosen: 'empty' })
    }
    expect(decideBy(profileSchema.parse({ ...withFilter, filters: [] }), fleet).plugins).toBeUndefined()
  })

  test('a service without the plug-in reports its filter and weigher as missing, and refuses every host', () => {
    expect(lacksOf(withFilter, plugins)).toEqual([])
    for (const profile of [withFilter, withWeigher]) expect(lacksOf(profile, noPlugins)[0]).toMatch(/^there is no (filter|weigher) "Crowd/)
    expect(compileProfile(withWeigher).weighers[0]?.weigher.name).toBe('CrowdWeigher')
    expect(decideBy(withFilter, fleetWith(noPlugins))).toMatchObject({ chosen: undefined, errors: 2 })
  })
})

describe('a filter that reads a namespace of a plug-in', () => {
  const reading = (options: object = {}) =>
    profileSchema.parse({
      name: 'site',
      number: 1,
      filters: [{ name: 'WattsFilter', options }],
      weighers: [{ name: 'WattsWeigher', multiplier: 1 }],
    })
  const freeOf = (fleet: Fleet, host: Parameters<Fleet['hosts']['get']>[0]) =>
    Number(Object(fleet.hosts.get(host).namespaces.get('power')?.document).freeWatts)
  const power = definePlugin({
    ...{ name: 'power', version: '1.0.0', description: 'Power.' },
    namespaces: [
      defineNamespace({
        ...{ name: 'power', description: 'Power of hosts.', version: '1.0', maxAgeSeconds: 60 },
        document: z.strictObject({ freeWatts: z.int().optional(), feed: z.string().optional() }),
      }),
    ],
    filters: [
      defineFilter({
        ...{ name: 'WattsFilter', description: 'Has power.', reads: ['power.freeWatts'] },
        parameters: z.strictObject({ maxAgeSeconds: z.int().optional() }),
        prepare: (_request, fleet) => ({ passes: (host) => freeOf(fleet, host) > 5, reason: () => ({ code: 'filter.refused' }) }),
      }),
    ],
    weighers: [
      defineWeigher({
        ...{ name: 'WattsWeigher', description: 'Prefers power.', unit: 'W', reads: ['power.freeWatts'] },
        prepare: (_request, fleet) => (host) => freeOf(fleet, host),
      }),
    ],
  })
  const plugins = joined(power)

  /** For each host after these documents were reported: true if it passes, or the reason for which it is refused. */
  function saidOf(options: object, ...reports: readonly (readonly [host: string, document: unknown, version?: string])[]): unknown[] {
    const fleet = new Fleet({ plugins })
    const log = aLog(fleet)
    log.append([{ type: 'feature', level: 7 }, ...['a', 'b', 'c', 'd'].map((host) => aReport(host))])
    for (const [host, document, version = '1.0'] of reports)
      expect(log.append([aDocument(host, 'power', document, 1, version)])).toEqual([undefined])
    const compiled = compileProfile(reading(options), plugins)
    const [, step] = prepareFilters(compiled, aRequest(), fleet)
    return fleet.hosts.records.map(({ index }) => step?.prepared?.passes(index) || step?.prepared?.reason(index))
  }

  test('a filter is not called for hosts whose document is missing or lacks the field', () =>
    expect(saidOf({}, ['a', { freeWatts: 9 }], ['b', { feed: 'left' }], ['c', { freeWatts: 9 }, '0.9'])).toEqual([
      true,
      { code: 'host.not_reported', subject: 'power.freeWatts' },
      expect.objectContaining({ code: 'namespace.malformed', subject: 'power' }),
      expect.objectContaining({ code: 'namespace.not_reported', subject: 'power' }),
    ]))

  test('a filter is not called for hosts whose document is older than its option or the namespace allows', () => {
    const fleet = new Fleet({ plugins })
    const log = aLog(fleet)
    log.append([{ type: 'feature', level: 7 }, aReport('a'), aReport('b')])
    log.append([aDocument('a', 'power', { freeWatts: 9 })])
    const stale = (maxAgeSeconds?: number) => {
      const compiled = compileProfile(reading({ ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) }), plugins)
      const prepared = prepareFilters(compiled, aRequest(), fleet)[1]?.prepared
      return prepared?.passes(0 as HostIndex) || prepared?.reason(0 as HostIndex).code
    }
    expect([stale(), asksAges(aRequest(), reading(), plugins), renewalAge(fleet, 'power')]).toEqual([true, true, 15_000])
    log.append([{ type: 'feature', level: 7 }], { at: fleet.now + 61_000 })
    expect([stale(), stale(120), stale(10)]).toEqual(['namespace.stale', true, 'namespace.stale'])
  })

  test('a plug-in is refused if its filter reads a namespace that no plug-in defines', () => {
    const lonely = { ...power, namespaces: [] }
    expect(messagesOf(joinPlugins([lonely]))[0]).toContain(
      'WattsFilter of plug-in power reads the namespace "power"; it must read one of storage, network',
    )
    expect(
      messagesOf(joinPlugins([{ ...power, namespaces: [{ ...(power.namespaces[0] as PluginNamespace), name: 'storage' }] }]))[0],
    ).toContain('storage of plug-in power has the name of a part of this release')
  })

  test('the state of a fleet is the same with and without the plug-in that defines a namespace', () => {
    const [one, other] = [plugins, noPlugins].map((loaded) => {
      const fleet = new Fleet({ plugins: loaded })
      const log = aLog(fleet)
      log.append([{ type: 'feature', level: 7 }, aReport('a')])
      log.append([aDocument('a', 'power', { freeWatts: 9 })])
      return checkpointOf(fleet)
    })
    expect(one).toEqual(other)
  })
})

function fleetWith(plugins: Plugins): Fleet {
  const fleet = new Fleet({ plugins })
  const log = aLog(fleet)
  log.append([aReport('full', { runningVms: 5 }), aReport('empty', { runningVms: 0 })])
  return fleet
}

function decideBy(profile: ReturnType<typeof profileSchema.parse>, fleet: Fleet) {
  const overlay = openOverlay(fleet)
  try {
    const { record, answer } = decide(fleet, overlay, {
      ...{ id: 'd', request: aRequest({ memoryMb: 512 }), profile, seed: 's', attempt: 1 },
      ...{ alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] },
    })
    const step = record.instances[0]?.filters.find(({ filter }) => filter === 'CrowdFilter')
    return { plugins: record.plugins, chosen: answer[0]?.selected.host, passed: step?.passed, errors: step?.errors }
  } finally {
    overlay.discard()
  }
}
