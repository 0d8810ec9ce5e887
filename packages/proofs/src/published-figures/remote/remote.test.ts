import { createClient } from '@gantt/client'
import { type Profile, parseHostStats, parseProfile, parseRequestSpec } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import type { Driver, Placement } from '../driver.ts'
import { createInProcessDriver } from '../in-process.ts'
import type { OpenbNode } from '../openb/nodes.ts'
import { runOpenb } from '../openb/openb.ts'
import type { OpenbPod } from '../openb/pods.ts'
import { createRemoteDriver, RemoteError, type RemoteReplica } from './remote.ts'

const ok = <Value>(parsed: { ok: true; value: Value } | { ok: false; problems: readonly { message: string }[] }): Value => {
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

/**
 * Converts a profile of the API to the core's form. Its enum values, which the API has in capitals, are replaced by fixed ones, which fit
 * the profiles of these tests.
 */
const profileOf = (input: object): Profile =>
  ok(parseProfile({ ...input, name: 'run', number: 1, normalisation: 'fixed', tieOrder: 'first-seen', scheduler: 'filter' }))

interface Input {
  readonly idempotencyKey?: string
  readonly updates?: readonly { readonly name: { readonly host: string }; readonly report: { readonly full: unknown } }[]
  readonly spec?: { readonly gantt: { readonly flavor: { readonly extraSpecs: readonly { key: string; value: string }[] } } }
  readonly profile?: string
}

/** A fake service for a replay that decides with the same core. It answers the calls and counts the live claims. */
function aService() {
  const core: Driver = createInProcessDriver({ seed: 'service' })
  const live = new Map<string, Placement & { milli: number }>()
  const hosts: string[] = []
  const keys: string[] = []
  const calls: string[] = []
  let aggregates = 0
  const answer = async (name: string, variables: { input: Input; claims: readonly { id: string }[] }): Promise<unknown> => {
    const { input } = variables
    if (name === 'Report') {
      const reported = (input.updates ?? []).map(({ name: { host }, report: { full } }) => {
        const { hypervisorType, hypervisorVersion, hypervisorHostname, ...stats } = full as Record<string, unknown>
        return { name: host, stats: ok(parseHostStats(stats)) }
      })
      const isNew = !hosts.includes(reported[0]?.name ?? '')
      if (isNew) {
        await core.reportHosts(reported)
        hosts.push(...reported.map(({ name }) => name))
      }
      return {
        updateResourceStats: { results: reported.map(() => ({ __typename: isNew ? 'ResourceStatsApplied' : 'ResourceStatsStale' })) },
      }
    }
    if (name === 'Gather') return { aggregateCreate: { __typename: 'AggregatePayload', aggregate: { uuid: 'u', version: ++aggregates } } }
    if (name === 'Scatter') return { aggregateDelete: { __typename: --aggregates === 0 ? 'AggregatePayload' : 'NotFound' } }
    if (name === 'Write') {
      // The API has enum values in capitals, and the core has them in lower case.
      const { name: _, number: __, ...parts } = profileOf(input)
      await core.writeProfile(parts)
      return { profileVersionCreate: { __typename: 'ProfilePayload' } }
    }
    if (name === 'Release') {
      for (const { id } of variables.claims) live.delete(id)
      return { claimRelease: variables.claims.map(() => ({ __typename: 'ClaimPayload' })) }
    }
    if (name === 'Shown') return { hosts: { pageInfo: { hasNextPage: false, endCursor: null }, nodes: shownHosts([...live.values()]) } }
    keys.push(input.idempotencyKey ?? '')
    const { flavor, requestedDestination: _aggregate, ...rest } = (input.spec?.gantt ?? {}) as Record<string, unknown>
    const extraSpecs = Object.fromEntries((input.spec?.gantt.flavor.extraSpecs ?? []).map(({ key, value }) => [key, value]))
    const request = ok(parseRequestSpec({ ...rest, flavor: { ...(flavor as object), extraSpecs } }))
    const placement = await core.place(request, input.profile?.startsWith('run') ? 'replay' : (input.profile ?? ''))
    if (placement === undefined) return { selectDestinations: { __typename: 'NoValidHost', message: 'none' } }
    live.set(placement.claim.id, { ...placement, milli: request.gpus?.shareMilli ?? 0 })
    const claim = { id: placement.claim.id, fence: placement.claim.fence, gpus: placement.gpus.map((index) => ({ index })) }
    const selected = { host: { name: placement.host }, claim }
    return { selectDestinations: { __typename: 'SelectDestinationsPayload', destinations: [{ selected }] } }
  }
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { query, variables } = JSON.parse(String(init?.body))
    const name = /(?:mutation|query) (\w+)/.exec(query)?.[1] ?? ''
    calls.push(name)
    return Response.json({ data: await answer(name, variables) })
  }
  return { fetch: fetch as typeof globalThis.fetch, live, keys, calls, aggregates: () => aggregates }
}

