import type { RequestSpec } from './request-spec.ts'

/** The request with other parts, in this service's own words: a document of Nova's would still say what it said. */
export const restated = (request: RequestSpec, parts: Parts): RequestSpec => ({ ...request, ...parts, nova: null })

/** The fields of a request that may be said anew. */
export type Parts = Partial<Omit<RequestSpec, 'version' | 'nova'>>
