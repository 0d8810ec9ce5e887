/** The description of a metric in the text format of Prometheus, version 0.0.4. */
export interface MetricHead {
  readonly kind: 'gauge' | 'counter'
  readonly name: string
  readonly help: string
}

/** The value of a metric, or one for each set of labels. Null: the metric has no value at present. */
export type Samples = number | null | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]

/**
 * Writes a metric. A metric with labels is left out if nothing was counted. A metric without a value at present is written without samples.
 */
export function writeMetric({ kind, name, help }: MetricHead, samples: Samples): string {
  const all = typeof samples === 'number' ? [{ labels: {}, value: samples }] : samples
  if (all?.length === 0) return ''
  const lines = (all ?? []).map(({ labels, value }) => `${name}${writeLabels(labels)} ${value}`)
  return [`# HELP ${name} ${escaped(help, /[\\\n]/g)}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value, /[\\"\n]/g)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string, signs: RegExp): string => text.replace(signs, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
