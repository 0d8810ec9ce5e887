import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { expect, test } from '../fixtures.ts'
import { report } from '../seed.ts'
import { addressOf } from './explained.ts'

// Hosts whose collectors do not send a namespace of the release (storage) and one of a plug-in (power).

const since = '2026-11-20T12:00:00.000Z'
const error = { code: 'CRASHED', text: 'no sensor', at: since }
const parts = [
  { namespace: 'storage', filter: 'VolumeAffinityFilter', weigher: 'VolumeAffinityWeigher' },
  { namespace: 'power', filter: 'WattsFilter', weigher: 'WattsWeigher' },
]

/** Reports two hosts: the collectors of `failing` fail, and `sends` sends both namespaces. Returns a volume in the pool of `sends`. */
async function reportHosts(client: Client, { failing, sends }: Readonly<Record<'failing' | 'sends', string>>): Promise<string> {
  await report(client, { [failing]: {}, [sends]: {} })
  const [volume, pool, incarnation] = [randomUUID(), randomUUID(), randomUUID()]
  const collectors = parts.map(({ namespace }) => ({ name: namespace, namespace, state: 'FAILING', since, error }))
  const documents = [
    [failing, 'collectors', { collectors }],
    [sends, 'storage', { pools: [{ uuid: pool, name: 'fast' }], volumes: [{ uuid: volume, pool }] }],
    [sends, 'power', { freeWatts: 900 }],
  ] as const
  const { updateResourceStats } = await client.request<{ updateResourceStats: { appliedCount: number } }>(
    'mutation Report($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }',
    {
      updates: documents.map(([host, namespace, document]) => ({
        name: { host },
        reporter: { incarnation, sequence: 1 },
        report: { namespace: { namespace, version: '1.0', document } },
      })),
    },
  )
  expect(updateResourceStats.appliedCount).toBe(documents.length)
  return volume
}

async function createProfile(client: Client, name: string, input: object): Promise<void> {
  const { profileVersionCreate } = await client.request<{ profileVersionCreate: { __typename: string } }>(
    'mutation Create($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename } }',
    { name, input: { note: '', filters: [], weighers: [], ...input } },
  )
  expect(profileVersionCreate.__typename).toBe('ProfilePayload')
}

for (const { namespace, filter, weigher } of parts)
  test(`an explanation and a simulation say that the namespace ${namespace} is not sent`, async ({ page, visit, service }) => {
    const { client } = service
    const [failing, sends] = [`${namespace}-failing`, `${namespace}-sends`]
    const volume = await reportHosts(client, { failing, sends })
    await createProfile(client, `${namespace}-filter`, { filters: [{ name: filter }] })
    await createProfile(client, `${namespace}-weigher`, { weighers: [{ name: weigher, multiplier: 1 }] })
    const sentence = `The host does not send the namespace ${namespace}: its collector is failing (CRASHED: no sensor).`
    const select = async (profile: string, hosts: readonly string[]): Promise<string> => {
      const spec = {
        flavor: { vcpus: 1, memoryMb: 64 },
        schedulerHints: [{ key: 'near_volume', values: [volume] }],
        ...{ forceHosts: hosts, forceVerify: 'ALL' },
      }
      const { selectDestinations } = await client.request<{ selectDestinations: { decision: { id: string } } }>(
        `mutation Select($input: SelectDestinationsInput!) { selectDestinations(input: $input) {
          ... on SelectDestinationsPayload { decision { id } } ... on NoValidHost { decision { id } } } }`,
        { input: { idempotencyKey: randomUUID(), profile, spec: { gantt: spec } } },
      )
      return selectDestinations.decision.id
    }

    await visit(addressOf(await select(`${namespace}-filter`, [failing])))
    await expect(page.getByRole('main')).toContainText(sentence)

    await visit(addressOf(await select(`${namespace}-weigher`, [failing, sends])))
    const weights = page.getByRole('region', { name: 'Weights' })
    await expect(weights.locator(`[data-host="${failing}"]`)).toContainText('not known')
    await expect(weights.locator(`[data-host="${failing}"] [title^="${sentence}"]`)).toBeVisible()
    await expect(weights.locator(`[data-host="${sends}"]`)).not.toContainText('not known')

    const request = {
      flavor: { vcpus: 1, memoryMb: 64 },
      schedulerHints: { near_volume: [volume] },
      forceHosts: [failing],
      forceVerify: 'ALL',
    }
    await visit(`/simulate?profile=${namespace}-filter&request=${encodeURIComponent(JSON.stringify(request))}`)
    await expect(page.getByRole('region', { name: 'Outcome' })).toContainText(sentence)
  })
