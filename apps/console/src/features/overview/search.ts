/** How far back the page looks, as the filter grammar writes it. */
export const spans = ['15m', '1h', '6h', '24h'] as const
export type SpanName = (typeof spans)[number]

/** What the address of the page says behind the question mark; everything else is left out. */
export interface OverviewSearch {
  /** Not given: an hour. */
  readonly last?: SpanName
}

export const DEFAULT_SPAN: SpanName = '1h'

export function readOverviewSearch({ last }: Record<string, unknown>): OverviewSearch {
  const known = spans.find((one) => one === last)
  return known === undefined || known === DEFAULT_SPAN ? {} : { last: known }
}

/** The span as the API's duration. */
export const durationOf: Readonly<Record<SpanName, string>> = { '15m': 'PT15M', '1h': 'PT1H', '6h': 'PT6H', '24h': 'PT24H' }
