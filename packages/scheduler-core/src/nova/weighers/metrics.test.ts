import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { metricsWeigher } from './metrics.ts'

const raw = (options: Readonly<Record<string, unknown>>) => metricsWeigher.prepare(aNovaRequest(), options, () => 1, 1)(aHostState(host))

const metric = (name: string, value: number) => ({ name, value, timestamp: '', source: null })
const host = { metrics: [metric('cpu', 50), metric('fan', 7), metric('cpu', 60)] }

test.each([
  ['nothing is configured', [], {}, 0],
  ['each times its ratio; of two with one name the last', ['cpu=2.0', 'fan=-1'], {}, 113],
  ['entries that are no settings are left out', ['cpu', '=3', 'fan=x', 'fan=1'], {}, 7],
  ['a missing one that is not required', ['cpu=1', 'disk=1'], { 'metrics.required': false }, -10_000],
  ['and what it is worth then', ['disk=1'], { 'metrics.required': false, 'metrics.weight_of_unavailable': -3 }, -3],
  ['a missing one that counts nothing', ['cpu=1', 'disk=0'], { 'metrics.required': false }, 60],
])('%s', (_what, settings, options, number) => {
  expect(raw({ 'metrics.weight_setting': settings, ...options })).toBe(number)
})

test('a missing one that is required is an error by its name', () => {
  expect(() => raw({ 'metrics.weight_setting': ['disk=1'] })).toThrow(
    expect.objectContaining({ kind: 'ComputeHostMetricNotFound', message: 'metric disk of h1 is missing; it must be reported' }),
  )
})

test('a missing one where the multiplier is 0 counts nothing', () => {
  const options = { 'metrics.weight_setting': ['disk=1'], 'metrics.required': false }
  expect(metricsWeigher.prepare(aNovaRequest(), options, () => 0, 0)(aHostState(host))).toBe(0)
})
