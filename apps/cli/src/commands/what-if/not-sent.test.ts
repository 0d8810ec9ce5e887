import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { useOwnService } from '../../testing/own-service.ts'

// What the command line says of hosts whose collectors do not send a namespace of the release (storage) and one of a plug-in (power).

const power = fileURLToPath(new URL('../../../../../examples/plugin-power', import.meta.url))
const own = useOwnService({ withFleet: false, settings: { GANTT_PLUGINS: `trusted:${power}` } })
const [volume, pool] = [randomUUID(), randomUUID()]

const parts = [
  { profile: 'near', filters: [{ name: 'VolumeAffinityFilter' }], weighers: [{ name: 'VolumeAffinityWeigher', multiplier: 1 }] },
  { profile: 'watts', filters: [{ name: 'WattsFilter' }], weighers: [{ name: 'WattsWeigher', multiplier: 1 }] },
]

beforeAll(async () => {
  const incarnation = randomUUID()
  const full = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 500, localGbUsed: 0 }
  const error = { code: 'TIME_LIMIT', text: 'it did not end within 10 s', at: '2026-11-20T12:00:00.000Z' }
  const collectors = ['storage', 'power'].map((namespace) => ({
    ...{ name: `my-${namespace}`, namespace, state: 'FAILING', since: '2026-11-20T12:00:00.000Z', error },
  }))
  const report = (host: string, of: object) => ({ name: { host }, reporter: { incarnation, sequence: 1 }, report: of })
  const about = (host: string, namespace: string, document: object) => report(host, { namespace: { namespace, version: '1.0', document } })
  const updates = [
    [report('failing', { full }), report('sends', { full })],
    [
      about('failing', 'collectors', { collectors }),
      about('sends', 'storage', { pools: [{ uuid: pool, name: 'fast' }], volumes: [{ uuid: volume, pool }] }),
      about('sends', 'power', { freeWatts: 900 }),
    ],
  ]
  const REPORT = 'mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }'
  for (const each of updates)
    expect(await own.service.client.request(REPORT, { updates: each })).toEqual({ updateResourceStats: { appliedCount: each.length } })
  const CREATE =
    'mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename } }'
  for (const { profile, filters, weighers } of parts)
    for (const [name, input] of [
      [profile, { note: '', filters, weighers: [] }],
      [`${profile}-weighed`, { note: '', filters: [], weighers }],
    ] as const)
      expect(await own.service.client.request(CREATE, { name, input })).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
})

test('gantt host show calls the namespaces not sent, and says why', async () => {
  const { out } = await own.run('host', 'show', 'failing')
  for (const namespace of ['storage', 'power'])
    expect(out).toMatch(new RegExp(`^${namespace} +- +- +not sent +collector my-${namespace}: failing,`, 'm'))
  // the agent of this host reports no collectors
  expect((await own.run('host', 'show', 'sends')).out).not.toContain('not sent')
})

describe.each([
  ['storage', 'near'],
  ['power', 'watts'],
])('the namespace %s', (namespace, profile) => {
  const sentence = `The host does not send the namespace ${namespace}: its collector is failing (TIME_LIMIT: it did not end within 10 s).`
  const spec = (...hosts: string[]): string => {
    const file = path.join(own.folder, `${profile}-${hosts.join()}.json`)
    const request = { flavor: { vcpus: 1, memoryMb: 64 }, schedulerHints: [{ key: 'near_volume', values: [volume] }] }
    const forced = hosts.length > 0 && { forceHosts: hosts, forceVerify: 'ALL' }
    writeFileSync(file, JSON.stringify({ ...request, ...forced }))
    return file
  }
  const words = (text: string): string => text.replace(/\s+/g, ' ')

  test('is called not sent by a simulation, a refusal and its explanation', async () => {
    const simulated = await own.run('simulate', '--spec', spec('failing'), '--profile', profile)
    expect([words(simulated.out), simulated.err, simulated.code]).toEqual([expect.stringContaining(sentence), '', 1])
    const refused = await own.run('select', '--spec', spec('failing'), '--profile', profile, '--json')
    expect(refused.code).toBe(1)
    const { decision } = JSON.parse(refused.out.trim().split('\n').at(-1) ?? '{}')
    const explained = await own.run('explain', decision.id, '--verdicts')
    expect(words(explained.out)).toContain(sentence)
    expect(words((await own.run('why-not', decision.id, 'failing')).out)).toContain(sentence)
  })

  test('is named with the score of a host that does not send it', async () => {
    const placed = await own.run('select', '--spec', spec(), '--profile', `${profile}-weighed`, '--advice', '--json')
    const { decision } = JSON.parse(placed.out.trim().split('\n').at(-1) ?? '{}')
    const explained = await own.run('explain', decision.id)
    expect(words(explained.out)).toContain(`(its value is not known: ${sentence})`)
  })
})
