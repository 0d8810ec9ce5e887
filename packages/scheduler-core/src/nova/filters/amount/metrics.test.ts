import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { metricsFilter } from './metrics.ts'

const weighs = (...settings: string[]) => ({ 'metrics.weight_setting': settings })
const reports = (...names: string[]): Given['host'] => ({ metrics: names.map((name) => ({ name, value: 1, timestamp: '', source: null })) })

test.each<[string, Given, string]>([
  ['no settings', {}, 'passes'],
  ['all reported', { host: reports('a', 'b', 'c'), options: weighs('a=1', 'b=-2.5') }, 'passes'],
  ['one missing', { host: reports('a'), options: weighs('a=1', 'b=1') }, 'metric.missing'],
  ['a metric with a ratio of 0 is still required', { options: weighs('a=0') }, 'metric.missing'],
  ['a setting without a ratio requires nothing', { options: weighs('a', 'b=x', '=1') }, 'passes'],
  [
    'blanks around a ratio are ignored, and blanks around a name are part of the name',
    { host: reports('a', 'b'), options: weighs('a= 1 ', ' b=1') },
    'metric.missing',
  ],
])('%s', (_name, given, verdict) => expect(verdictOf(metricsFilter, given)).toBe(verdict))

test('the reason of a refusal names the missing metrics and the reported ones', () => {
  const reason = { need: 'b, c', have: 'a', source: 'option metrics.weight_setting' }
  expect(reasonOf(metricsFilter, { host: reports('a'), options: weighs('a=1', 'b=1', 'c=1') })).toMatchObject(reason)
})
