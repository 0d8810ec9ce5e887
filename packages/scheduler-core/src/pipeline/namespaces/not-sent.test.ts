import { describe, expect, test } from 'vitest'
import { filters, weighers } from '../../bundled.ts'
import type { Filter } from '../../contracts/filter.ts'
import { definePlugin } from '../../contracts/plugin.ts'
import { gatherPlugins } from '../../contracts/plugins.ts'
import type { Weigher } from '../../contracts/weigher.ts'
import { examine } from '../../examine/examine.ts'
import { Fleet } from '../../fleet/fleet.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { allKinds } from '../../kinds/index.ts'
import { compatFilters, compatWeighers } from '../../nova/compat/compat.ts'
import type { Profile } from '../../records/profile.ts'
import { readsOf } from '../../report/stats-fields.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aDocument, aLog, aReport, aRequest } from '../../testing/index.ts'
import type { Reason } from '../../text/reason.ts'
import { reasonText } from '../../text/reason-text.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { COLLECTOR_STATES } from '../../values/levels.ts'
import { parseProfile } from '../compile.ts'
import { AT, documents, fleetWith, type Given, optionsOf, plugins, requests } from './read-namespaces.suite.ts'
import { fieldsIn } from './reading.ts'

/**
 * The rule: if a collector of a host produces a namespace and does not send it, a reason never says that the host has no document. It says
 * that the namespace is not sent, and why. Which hosts pass, and how they are weighed, is the same as without the collector.
 */

const since = new Date(AT).toISOString()
const error = { code: 'CRASHED', text: 'it ended with code 1', at: since }
const unsentStates = [
  { state: 'PAUSED', more: {}, have: 'paused' },
  { state: 'SLOWED', more: {}, have: 'slowed' },
  { state: 'WAITING', more: {}, have: 'not run yet' },
  { state: 'FAILING', more: { error }, have: 'failing (CRASHED: it ended with code 1)' },
]
const collecting = (namespace: string, state: string, more: object = {}): object => ({
  collectors: [{ name: 'mine', namespace, state, since, ...more }],
})

const h1 = 0 as HostIndex
const readers = <Part extends Filter | Weigher>(kind: string, list: 'filters' | 'weighers', parts: readonly Part[]) =>
  parts.flatMap((part) =>
    [...fieldsIn(readsOf(part.reads, optionsOf(part))).keys()].map((namespace) => ({ kind, list, name: part.name, namespace })),
  )
const rules = [
  ...readers('filter', 'filters', filters),
  ...readers("Nova's filter", 'filters', compatFilters),
  ...readers("a plug-in's filter", 'filters', plugins.filters),
  ...readers('weigher', 'weighers', weighers),
  ...readers("Nova's weigher", 'weighers', compatWeighers),
  ...readers("a plug-in's weigher", 'weighers', plugins.weighers),
]
type Rule = (typeof rules)[number]

function profileOf({ kind, list, name }: Rule): Profile {
  const part = { name, ...(list === 'weighers' && { multiplier: 1 }) }
  const compat = kind.startsWith('Nova') ? { compat: 'nova' } : {}
  const input = { name: 'mine', number: 1, filters: [], weighers: [], ...compat, [list]: [part] }
  const parsed = parseProfile(input, plugins)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value
}

/** What the rule says of h1 for a request: its verdict or its score, and the reason for which a document is missing. */
function resultOf(rule: Rule, fleet: Fleet, request: RequestSpec): { readonly result: unknown; readonly reason: Reason | undefined } {
  const { checksOf, unscored, weighed } = examine(fleet, request, profileOf(rule), 'seed')
  if (rule.list === 'weighers') {
    const position = weighed.hosts.indexOf(h1)
    return { result: weighed.weighers[0]?.raw[position], reason: unscored[0]?.get(h1) }
  }
  const check = checksOf(h1).find(({ filter }) => filter === rule.name)
  return { result: check?.verdict, reason: check?.reason }
}

/** Fleets in which the document of h1 decides: h2 has a document of the namespace or not. */
const others = (namespace: string): readonly Given[] => [{}, { [namespace]: documents[namespace]?.[2] }]
const fleetOf = ({ list }: Rule, given: Given, ofH2: Given, level?: number): Fleet =>
  fleetWith(given, { ofH2, isPooled: list === 'filters', ...(level !== undefined && { level }) })

test('every namespace that a rule can read is read by a rule of this test', () => {
  expect([...new Set(rules.map(({ namespace }) => namespace))].sort()).toEqual(
    Object.keys(documents)
      .filter((name) => name !== 'collectors')
      .sort(),
  )
  expect(allKinds.filter(({ filter }) => fieldsIn(filter.reads).size > 0).map(({ name }) => name)).toEqual(['pools'])
})

