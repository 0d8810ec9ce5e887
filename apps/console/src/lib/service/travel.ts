import { useSearch } from '@tanstack/react-router'

/** The query parameter of every page for its moment, a revision or a time; absent or undefined means the present. */
export interface TravelSearch {
  readonly at?: string | undefined
}

/** Reads the moment. An invalid value is kept, so that the service refuses it and the page does not show the present instead. */
export function readTravelSearch({ at }: Record<string, unknown>): TravelSearch {
  return typeof at === 'string' && at !== '' ? { at } : {}
}

/** The moment that the console shows; undefined for the present. */
export const useAt = (): string | undefined => useSearch({ strict: false, select: ({ at }: TravelSearch) => at })

/** The moment that the console shows, outside of components; undefined for the present. */
export const currentAt = (): string | undefined => readTravelSearch({ at: new URLSearchParams(location.search).get('at') }).at

/** The name of a moment in a sentence. */
export const nameOfMoment = (at: string): string => (/^\d+$/.test(at) ? `revision ${at}` : at)

export const whyNoWrites = (at: string): string =>
  `Nothing can be changed while the console shows the past (${nameOfMoment(at)}). Go back to now first.`

/** Why changes are not possible at the moment that is shown; undefined if they are. */
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
