import { useSearch } from '@tanstack/react-router'

/** The query parameter that all pages have: the shown moment, as a revision or a time. Absent or undefined means the present. */
export interface TravelSearch {
  readonly at?: string | undefined
}

/** Reads the moment. An invalid value is passed on to the service, which refuses it. Otherwise the page would show the present instead. */
export function readTravelSearch({ at }: Record<string, unknown>): TravelSearch {
  return typeof at === 'string' && at !== '' ? { at } : {}
}

/** The moment that the console shows. Undefined for the present. */
export const useAt = (): string | undefined => useSearch({ strict: false, select: ({ at }: TravelSearch) => at })

/** The moment that the console shows, outside of components. Undefined for the present. */
export const currentAt = (): string | undefined => readTravelSearch({ at: new URLSearchParams(location.search).get('at') }).at

/** The name of a moment in a sentence. */
export const nameOfMoment = (at: string): string => (/^\d+$/.test(at) ? `revision ${at}` : at)

export const whyNoWrites = (at: string): string =>
  `Nothing can be changed while the console shows the past (${nameOfMoment(at)}). Go back to now first.`

/** A hook that returns why changes are not possible while the console shows the past. Undefined if it shows the present. */
export function useWritesOff(): string | undefined {
  const at = useAt()
  return at === undefined ? undefined : whyNoWrites(at)
}

/** The error for a change that was attempted while the console showed the past. */
export class WritesOffError extends Error {
  override readonly name = 'WritesOffError'

  constructor(at: string) {
    super(whyNoWrites(at))
  }
}
