/** The time spans that the page offers, as durations of the filter grammar. */
export const spans = ['15m', '1h', '6h', '24h'] as const
export type SpanName = (typeof spans)[number]

/** The query parameters of the page. Unknown parameters are dropped. */
export interface OverviewSearch {
  /** The time span of the page. The default is one hour. */
  readonly last?: SpanName
  /**
   * A selected time range. If present, figures, reasons and charts are for this range instead of the time span. Either both ends are set or
   * none.
   */
  readonly since?: string
  readonly until?: string
  /** Pinned flavors as JSON (pins.ts). The default is the flavors that are pinned in this browser. */
  readonly pin?: string
}

export const DEFAULT_SPAN: SpanName = '1h'

export function readOverviewSearch({ last, since, until, pin }: Record<string, unknown>): OverviewSearch {
  const known = spans.find((one) => one === last)
  return {
    ...(known === undefined || known === DEFAULT_SPAN ? {} : { last: known }),
    ...(isTime(since) && isTime(until) && Date.parse(since) < Date.parse(until) ? { since, until } : {}),
    ...(typeof pin === 'string' && pin !== '' ? { pin } : {}),
  }
}

const isTime = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(text) && !Number.isNaN(Date.parse(text))

/** The span as the API's duration. */
export const durationOf: Readonly<Record<SpanName, string>> = { '15m': 'PT15M', '1h': 'PT1H', '6h': 'PT6H', '24h': 'PT24H' }
