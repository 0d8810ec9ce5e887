import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { metricsWeigher } from './metrics.ts'

const raw = (options: Readonly<Record<string, unknown>>) => metricsWeigher.prepare(aNovaRequest(), options, () => 1, 1)(aHostState(host))

const metric = (name: string, value: number) => ({ name, value, timestamp: '', source: null })
const host = { metrics: [metric('cpu', 50), metric('fan', 7), metric('cpu', 60)] }

test.each([
  ['nothing is configured', [], {}, 0],
  ['each metric is multiplied by its ratio, and of two metrics with the same name the last applies', ['cpu=2.0', 'fan=-1'], {}, 113],
  ['invalid entries are left out', ['cpu', '=3', 'fan=x', 'fan=1'], {}, 7],
  ['a missing metric that is not required', ['cpu=1', 'disk=1'], { 'metrics.required': false }, -10_000],
  ['an option sets the weight of a missing metric', ['disk=1'], { 'metrics.required': false, 'metrics.weight_of_unavailable': -3 }, -3],
  ['a missing metric with a ratio of 0', ['cpu=1', 'disk=0'], { 'metrics.required': false }, 60],
])('%s', (_what, settings, options, number) => {
  expect(raw({ 'metrics.weight_setting': settings, ...options })).toBe(number)
})

test('if a required metric is missing, an error names the metric', () => {
  expect(() => raw({ 'metrics.weight_setting': ['disk=1'] })).toThrow(
    expect.objectContaining({ kind: 'ComputeHostMetricNotFound', message: 'metric disk of h1 is missing; it must be reported' }),
  )
})

test('a missing metric has no effect if the multiplier is 0', () => {
  const options = { 'metrics.weight_setting': ['disk=1'], 'metrics.required': false }
  expect(metricsWeigher.prepare(aNovaRequest(), options, () => 0, 0)(aHostState(host))).toBe(0)
})
