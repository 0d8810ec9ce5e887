import { describe, expect, test } from 'vitest'
import { aHostState, aNovaRequest, anAggregate } from '../testing/builders.ts'
import { chooseWeigher, findNovaWeigher } from './options.ts'
import { weighHosts } from './weigh.ts'

const ram = (config = {}) => chooseWeigher(findNovaWeigher('nova.scheduler.weights.ram.RAMWeigher'), config)
const hosts = (...free: readonly number[]) => free.map((freeRamMb) => aHostState({ freeRamMb }))

describe('the total weight of a host', () => {
  test("scores are normalised from the weigher's minval and not from the lowest raw score, so that equal hosts all get 1", () => {
    expect(weighHosts([ram()], aNovaRequest(), hosts(512, 512)).totals).toEqual([1, 1])
  })

  test('the total is 0 for all hosts if all raw scores are equal to minval', () => {
    expect(weighHosts([ram()], aNovaRequest(), hosts(0, -5)).runs[0]).toMatchObject({ raw: [0, 0], normalised: [0, 0] })
  })

  test('the total is 0 for a single host, because no weigher runs', () => {
    const metrics = chooseWeigher(findNovaWeigher('MetricsWeigher'), { 'metrics.weight_setting': ['gone=1'] })
    expect(weighHosts([metrics], aNovaRequest(), hosts(1))).toEqual({ totals: [0], runs: [] })
    expect(() => weighHosts([metrics], aNovaRequest(), hosts(1, 2))).toThrow('gone')
  })

  test("the multiplier is the lowest one in the host's aggregates, or the option if a value is invalid", () => {
    const own = aHostState({
      freeRamMb: 10,
      aggregates: [anAggregate('a', { ram_weight_multiplier: '3' }), anAggregate('b', { ram_weight_multiplier: '-2.5' })],
    })
    const odd = aHostState({ freeRamMb: 10, aggregates: [anAggregate('c', { ram_weight_multiplier: 'many' })] })
    const { totals } = weighHosts([ram({ 'filter_scheduler.ram_weight_multiplier': 7 })], aNovaRequest(), [own, odd, ...hosts(10)])
    expect(totals).toEqual([-2.5, 7, 7])
  })

  test('the total is lower for a host with failed builds', () => {
    const weigher = chooseWeigher(findNovaWeigher('BuildFailureWeigher'), {})
    const { totals } = weighHosts([weigher], aNovaRequest(), [aHostState({ failedBuilds: 2 }), aHostState()])
    expect(totals).toEqual([-1_000_000, 0])
  })
})

test.each([
  [
    'a multiplier that is not a number',
    'RAMWeigher',
    { ram_weight_multiplier: 'high' },
    'ram_weight_multiplier is high; it must be a number',
  ],
  ['a negative multiplier where Nova allows none', 'PCIWeigher', { pci_weight_multiplier: -1 }, 'it must be a number of 0 or more'],
])('%s is refused', (_what, name, config, words) => {
  expect(() => chooseWeigher(findNovaWeigher(name), config)).toThrow(words)
})

test('the error for an unknown weigher lists the known weighers', () => {
  expect(() => findNovaWeigher('nova.scheduler.weights.x.XWeigher')).toThrow('BuildFailureWeigher')
})
