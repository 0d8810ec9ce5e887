import { useSearch } from '@tanstack/react-router'

/** What every address may say next to its page's own: when the page is about, as a revision or a time; not given or undefined: now. */
export interface TravelSearch {
  readonly at?: string | undefined
}

/** Whatever stands there is kept: what is no moment is the service's to refuse, and is not taken for now. */
export function readTravelSearch({ at }: Record<string, unknown>): TravelSearch {
  return typeof at === 'string' && at !== '' ? { at } : {}
}

/** The moment that the console shows; undefined: now. */
export const useAt = (): string | undefined => useSearch({ strict: false, select: ({ at }: TravelSearch) => at })

/** The same outside of components. */
export const currentAt = (): string | undefined => readTravelSearch({ at: new URLSearchParams(location.search).get('at') }).at

/** How a moment is called in a sentence. */
export const nameOfMoment = (at: string): string => (/^\d+$/.test(at) ? `revision ${at}` : at)

export const whyNoWrites = (at: string): string =>
  `Nothing can be changed while the console shows the past (${nameOfMoment(at)}). Go back to now first.`

/** Why nothing can be changed at present; undefined: it can. */
export function useWritesOff(): string | undefined {
  const at = useAt()
  return at === undefined ? undefined : whyNoWrites(at)
}

/** A write that was tried in the past. */
export class WritesOffError extends Error {
  override readonly name = 'WritesOffError'

  constructor(at: string) {
    super(whyNoWrites(at))
  }
}
