import type { RequestSpec } from './request-spec.ts'

/** The request with some fields replaced and without Nova's document, which would contradict the changes. */
export const restated = (request: RequestSpec, parts: Parts): RequestSpec => ({ ...request, ...parts, nova: null })

/** The fields of a request that may be replaced. */
export type Parts = Partial<Omit<RequestSpec, 'version' | 'nova'>>
