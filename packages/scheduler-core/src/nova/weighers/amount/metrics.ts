import { z } from 'zod'
import { noScore, novaWeigher } from '../../parts/nova-weigher.ts'
import { readSettings } from '../../parts/weight-settings.ts'
import { NovaError } from '../../text/nova-error.ts'

const options = z.strictObject({
  /** A list of `name=ratio` entries. */
  'metrics.weight_setting': z.array(z.string()).default([]),
  /** If true, the weigher throws an error on a host that lacks one of the metrics. */
  'metrics.required': z.boolean().default(true),
  'metrics.weight_of_unavailable': z.number().default(-10_000),
})

/** The score is the sum of the metrics that the option `metrics.weight_setting` lists, each multiplied by its ratio. */
export const metricsWeigher = novaWeigher({
  name: 'MetricsWeigher',
  description: "Sum of the host's metrics that the profile lists, each multiplied by its ratio.",
  reads: ['metrics'],
  unit: 'points',
  multiplier: { key: 'metrics_weight_multiplier', option: 'metrics.weight_multiplier' },
  options,
  prepare(_request, given, multiplierOf) {
    const settings = readSettings(given['metrics.weight_setting'])
    if (settings.length === 0) return noScore
    return (host) => {
      let sum = 0
      for (const { name, ratio } of settings) {
        const metric = host.metrics.findLast((one) => one.name === name)
        if (metric !== undefined) sum += metric.value * ratio
        else if (given['metrics.required'])
          throw new NovaError('ComputeHostMetricNotFound', { subject: `metric ${name} of ${host.host}`, need: 'reported', have: 'missing' })
        else if (multiplierOf(host) * ratio !== 0) return given['metrics.weight_of_unavailable']
      }
      return sum
    }
  },
})
