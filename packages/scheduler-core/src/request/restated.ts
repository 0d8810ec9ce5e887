import type { RequestSpec } from './request-spec.ts'

/** Replaces fields of a request. Nova's document is removed, because it would contradict the new values. */
export const restated = (request: RequestSpec, parts: Parts): RequestSpec => ({ ...request, ...parts, nova: null })

export type Parts = Partial<Omit<RequestSpec, 'version' | 'nova'>>
