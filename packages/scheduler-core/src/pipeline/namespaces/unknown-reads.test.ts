import { describe, expect, test } from 'vitest'
import { noPlugins, type Plugins } from '../../contracts/plugins.ts'
import { Fleet } from '../../fleet/fleet.ts'
import type { Profile } from '../../records/profile.ts'
import { aDocument, aLog, aReport } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { COLLECTOR_STATES } from '../../values/levels.ts'
import { parseProfile } from '../compile.ts'
import { requiredStats, servedProfiles } from '../required-stats.ts'
import { AT, plugins } from './read-namespaces.suite.ts'

/** The rule: a service that does not know what a profile in use reads never reports to a reporter that something is not read. */

const collectors = ['power', 'storage'].map((namespace) => ({
  name: namespace,
  namespace,
  state: 'PAUSED',
  since: new Date(AT).toISOString(),
}))

/** What a service with these plug-ins answers to the host h1, while a profile with these parts is in use. */
function answerOf(loaded: Plugins, parts: object, unlike?: ReadonlySet<string>) {
  const parsed = parseProfile({ name: 'mine', number: 1, filters: [], weighers: [], collects: ['classes'], ...parts }, plugins)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const profile: Profile = parsed.value
  const log = aLog(new Fleet({ plugins: loaded }))
  log.append([{ type: 'feature', level: COLLECTOR_STATES }, aReport('h1'), { type: 'profile', profile }])
  log.append([{ type: 'activate', name: 'mine', number: 1 }, aDocument('h1', 'collectors', { collectors }), aDocument('h1', 'grid', {})])
  const { hosts, profiles } = log.fleet
  const served = servedProfiles(profiles).filter(({ name }) => name === 'mine')
  const [compute, ...others] = requiredStats(log.fleet, served, hosts.get(0 as HostIndex), unlike)
  return { omittable: compute?.omittable, read: others.map(({ namespace }) => namespace), others }
}

describe.each([
  ['a filter', { filters: [{ name: 'WattsFilter' }] }],
  ['a filter in shadow mode', { filters: [{ name: 'WattsFilter', shadow: true }] }],
  ['a weigher', { weighers: [{ name: 'WattsWeigher', multiplier: 1 }] }],
])('while a profile in use names %s of a plug-in', (_kind, parts) => {
  test('a service with the plug-in lists exactly what it reads', () => {
    const { omittable, read } = answerOf(plugins, parts)
    expect(read).toEqual(['power'])
    expect(omittable).toContain('gpus')
  })

  test('a service with the plug-in lists everything that the host could send, while another replica has another version of the plug-in', () => {
    const [{ name: plugin = '' } = {}] = plugins.list
    const { omittable, read, others } = answerOf(plugins, parts, new Set([plugin]))
    expect(omittable).toEqual([])
    expect(read.sort()).toEqual(['attestation', 'grid', 'network', 'power', 'storage'])
    const fields = others.find(({ namespace }) => namespace === 'power')?.fields.map(({ field }) => field)
    // what this service reads is listed too
    expect(fields).toEqual(['freeWatts', '*'])
    // another plug-in says nothing about this one
    expect(answerOf(plugins, parts, new Set(['another']))).toEqual(answerOf(plugins, parts))
  })

  test('a service without the plug-in lists everything that the host could send', () => {
    const { omittable, read, others } = answerOf(noPlugins, parts)
    expect(omittable).toEqual([])
    expect(read.sort()).toEqual(['attestation', 'grid', 'network', 'power', 'storage'])
    const part = 'filters' in parts ? 'WattsFilter' : 'WattsWeigher'
    expect(others.find(({ namespace }) => namespace === 'power')?.fields).toEqual([{ field: '*', neededBy: [{ profile: 'mine@1', part }] }])
  })
})

test('a profile without parts of plug-ins needs no more on a service without them', () => {
  const parts = { filters: [{ name: 'ComputeFilter' }] }
  expect(answerOf(noPlugins, parts)).toEqual(answerOf(plugins, parts))
  expect(answerOf(noPlugins, parts).omittable).not.toHaveLength(0)
})
