import { describe, expect, test } from 'vitest'
import { filters, weighers } from '../../bundled.ts'
import type { Filter } from '../../contracts/filter.ts'
import type { Weigher } from '../../contracts/weigher.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { allKinds } from '../../kinds/index.ts'
import { compatFilters, compatWeighers } from '../../nova/compat/compat.ts'
import { joinPlugins } from '../../plugin/check-plugin.ts'
import { defineFilter, defineNamespace, definePlugin, z } from '../../plugin/index.ts'
import { ownNamespaces } from '../../records/namespace-names.ts'
import type { Profile } from '../../records/profile.ts'
import { readsOf } from '../../report/stats-fields.ts'
import { aLog, aReport } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { compileProfile, parseProfile } from '../compile.ts'
import { passesSafely } from '../filtering/passes-safely.ts'
import { requiredStats } from '../required-stats.ts'
import { documents, fleetWith, type Given, optionsOf, plugins, requests } from './read-namespaces.suite.ts'
import { fieldsIn } from './reading.ts'

/**
 * The rule: a filter, a weigher, a kind of resource or a part of a plug-in that reads a namespace declares it in `reads`. Otherwise
 * collectors for the namespace are paused although decisions depend on its documents.
 */

const attempt = (ask: () => unknown): unknown => {
  try {
    return ask()
  } catch (error) {
    return String(error)
  }
}
const h1 = 0 as HostIndex
const ofFilter = (kind: string, filter: Filter) => ({
  ...{ kind, name: filter.name, reads: readsOf(filter.reads, optionsOf(filter)) },
  ask: (fleet: Fleet) =>
    requests.map((request) =>
      attempt(() => {
        const prepared = filter.prepare(request, fleet, optionsOf(filter))
        return prepared === undefined ? 'not asked' : passesSafely(prepared, h1)
      }),
    ),
})
const ofWeigher = (kind: string, weigher: Weigher) => ({
  ...{ kind, name: weigher.name, reads: readsOf(weigher.reads, optionsOf(weigher)) },
  ask: (fleet: Fleet) => requests.map((request) => attempt(() => weigher.prepare(request, fleet, optionsOf(weigher), 1)(h1))),
})
const rules = [
  ...filters.map((filter) => ofFilter('filter', filter)),
  ...compatFilters.map((filter) => ofFilter("Nova's filter", filter)),
  ...plugins.filters.map((filter) => ofFilter("a plug-in's filter", filter)),
  ...weighers.map((weigher) => ofWeigher('weigher', weigher)),
  ...compatWeighers.map((weigher) => ofWeigher("Nova's weigher", weigher)),
  ...plugins.weighers.map((weigher) => ofWeigher("a plug-in's weigher", weigher)),
  ...allKinds.map((kind) => ({
    ...{ kind: 'kind of resource', name: kind.name, reads: kind.filter.reads },
    ask: ({ hosts }: Fleet) =>
      requests.map((request) =>
        attempt(() => {
          const wanted = kind.ask(request)
          return wanted === undefined ? 'not asked' : [kind.canGive(hosts, h1, wanted), kind.createAssign(undefined)(hosts, h1, wanted)]
        }),
      ),
  })),
]

const namespaces = Object.keys(documents)
/** Each document of a namespace, once without documents of the other namespaces, and once with the first document of each. */
const variants = (namespace: string): readonly (readonly Given[])[] =>
  [0, 1, 2, 3].map((other) =>
    (documents[namespace] ?? []).map((document) => ({
      ...Object.fromEntries(namespaces.map((name) => [name, documents[name]?.[other]])),
      [namespace]: document,
    })),
  )
const reactsTo = ({ ask }: (typeof rules)[number], namespace: string): boolean =>
  variants(namespace).some((given) => new Set(given.map((one) => JSON.stringify(ask(fleetOf(one))))).size > 1)

const known = new Map<string, Fleet>()
const fleetOf = (given: Given): Fleet => {
  const key = JSON.stringify(given)
  const fleet = known.get(key) ?? fleetWith(given)
  known.set(key, fleet)
  return fleet
}

