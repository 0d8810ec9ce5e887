import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, startTestService, type TestService } from '../../testing/test-service.ts'
import { casesOn } from './testing/field-cases.ts'

// These tests repeat situations from public bug reports that this service handles correctly. Each title begins with our label for the
// report and the public number of the report.

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const { select, hostsOf, claimOf, zone, confirm, release, stateOf, fenceOf, setStatus, placed, move } = casesOn(() => api)

describe('moves of public bug reports', () => {
  test('A02 LP 1797580: the host that was named for a cold migration does not restrict later moves', async () => {
    const az = await zone('a02', { 'a02-1': {}, 'a02-2': {}, 'a02-3': {} })
    const first = await placed({ ...az, forceHosts: ['a02-1'] })
    const named = await move(first, 'COLD_MIGRATE', { ...az, requestedDestination: { host: 'a02-2' } })
    expect(hostsOf(named)).toEqual(['a02-2'])
    await confirm(claimOf(named))
    await setStatus('a02-1', 'DISABLED')
    const free = await move({ id: claimOf(named).id, fence: await fenceOf(claimOf(named).id) }, 'LIVE_MIGRATE', az)
    expect(hostsOf(free)).toEqual(['a02-3'])
  })

  test('A05 LP 1702454: an evacuation to a named host that is full is refused, and does not use another host', async () => {
    const az = await zone('a05', { 'a05-1': {}, 'a05-2': { vcpusUsed: 16 }, 'a05-3': {} })
    const claim = await placed({ ...az, forceHosts: ['a05-1'] })
    const answer = await move(claim, 'EVACUATE', { ...az, requestedDestination: { host: 'a05-2' } })
    expect(answer).toMatchObject({ __typename: 'NoValidHost' })
    expect(answer.message).toContain('a05-2')
  })

  test.each(['DISABLED', 'DRAINING', 'MAINTENANCE'])('A20 LP 1938326: an instance can move away from a host that is %s', async (status) => {
    const name = `a20-${status.toLowerCase()}`
    const az = await zone(name, { [`${name}-1`]: {}, [`${name}-2`]: {} })
    const claim = await placed({ ...az, forceHosts: [`${name}-1`] })
    await setStatus(`${name}-1`, status)
    expect(hostsOf(await move(claim, 'COLD_MIGRATE', az))).toEqual([`${name}-2`])
  })

  test('D07 kubernetes 116629: a member of a group can move within a full domain, because it leaves its own place', async () => {
    const group = { uuid: randomUUID(), policy: 'ANTI_AFFINITY' }
    const az = await zone('d07', { 'd07-1': {}, 'd07-2': {} })
    const spread = { instanceGroup: group, topologySpread: [{ topologyKey: 'zone', maxPerDomain: 1 }] }
    const claim = await placed({ ...az, ...spread })
    const [from] = hostsOf(await move(claim, 'LIVE_MIGRATE', { ...az, ...spread })) ?? []
    expect(from).toMatch(/^d07-/)
  })

  test('Z10: the source claim of an open move stays if the destination claim is released, and ends if the destination claim is confirmed', async () => {
    const az = await zone('z10', { 'z10-1': {}, 'z10-2': {} })
    const source = await placed({ ...az, forceHosts: ['z10-1'] })
    const away = claimOf(await move(source, 'COLD_MIGRATE', az))
    await release(away)
    expect([await stateOf(source.id), await stateOf(away.id)]).toEqual(['CONFIRMED', 'RELEASED'])
    const again = claimOf(await move({ id: source.id, fence: await fenceOf(source.id) }, 'COLD_MIGRATE', az))
    await confirm(again)
    expect([await stateOf(source.id), await stateOf(again.id)]).toEqual(['RELEASED', 'CONFIRMED'])
  })

  test('Z01 and Z30: if a resize, a confirmation and a release happen at once, releasing the remaining claims frees all resources', async () => {
    const az = await zone('z30', { 'z30-1': { vcpus: 2 } })
    for (let round = 0; round < 5; round++) {
      const claim = await placed(az)
      const outcomes = await Promise.all([
        move(claim, 'RESIZE', { ...az, flavor: { vcpus: 2, memoryMb: 64 } }),
        confirm(claim),
        release(claim),
      ])
      expect(outcomes).toHaveLength(3)
      const live = await dataOf(api, `{ claims(query: "host:z30-1 state:RESERVED,CONFIRMED", first: 9) { nodes { id fence } } }`)
      for (const { id, fence } of live.claims.nodes) await release({ id, fence })
    }
    expect(hostsOf(await select({ ...az, flavor: { vcpus: 2, memoryMb: 64 } }))).toEqual(['z30-1'])
  })
})
