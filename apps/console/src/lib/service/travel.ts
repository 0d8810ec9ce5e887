import { useSearch } from '@tanstack/react-router'

/** The query parameter of every page for its moment, a revision or a time; absent or undefined means the present. */
export interface TravelSearch {
  readonly at?: string | undefined
}

/** Any value is kept: an invalid moment is refused by the service, and is not treated as the present. */
export function readTravelSearch({ at }: Record<string, unknown>): TravelSearch {
  return typeof at === 'string' && at !== '' ? { at } : {}
}

/** The moment that the console shows; undefined for the present. */
export const useAt = (): string | undefined => useSearch({ strict: false, select: ({ at }: TravelSearch) => at })

/** The same outside of components. */
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

/** A change was attempted while the console showed the past. */
export class WritesOffError extends Error {
  override readonly name = 'WritesOffError'

  constructor(at: string) {
    super(whyNoWrites(at))
  }
}
