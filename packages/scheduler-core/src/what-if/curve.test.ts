import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../profiles/built-in.ts'
import { aFleet, aRequest } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { curveOf } from './curve.ts'
import { type SimulatedRequest, simulate } from './simulate.ts'
import { fleetUseOf } from './utilisation.ts'

const profile = builtInProfiles.find(({ name }) => name === 'default') as (typeof builtInProfiles)[number]

const run = (hosts: Parameters<typeof aFleet>[0], ...requests: SimulatedRequest[]) =>
  atOnce(simulate(aFleet(hosts), { requests, profile, seed: 's', isOver: () => false }))

const vcpus = (usage: ReturnType<typeof fleetUseOf>) => usage.find(({ resourceClass }) => resourceClass === 'VCPU')?.used

describe('the curve of a simulation', () => {
  test('has the first point and a point for each decision if the limit allows that many points', () => {
    const simulated = run({ h1: { vcpus: 2 }, h2: { vcpus: 1 } }, { request: aRequest(), count: 5 })
    const curve = curveOf(simulated, 100)
    expect(curve.map(({ asked, placed, usage }) => [asked, placed, vcpus(usage)])).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 2],
      [3, 3, 3],
      [4, 3, 3],
      [5, 3, 3],
    ])
  })

  test('counts the instances of requests, not the requests', () => {
    const simulated = run({ h1: { vcpus: 5 } }, { request: aRequest({ numInstances: 2 }), count: 3 })
    expect(curveOf(simulated, 100).map(({ asked, placed }) => [asked, placed])).toEqual([
      [0, 0],
      [2, 2],
      [4, 4],
      [6, 4],
    ])
  })

  test.each([2, 3, 4, 7, 10, 11, 12])(
    'with a limit of %i points has the start, the end, and the point after which the first request fails',
    (most) => {
      const simulated = run({ h1: { vcpus: 4 }, h2: { vcpus: 3 } }, { request: aRequest(), count: 10 })
      const curve = curveOf(simulated, most)
      expect(curve.length).toBeLessThanOrEqual(most + 1)
      expect(curve[0]?.usage).toEqual(fleetUseOf(simulated.before))
      expect(curve.at(-1)).toEqual({ asked: 10, placed: simulated.placed, usage: fleetUseOf(simulated.after) })
      expect(curve.find(({ asked }) => asked === 7)).toMatchObject({ placed: 7 })
      expect(curve.map(({ asked }) => asked)).toEqual([...new Set(curve.map(({ asked }) => asked))].sort((a, b) => a - b))
    },
  )

  test('is constant if no request finds a host', () => {
    const curve = curveOf(run({ h1: { vcpus: 1 } }, { request: aRequest({ vcpus: 9 }), count: 3 }), 2)
    expect(curve.map(({ asked, placed }) => [asked, placed])).toEqual([
      [0, 0],
      [3, 0],
    ])
  })

  test('has only its first point if nothing was decided', () => {
    const simulated = atOnce(
      simulate(aFleet({ h1: {} }), { requests: [{ request: aRequest(), count: 3 }], profile, seed: 's', isOver: () => true }),
    )
    expect(curveOf(simulated, 5)).toHaveLength(1)
  })
})
