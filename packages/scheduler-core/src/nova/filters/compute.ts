import { z } from 'zod'
import { novaFilter } from '../parts/nova-filter.ts'

/** The options are in seconds. */
const options = z.strictObject({
  service_down_time: z.number().int().default(60),
  report_interval: z.number().int().default(10),
})

/**
 * Passes hosts whose service is enabled and not forced down, if its last heartbeat is at most `service_down_time` old. A heartbeat can also
 * be up to this time in the future, because the clocks of hosts differ.
 */
export const computeFilter = novaFilter({
  name: 'ComputeFilter',
  description: 'The compute service on the host is enabled and up.',
  reads: [],
  cachedBy: [],
  readsTimeAt: ({ service }) => service.heartbeatAt !== null,
  oncePerRequest: true,
  options,
  prepare(_request, { service_down_time: configured, report_interval: interval }, { now }) {
    // If `service_down_time` is at most one report interval, Nova uses 2.5 report intervals instead. Otherwise hosts would be down between
    // reports.
    const [silence, source] =
      configured > interval
        ? [configured, 'option service_down_time']
        : [Math.trunc(interval * 2.5), 'option report_interval, since service_down_time is no longer than it']
    return ({ service }) => {
      if (service.disabled)
        return { code: 'host.disabled', subject: 'service', need: 'enabled', have: 'disabled', source: service.disabledReason ?? 'service' }
      if (service.forcedDown) return { code: 'host.down', subject: 'service', need: 'up', have: 'forced down', source: 'service' }
      if (service.heartbeatAt === null) return undefined
      const silentFor = Math.abs(now - service.heartbeatAt) / 1000
      if (silentFor <= silence) return undefined
      return {
        code: 'host.down',
        subject: 'time since the last sign of life',
        need: `at most ${silence}`,
        have: silentFor,
        unit: 's',
        source,
      }
    }
  },
})
