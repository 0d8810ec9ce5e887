import type { FilterOptions } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { memoByObject } from '../../values/memo.ts'
import type { NovaRequest } from '../objects/request.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { someHost } from '../own/some-host.ts'
import { readableRequestOf } from '../requests/own-request.ts'
import type { PythonDict } from '../text/python-json.ts'
import type { NovaFilter } from './nova-filter.ts'

/** Writes the values of Python that JSON does not have: dictionaries and numbers that are not finite. */
const inFull = (_name: string, value: unknown): unknown =>
  value instanceof Map
    ? { dict: [...(value as PythonDict)] }
    : typeof value === 'number' && !Number.isFinite(value)
      ? { number: String(value) }
      : value

/**
 * The text of a field of a request. The members of an object keep their order: if one extra spec refuses a host and Nova fails for another,
 * the first of them decides whether the verdict is an error. Cached, because several filters read the same
 * field.
 */
const textOf = memoByObject((request: NovaRequest) => {
  const texts = new Map<keyof NovaRequest, string>()
  return (field: keyof NovaRequest): string => {
    let text = texts.get(field)
    if (text === undefined) {
      const value = request[field]
      // a field that is unset is not equal to one that is null
      text = value === undefined ? 'unset' : JSON.stringify(value, inFull)
      texts.set(field, text)
    }
    return text
  }
})

/**
 * `cacheKey` for a filter or weigher of Nova, from the fields of a request that it reads. Absent if its results are not cached. The key is
 * undefined for a request that Nova cannot read.
 */
export function cachedBy({ cachedBy: fields, readsTimeAt }: Pick<NovaFilter, 'cachedBy' | 'readsTimeAt'>) {
  if (fields === undefined) return {}
  const isTimed = readsTimeAt && someHost((fleet, host) => readsTimeAt(ownHostsOf(fleet)(host)))
  return {
    cacheKey(request: RequestSpec, _options?: FilterOptions, fleet?: Fleet): string | undefined {
      const wanted = readableRequestOf(request)
      if (wanted === undefined || (fleet !== undefined && isTimed?.(fleet))) return undefined
      return fields.map(textOf(wanted)).join('\u0000')
    },
  }
}
