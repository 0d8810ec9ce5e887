import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
const GROUP = randomUUID()
const LISTED = randomUUID()

beforeAll(async () => {
  api = await startTestService()
  const small = { vcpus: 4, memoryMb: 8_192 }
  await api.report({ full: small, spare: { vcpus: 4, memoryMb: 12_288 }, tiny: { vcpus: 2, memoryMb: 2_048 } })
  const place = async (host: string, gantt: Record<string, unknown>) =>
    expect(await placeWith(api, { claim: { mode: 'CONFIRM' } }, { forceHosts: [host], ...gantt })).toMatchObject({
      destinations: [{ selected: { host: { name: host } } }],
    })
  await place('full', { flavor: { vcpus: 1, memoryMb: 4_096 }, instanceUuids: [LISTED] })
  await place('full', { flavor: { vcpus: 1, memoryMb: 2_048 }, instanceGroup: { uuid: GROUP, policy: 'ANTI_AFFINITY' } })
  await place('spare', { flavor: { vcpus: 1, memoryMb: 2_048 }, instanceGroup: { uuid: GROUP, policy: 'ANTI_AFFINITY' } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const DRAIN = `drain { moved stuck withoutClaims instances { instanceUuid fromHost toHost message reasons { code hosts } } }`
const SIMULATE = `query ($in: SimulateInput!) { simulate(input: $in) { placed failed ${DRAIN}
  decisions { destinations { hostName } } utilisationAfter { usage { resourceClass used claimed } } } }`
const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 1_024 } } }

const simulate = async (overlay: Record<string, unknown>, asked = spec): Promise<Json> =>
  (await dataOf(api, SIMULATE, { in: { requests: [{ spec: asked }], overlay } })).simulate

const memoryOf = ({ utilisationAfter }: Json): number =>
  utilisationAfter
    .flatMap(({ usage }: Json) => usage)
    .filter(({ resourceClass }: Json) => resourceClass === 'MEMORY_MB')
    .reduce((sum: number, { used }: Json) => sum + used, 0)

const logAndClaims = async () => {
  const { fleet, claims } = await dataOf(api, '{ fleet { asOf } claims { totalCount nodes { id state host { name } } } }')
  return [fleet.asOf, claims]
}

describe('hosts that a simulation drains', () => {
  test('instances on a drained host move if another host fits them; the others stay with a reason and hold nothing on other hosts', async () => {
    const before = await logAndClaims()
    const { drain } = await simulate({ drainHosts: ['full'] })
    expect(drain).toMatchObject({ moved: 2, stuck: 0, withoutClaims: 0 })
    // the instance without a uuid is a group member, so it moves to `tiny`, where the group has no other member
    expect(drain.instances.map(({ instanceUuid, fromHost, toHost }: Json) => [instanceUuid, fromHost, toHost])).toEqual([
      [LISTED, 'full', 'spare'],
      [null, 'full', 'tiny'],
    ])
    expect(await logAndClaims()).toEqual(before)
  })

  test('instances that fit nowhere else stay on a drained host', async () => {
    const { drain } = await simulate({ drainHosts: ['full'], disableHosts: ['tiny'] })
    expect(drain).toMatchObject({ moved: 1, stuck: 1 })
    const [stuck] = drain.instances.filter(({ toHost }: Json) => toHost === null)
    expect(stuck.message).toMatch(/No host/)
    expect(stuck.reasons).toContainEqual({ code: 'group.anti_affinity', hosts: 1 })
  })

  test('drained hosts get no instances from each other, because they accept no new instances', async () => {
    const { drain, placed } = await simulate({ drainHosts: ['full', 'spare', 'tiny'] })
    expect([drain.moved, drain.stuck, placed]).toEqual([0, 3, 0])
  })

  test('moved instances use resources of other hosts, so that a request that fits without the drain can fail', async () => {
    const asked = { gantt: { flavor: { vcpus: 1, memoryMb: 8_192 } } }
    expect((await simulate({ disableHosts: ['full'] }, asked)).placed).toBe(1)
    expect((await simulate({ drainHosts: ['full'] }, asked)).placed).toBe(0)
  })

  test('instances can move to hosts that the same overlay adds, and use resources there', async () => {
    const { drain } = await simulate({ drainHosts: ['spare'], disableHosts: ['tiny', 'full'], addHosts: [{ likeHost: 'spare' }] })
    expect(drain.instances).toMatchObject([{ fromHost: 'spare', toHost: 'spare+1' }])
  })

  test('a host that the overlay removes is not drained, because its instances are removed with it', async () => {
    const drained = await simulate({ drainHosts: ['full'] })
    const removed = await simulate({ removeHosts: ['full'] })
    expect(removed.drain).toBeNull()
    expect(memoryOf(drained) - memoryOf(removed)).toBe(4_096 + 2_048)
  })

  test('capacity and whatWouldFit drain hosts as simulate does, and a repeated query gets the same answer', async () => {
    const overlay = { drainHosts: ['full'] }
    const capacity = async (edits: object): Promise<Json> =>
      (await dataOf(api, `query ($in: CapacityInput!) { capacity(input: $in) { fits ${DRAIN} } }`, { in: { spec, overlay: edits } }))
        .capacity
    const counted = await capacity(overlay)
    expect(counted.drain.moved).toBe(2)
    expect(counted.fits).toBeLessThan((await capacity({ disableHosts: ['full'] })).fits)
    expect(await capacity(overlay)).toEqual(counted)
    const wanted = { gantt: { flavor: { vcpus: 1, memoryMb: 8_192 } } }
    const { whatWouldFit } = await dataOf(
      api,
      `query ($in: WhatWouldFitInput!) { whatWouldFit(input: $in) { fits ${DRAIN} counterfactuals { simulation } } }`,
      { in: { spec: wanted, overlay, kinds: ['REQUEST'] } },
    )
    expect([whatWouldFit.fits, whatWouldFit.drain.moved]).toEqual([false, 2])
    const again = (await dataOf(api, SIMULATE, { in: whatWouldFit.counterfactuals[0].simulation })).simulate
    expect([again.failed, again.drain.moved]).toEqual([0, 2])
  })

  test('instances that a drained host reports without a claim stay there', async () => {
    await api.report({ old: { vcpusUsed: 3, memoryMbUsed: 1_024, runningVms: 3 } })
    expect((await simulate({ drainHosts: ['old'] })).drain).toMatchObject({ moved: 0, stuck: 0, withoutClaims: 3, instances: [] })
  })

  test('instances with claims move even if the report of the drained host lists them', async () => {
    const instance = randomUUID()
    await api.report({ ran: { vcpus: 4, memoryMb: 8_192 } })
    await placeWith(
      api,
      { claim: { mode: 'CONFIRM' } },
      { flavor: { vcpus: 1, memoryMb: 1_024 }, forceHosts: ['ran'], instanceUuids: [instance] },
    )
    await api.report({ ran: { vcpus: 4, memoryMb: 8_192, vcpusUsed: 1, memoryMbUsed: 1_024, runningVms: 1, instances: [instance] } })
    const { drain } = await simulate({ drainHosts: ['ran'] })
    expect(drain).toMatchObject({ moved: 1, stuck: 0, withoutClaims: 0, instances: [{ instanceUuid: instance, fromHost: 'ran' }] })
  })

  test.each([
    ['an unknown host', { drainHosts: ['ghost'] }, ['input', 'overlay', 'drainHosts', '0']],
    ['a host that is also enabled', { drainHosts: ['full'], enableHosts: ['full'] }, ['input', 'overlay', 'enableHosts', '0']],
  ])('a drain of %s is refused with the path of this host', async (_what, overlay, path) => {
    const answer = await api.ask(SIMULATE, { in: { requests: [{ spec }], overlay } })
    expect(codeOf(answer)).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(answer.errors[0]?.extensions.path).toEqual(path)
  })
})
