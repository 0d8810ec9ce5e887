import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

const own = useOwnService()
const { run } = own

interface Findings {
  readonly violations: number
  readonly findings: readonly { readonly id: string; readonly code: string; readonly host: string; readonly severity: string }[]
}

async function findingOn(host: string): Promise<Findings['findings'][number] | undefined> {
  return oneLine<Findings>(await run('findings', '--json')).findings.find((one) => one.host === host)
}

test('a host whose report lists no instances is a finding; its repair is previewed and then applied', async () => {
  const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }
  const update = { name: { host: 'mute' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full: machine } }
  const { client } = own.service
  await client.request('mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount } }', {
    u: [update],
  })
  const gantt = { forceHosts: ['mute'], instanceUuids: [randomUUID()], flavor: { vcpus: 2, memoryMb: 1_024 } }
  await client.request('mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename } }', {
    in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } },
  })
  await expect.poll(() => findingOn('mute')).toMatchObject({ code: 'use.no_instances', severity: 'WARNING' })
  const { id = '' } = (await findingOn('mute')) ?? {}
  const all = await run('findings')
  expect([all.code, widthOf(all.out) <= 80]).toEqual([1, true])
  const text = all.out.replaceAll(/\s+/g, ' ')
  expect(text).toContain('WARNING use.no_instances: host mute, instances: expected at least 1, found not listed, since 20')
  expect(text).toMatch(new RegExp(`findings --repair ${id} --reason TEXT --dry-run`))
  expect(text).toMatch(/0 violations since 20\S+Z, in \d+ checks of \d+ rounds?; \d+ warnings?, \d+ notices?; last full check/)
  const tried = await run('findings', '--repair', id, '--reason', 'its agent lists nothing', '--dry-run')
  expect([tried.code, tried.out]).toEqual([0, expect.stringContaining('host mute usedFrom: nothing, then "CLAIMS"')])
  expect(tried.out).toMatch(/nothing was\s+changed\.\n$/)
  expect(await findingOn('mute')).toBeDefined()
  const made = await run('findings', '--repair', id, '--reason', 'its agent lists nothing')
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(/Repaired at revision \d+: \d+ differences\.\n$/)])
  await expect.poll(() => findingOn('mute')).toBeUndefined()
})

test('a finding with several repairs lists them, and the chosen one is applied with the given size of the instance', async () => {
  const machine = { vcpus: 16, vcpusUsed: 4, memoryMb: 65_536, memoryMbUsed: 2_048, localGb: 1_024, localGbUsed: 0 }
  const instances = [randomUUID(), randomUUID()]
  const full = { ...machine, instances }
  const update = { name: { host: 'ghosts' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full } }
  await own.service.client.request(
    'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount } }',
    { u: [update] },
  )
  await expect.poll(() => findingOn('ghosts')).toMatchObject({ code: 'instance.unclaimed' })
  const { id = '' } = (await findingOn('ghosts')) ?? {}
  const text = (await run('findings')).out.replaceAll(/\s+/g, ' ')
  for (const one of instances) expect(text).toContain(`instance:${one}: Create a claim for instance ${one} on ghosts.`)
  expect(text).toContain(`findings --repair ${id} --reason TEXT --choose OPTION --vcpus N --memory MIB --dry-run`)
  const words = ['findings', '--repair', id, '--reason', 'it stays', '--dry-run']
  expect(await run(...words)).toMatchObject({ code: 1, err: expect.stringMatching(/Choose one of/) })
  const chosen = ['--choose', `instance:${instances[1]}`]
  expect(await run(...words, ...chosen)).toMatchObject({ code: 1, err: expect.stringMatching(/State the size/) })
  const sized = [...words, ...chosen, '--vcpus', '2', '--memory', '1024']
  const tried = await run(...sized)
  expect([tried.code, tried.out]).toEqual([0, expect.stringContaining('host ghosts claims: [], then')])
  const owned = sized.filter((word) => word !== '--dry-run')
  expect((await run(...owned, '--project', 'theirs', '--account', 'their-account')).code).toBe(0)
  const { claims } = await own.service.client.request<{ readonly claims: { readonly nodes: readonly object[] } }>(
    '{ claims(first: 5, query: "host:ghosts") { nodes { account } } }',
  )
  expect(claims.nodes).toEqual([{ account: 'their-account' }])
  // A project has at most one live claim for an instance, even if the calls come from different callers.
  const gantt = { instanceUuids: [instances[1]], projectId: 'theirs', flavor: { vcpus: 1, memoryMb: 64 } }
  const { selectDestinations } = await own.service.client.request<{ readonly selectDestinations: { readonly __typename: string } }>(
    'mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename } }',
    { in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } } },
  )
  expect(selectDestinations).toEqual({ __typename: 'InstanceTaken' })
})

test.each([
  ['a choice without a repair', ['findings', '--choose', 'host:a'], 2],
  ['a size without memory', ['findings', '--repair', 'x', '--reason', 'x', '--vcpus', '2'], 2],
  ['a reason without a repair', ['findings', '--reason', 'x'], 2],
  ['a repair without a reason', ['findings', '--repair', 'x'], 2],
  ['a finding that does not exist', ['findings', '--repair', '0000000000000000', '--reason', 'x'], 2],
])('%s is refused', async (_, words, code) => {
  expect(await run(...words)).toMatchObject({ out: '', code })
})
