import { ADMIN_KEY, type Service } from './service.ts'

/** The metrics of a service at one moment. */
export interface Metrics {
  /** The value of a metric without labels. Throws an error if there is none. */
  value(name: string): number
  /** The sum of the values of a metric over all of its labels. 0 if there are none. */
  sum(name: string): number
}

export async function readMetrics({ url }: Pick<Service, 'url'>): Promise<Metrics> {
  const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  const text = await response.text()
  const valuesOf = (name: string): readonly number[] =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value))
  return {
    value(name) {
      const [value] = valuesOf(name)
      if (value === undefined) throw new Error(`expected the metric ${name} at /metrics, found none`)
      return value
    },
    sum: (name) => valuesOf(name).reduce((sum, value) => sum + value, 0),
  }
}