test('the documents here are those of every namespace of the release and of the examples', () => {
  expect([...namespaces].sort()).toEqual([...ownNamespaces, ...plugins.namespaces.map(({ name }) => name)].sort())
})

describe('a rule reads exactly the namespaces that it declares', () => {
  test.each(rules)('$kind $name', (rule) => {
    const declared = [...fieldsIn(rule.reads).keys()].filter((name) => name !== 'collectors').sort()
    expect(namespaces.filter((name) => reactsTo(rule, name)).sort()).toEqual(declared)
  })
})

describe('reporters are asked for the namespaces that a rule of a profile reads', () => {
  const profileWith = (more: object): Profile => {
    const parsed = parseProfile({ name: 'mine', number: 1, filters: [], weighers: [], ...more }, plugins)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    return parsed.value
  }
  const reading = rules.filter(({ reads }) => fieldsIn(reads).size > 0)

  test.each(reading.filter(({ kind }) => kind !== 'kind of resource'))('$kind $name', ({ kind, name, reads }) => {
    const list = kind.endsWith('filter') ? 'filters' : 'weighers'
    const compat = kind.startsWith('Nova') ? { compat: 'nova' } : {}
    const profile = profileWith({ ...compat, [list]: [{ name, ...(list === 'weighers' && { multiplier: 1 }) }] })
    expect(compileProfile(profile, plugins).lacks).toEqual([])
    const required = requiredStats(fleetWith({}), [profile])
    for (const namespace of fieldsIn(reads).keys())
      expect(required.find((one) => one.namespace === namespace)?.fields.flatMap(({ neededBy }) => neededBy)).toContainEqual(
        expect.objectContaining({ profile: 'mine@1' }),
      )
  })

  const poolsOf = (fleet: Fleet, more: object = {}) =>
    requiredStats(fleet, [profileWith(more)]).find(({ namespace }) => namespace === 'storage')?.fields

  test('storage is needed under every profile while hosts share a disk pool, whatever kinds the profile collects', () => {
    const need = [{ field: 'pools', neededBy: [{ profile: 'mine@1', part: 'DiskPoolFilter' }] }]
    expect([poolsOf(fleetWith({})), poolsOf(fleetWith({}), { collects: ['classes'] })]).toEqual([need, need])
  })

  test('no profile needs storage for disk pools if no host is in one', () => {
    const log = aLog()
    log.append([aReport('h1')])
    expect(poolsOf(log.fleet)).toBeUndefined()
  })

  test('a filter that is listed twice is asked for what it reads with each of its options', () => {
    const threshold = defineFilter({
      name: 'ThresholdFilter',
      description: 'The value of a namespace is large enough.',
      parameters: z.strictObject({ namespace: z.string() }),
      reads: ({ namespace }) => [`${String(namespace)}.value`],
      prepare: () => ({ passes: () => true, reason: () => ({ code: 'filter.refused' }) }),
    })
    const namespaces = ['heat', 'noise'].map((name) =>
      defineNamespace({
        name,
        description: 'A value.',
        version: '1.0',
        maxAgeSeconds: 60,
        document: z.strictObject({ value: z.number() }),
      }),
    )
    const both = joinPlugins([definePlugin({ name: 'values', version: '1.0.0', description: 'Values.', namespaces, filters: [threshold] })])
    if (!both.ok) throw new Error(JSON.stringify(both.problems))
    for (const shadow of [false, true]) {
      const filters = [
        { name: 'ThresholdFilter', options: { namespace: 'heat' } },
        { name: 'ThresholdFilter', options: { namespace: 'noise' }, shadow },
      ]
      const parsed = parseProfile({ name: 'mine', number: 1, filters, weighers: [] }, both.value)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
      const required = requiredStats(new Fleet({ plugins: both.value }), [parsed.value])
      expect(required.map(({ namespace }) => namespace)).toEqual(expect.arrayContaining(['heat', 'noise']))
    }
  })
})