describe('what a collector does not send is called not sent', () => {
  test.each(rules)('$kind $name, $namespace', (rule) => {
    const { namespace } = rule
    const kinds = new Set<string>()
    for (const ofH2 of others(namespace))
      for (const request of requests) {
        const without = resultOf(rule, fleetOf(rule, {}, ofH2), request)
        const isDecisive = (documents[namespace] ?? []).some(
          (document) => resultOf(rule, fleetOf(rule, { [namespace]: document }, ofH2), request).result !== without.result,
        )
        for (const { state, more, have } of unsentStates) {
          const collectors = collecting(namespace, state, more)
          const { result, reason } = resultOf(rule, fleetOf(rule, { collectors }, ofH2), request)
          expect(result, state).toEqual(without.result)
          // a filter that is not asked refuses no host: a volume that no document names is in `ignoredFields`
          if (!isDecisive || result === 'PASS' || result === 'NOT_ASKED') continue
          kinds.add(state)
          expect(reason, state).toMatchObject({ code: 'namespace.not_sent', subject: namespace, have })
        }
        // a collector that sends leaves the usual reasons
        expect(resultOf(rule, fleetOf(rule, { collectors: collecting(namespace, 'SENDING') }, ofH2), request)).toEqual(without)
        // at an earlier level, recorded decisions keep their reasons
        const before = resultOf(rule, fleetOf(rule, {}, ofH2, 10), request)
        const atTen = resultOf(rule, fleetOf(rule, { collectors: collecting(namespace, 'PAUSED') }, ofH2, 10), request)
        expect(atTen).toEqual(before)
        expect(atTen.reason?.code).not.toBe('namespace.not_sent')
      }
    expect([...kinds].sort()).toEqual(unsentStates.map(({ state }) => state).sort())
  })
})

describe('if a host of whose agent nothing is known is refused because no document names something', () => {
  const unnamed = rules.filter(({ name }) => ['VolumeAffinityFilter', 'PortAffinityFilter', 'DiskPoolFilter'].includes(name))

  test.each(unnamed)('the reason of $name names the host that does not send its document', (rule) => {
    const { namespace } = rule
    const textsOf = (ofH2: Given) =>
      requests.flatMap((request) => {
        const { reason } = resultOf(rule, fleetOf(rule, {}, ofH2), request)
        return reason === undefined ? [] : [{ code: reason.code, text: reasonText(reason) }]
      })
    const plain = textsOf({})
    expect(plain.length).toBeGreaterThan(0)
    expect(textsOf({ collectors: collecting(namespace, 'PAUSED') })).toEqual(
      plain.map(({ code, text }) => ({ code, text: `${text} The namespace is not sent by h2, whose collector is paused.` })),
    )
  })
})

describe('a part of a plug-in that reads a namespace of the release', () => {
  const reads = ['storage.pools'] as const
  const sizeOf = ({ namespaces }: HostRecord): number => (namespaces.has('storage') ? 500 : 0)
  const plugin = definePlugin({
    ...{ name: 'own', version: '1.0.0', description: 'Reads storage.' },
    filters: [
      {
        ...{ name: 'SizeFilter', description: 'Enough space.', reads },
        prepare: (_request, { hosts }) => ({
          passes: (host) => sizeOf(hosts.get(host)) >= 100,
          reason: (host) => ({ code: 'filter.refused', subject: 'space', need: 100, have: sizeOf(hosts.get(host)), unit: 'GiB' }),
        }),
      },
    ],
    weighers: [
      {
        ...{ name: 'SizeWeigher', description: 'Most space.', unit: 'GiB', reads },
        prepare:
          (_request, { hosts }) =>
          (host) =>
            sizeOf(hosts.get(host)),
      },
    ],
  })
  const own = gatherPlugins([plugin])
  const examined = (given: Given, level = COLLECTOR_STATES) => {
    const log = aLog(new Fleet({ plugins: own }))
    const about = Object.entries(given).flatMap(([name, document]) => (document === undefined ? [] : [aDocument('h1', name, document)]))
    log.append([{ type: 'feature', level }, aReport('h1'), ...about], { at: AT })
    const profile = (parts: object) => {
      const parsed = parseProfile({ name: 'mine', number: 1, filters: [], weighers: [], ...parts }, own)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
      return parsed.value
    }
    const request = aRequest({ vcpus: 1 })
    const filtered = examine(log.fleet, request, profile({ filters: [{ name: 'SizeFilter' }] }), 'seed')
    const weighed = examine(log.fleet, request, profile({ weighers: [{ name: 'SizeWeigher', multiplier: 1 }] }), 'seed')
    const check = filtered.checksOf(h1).find(({ filter }) => filter === 'SizeFilter')
    return { code: check?.reason?.code, facts: check?.facts?.map(({ actual }) => actual), missing: weighed.unscored[0]?.get(h1)?.code }
  }
  const paused = { collectors: collecting('storage', 'PAUSED') }

  test('does not show 0 for a host that does not send it', () => {
    expect(examined(paused)).toEqual({ code: 'namespace.not_sent', facts: ['paused'], missing: 'namespace.not_sent' })
  })

  test.each<[string, Given, number?]>([
    ['no collector produces it', {}],
    ['its collector sends', { collectors: collecting('storage', 'SENDING') }],
    ['the level is an earlier one', paused, 10],
  ])('keeps its own reason if %s', (_name, given, level) => {
    expect(examined(given, level)).toEqual({ code: 'filter.refused', facts: [0], missing: undefined })
  })
})