/** The hosts of `nodes` with these placements. Every pod in these tests uses 1 MiB, a tenth of a core, and one GPU or a share of it. */
const shownHosts = (live: readonly (Placement & { milli?: number })[]) =>
  nodes.map(({ name, cpuMilli, memoryMib, gpus }) => {
    const here = live.filter(({ host }) => host === `run-1-${name}`)
    return {
      name: `run-1-${name}`,
      capacity: [
        { resourceClass: 'CUSTOM_CPU_MILLI', free: cpuMilli - 100 * here.length },
        { resourceClass: 'MEMORY_MB', free: memoryMib - here.length },
      ],
      gpus: Array.from({ length: gpus }, (_, index) => ({
        index,
        freeMilli: here.filter((placement) => placement.gpus.includes(index)).reduce((left, { milli = 0 }) => left - milli, 1_000),
      })),
    }
  })

/** A replica without counters of proposals. */
const aReplica = (fetch: typeof globalThis.fetch): RemoteReplica => ({
  client: createClient({ url: 'http://service/graphql', fetch }),
  effort: async () => ({ counted: 0, fruitless: {} }),
})

const nodes = ['n1', 'n2', 'n3'].map((name): OpenbNode => ({ name, cpuMilli: 8_000, memoryMib: 1_024, gpus: 2, gpuModel: 'G' }))
const pods = Array.from(
  { length: 12 },
  (_, i): OpenbPod => ({ name: `p${i}`, cpuMilli: 100, memoryMib: 1, gpus: 1, gpuMilliEach: i % 3 === 0 ? 1_000 : 400, gpuModels: [] }),
)

test.each(['first-fit', 'best-fit', 'fgd', 'gpu-clustering'])(
  '%s gives the same placements through a service, and leaves no claims and no aggregate',
  async (profile) => {
    const service = aService()
    const options = { nodes, pods, profile, scale: 1, seed: 3 }
    const replicas = [aReplica(service.fetch)]
    const remote = await runOpenb({ ...options, createDriver: () => createRemoteDriver({ replicas, run: 'run-1' }) })
    const { effort: _, placingMs: __, ...local } = await runOpenb({ ...options, createDriver: (seed) => createInProcessDriver({ seed }) })
    expect(remote).toMatchObject(local)
    expect([service.live.size, service.aggregates()]).toEqual([0, 0])
    expect(service.calls.filter((name) => name === 'Place')).toHaveLength(remote.pods)
  },
)

test('a refusal is reported with the message of the service', async () => {
  const answer = { aggregateCreate: { __typename: 'ValidationError', message: 'name is taken' } }
  const fetch = async () => Response.json({ data: { ...answer, updateResourceStats: { results: [] } } })
  const driver = createRemoteDriver({ replicas: [aReplica(fetch)], run: 'run-1' })
  const refused = Promise.resolve(driver.reportHosts([])).catch((error: unknown) => error)
  expect(await refused).toBeInstanceOf(RemoteError)
  expect(String(await refused)).toContain('the service answered ValidationError: name is taken')
})

test('calls alternate between replicas, an unanswered call is retried with its key on the next replica, and counts start at 0', async () => {
  const service = aService()
  let cut = 3
  const asked = [0, 0]
  const replicas = asked.map((_none, at): RemoteReplica => {
    const fetch: typeof globalThis.fetch = async (url, init) => {
      asked[at] = (asked[at] ?? 0) + 1
      if (String(init?.body).includes('mutation Place') && --cut === 0) throw new TypeError('fetch failed')
      return service.fetch(url, init)
    }
    let looks = 0
    return { ...aReplica(fetch), effort: async () => ({ counted: 10 * ++looks, fruitless: { 'claim.no_room': looks + 1 } }) }
  })
  const options = { nodes, pods, profile: 'first-fit', scale: 1, seed: 3, concurrency: 4 }
  const result = await runOpenb({ ...options, createDriver: () => createRemoteDriver({ replicas, run: 'run-1' }) })
  expect(result).toMatchObject({
    overCommits: [],
    differences: [],
    effort: { counted: 20, fruitless: { 'claim.no_room': 2 }, repeated: 1 },
  })
  expect(new Set(service.keys).size).toBe(result.pods)
  expect(Math.abs((asked[0] ?? 0) - (asked[1] ?? 0))).toBeLessThanOrEqual(3)
})
