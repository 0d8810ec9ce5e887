import { z } from 'zod'
import { novaFilter } from '../../parts/nova-filter.ts'
import { readSettings } from '../../parts/weight-settings.ts'

const SETTING = 'metrics.weight_setting'

/** Passes hosts that report every metric which MetricsWeigher reads. MetricsWeigher throws an error if a metric is missing. */
export const metricsFilter = novaFilter({
  name: 'MetricsFilter',
  description: 'The host reports every metric in the option metrics.weight_setting.',
  reads: ['metrics'],
  cachedBy: [],
  options: z.strictObject({ [SETTING]: z.array(z.string()).default([]) }),
  prepare(_request, { [SETTING]: settings }) {
    const wanted = [...new Set(readSettings(settings).map(({ name }) => name))]
    if (wanted.length === 0) return undefined
    return ({ metrics }) => {
      const reported = new Set(metrics.map(({ name }) => name))
      const missing = wanted.filter((name) => !reported.has(name))
      if (missing.length === 0) return undefined
      const have = [...reported].join(', ') || 'none'
      return { code: 'metric.missing', subject: 'metrics', need: missing.join(', '), have, source: `option ${SETTING}` }
    }
  },
})
