import { expect, test } from 'vitest'
import type { HostService } from '../../report/reported-service.ts'
import { type Given, NOW, reasonOf, verdictOf } from '../testing/judge.ts'
import { computeFilter } from './compute.ts'

const service = (given: Partial<HostService> = {}): Given['host'] => ({
  service: { disabled: false, disabledReason: null, forcedDown: false, heartbeatAt: NOW, ...given },
})
const silentFor = (seconds: number) => service({ heartbeatAt: NOW - seconds * 1000 })

test.each<[string, Given, string]>([
  ['a heartbeat at the time of the decision', { host: service() }, 'passes'],
  ['a heartbeat of the maximum age', { host: silentFor(60) }, 'passes'],
  ['a heartbeat slightly older than the maximum age', { host: silentFor(60.5) }, 'host.down'],
  ['a heartbeat at the largest allowed time in the future', { host: silentFor(-60) }, 'passes'],
  ['a heartbeat further in the future', { host: silentFor(-61) }, 'host.down'],
  ['a service that is monitored in another way', { host: service({ heartbeatAt: null }) }, 'passes'],
  ['disabled', { host: service({ disabled: true }) }, 'host.disabled'],
  ['a service that was forced down', { host: service({ forcedDown: true }) }, 'host.down'],
  ['a longer service_down_time', { host: silentFor(90), options: { service_down_time: 90 } }, 'passes'],
  [
    'a service_down_time not longer than the report interval becomes two and a half intervals',
    { host: silentFor(25), options: { service_down_time: 10 } },
    'passes',
  ],
  [
    'a heartbeat older than two and a half report intervals, if service_down_time is not longer than one',
    { host: silentFor(26), options: { service_down_time: 10 } },
    'host.down',
  ],
  [
    'the maximum age is truncated to whole seconds',
    { host: silentFor(17.1), options: { service_down_time: 5, report_interval: 7 } },
    'host.down',
  ],
  ['a rebuild is not checked', { host: silentFor(99), request: { schedulerHints: { _nova_check_type: ['rebuild'] } } }, 'passes'],
])('%s', (_name, given, verdict) => expect(verdictOf(computeFilter, given)).toBe(verdict))

test("the reason of a refusal has the times, or the operator's reason for disabling the host", () => {
  expect(reasonOf(computeFilter, { host: silentFor(61) })).toMatchObject({
    need: 'at most 60',
    have: 61,
    unit: 's',
    source: 'option service_down_time',
  })
  expect(reasonOf(computeFilter, { host: service({ disabled: true, disabledReason: 'disk' }) })).toMatchObject({
    have: 'disabled',
    source: 'disk',
  })
})
