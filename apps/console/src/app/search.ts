import { readTravelSearch, type TravelSearch } from '../lib/service/travel.ts'

/** The search part of an address as plain text: `?q=az:z1&sort=-mem.free`. Nothing is JSON, so that people can write it. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** The reverse of `parseSearch`. Undefined and empty values are omitted, and `:` and `,` are not escaped. */
export function printSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value))
  const text = params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}

/**
 * Wraps a feature's reader of query parameters for the router, which would otherwise keep parameters that the reader omits. The moment
 * (`at`) is read for every page.
 */
export const only =
  <Search extends object>(read: (search: Record<string, unknown>) => Search) =>
  (search: Record<string, unknown>): Search & TravelSearch => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...readTravelSearch(search),
    ...read(search),
  })

/** Every link keeps the moment, unless it sets another one, or the present (`at: undefined`). */
export const carryMoment = <Search extends TravelSearch>({
  search,
  next,
}: {
  readonly search: Search
  next(search: Search): Search
}): Search => {
  const asked = next(search)
  return 'at' in asked || search.at === undefined ? asked : { ...asked, at: search.at }
}
