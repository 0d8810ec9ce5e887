/** Time range the page looks, as the filter grammar writes it. */
export const spans = ['15m', '1h', '6h', '24h'] as const
export type SpanName = (typeof spans)[number]

/** What the address of the page says behind the question mark; everything else is left out. */
export interface OverviewSearch {
  /** Not given: an hour. */
  readonly last?: SpanName
  /** A range of time that figures, reasons and charts are of in its place; both or none. */
  readonly since?: string
  readonly until?: string
  /** Flavors that stay among those whose room is counted, as JSON (pins.ts); if not given, as was chosen for this browser. */
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
