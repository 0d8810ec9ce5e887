import { readTravelSearch, type TravelSearch } from '../lib/service/travel.ts'

/**
 * Parses the query string of a URL, such as `?q=az:z1&sort=-mem.free`. Values are plain texts and not JSON, so that people can write them.
 */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/**
 * Prints query parameters in the form that `parseSearch` reads. Undefined and empty values are omitted, and `:` and `,` are not escaped.
 */
export function printSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value))
  const text = params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}

/**
 * Wraps the function with which a feature reads its query parameters. Without this, the router would keep parameters that the function
 * omits. The moment (`at`) is read for every page.
 */
export const only =
  <Search extends object>(read: (search: Record<string, unknown>) => Search) =>
  (search: Record<string, unknown>): Search & TravelSearch => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...readTravelSearch(search),
    ...read(search),
  })

/** Adds the shown moment to every link, unless the link sets another moment or the present (`at: undefined`). */
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
