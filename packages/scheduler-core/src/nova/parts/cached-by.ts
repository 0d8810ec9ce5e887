import type { RequestSpec } from '../../request/request-spec.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import { memoByObject } from '../../values/memo.ts'
import type { NovaRequest } from '../objects/request.ts'
import { readableRequestOf } from '../requests/own-request.ts'

/** The text of a field of a request. Cached, because several filters read the same field. */
const textOf = memoByObject((request: NovaRequest) => {
  const texts = new Map<keyof NovaRequest, string>()
  return (field: keyof NovaRequest): string => {
    let text = texts.get(field)
    if (text === undefined) {
      const value = request[field]
      // a field that is unset is not equal to one that is null
      text = value === undefined ? 'unset' : canonicalJson(value)
      texts.set(field, text)
    }
    return text
  }
})

/**
 * `cacheKey` for a filter or weigher of Nova, from the fields of a request that it reads. Absent if its results are not cached. The key is
 * undefined for a request that Nova cannot read.
 */
export const cachedBy = ({ cachedBy: fields }: { readonly cachedBy?: readonly (keyof NovaRequest)[] | undefined }) =>
  fields === undefined
    ? {}
    : {
        cacheKey(request: RequestSpec): string | undefined {
          const wanted = readableRequestOf(request)
          return wanted && fields.map(textOf(wanted)).join('\u0000')
        },
      }
