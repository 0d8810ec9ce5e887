import type { RequestParts, RequestSpec } from '../request/request-spec.ts'
import { builtIn } from './built-in.ts'

/**
 * Replaces fields of a request. In a request in Nova's form, the document is changed too, because Nova's rules read the document, and some
 * conditions exist only there.
 */
export const restated = (request: RequestSpec, parts: RequestParts): RequestSpec =>
  request.nova === null ? { ...request, ...parts } : builtIn().documents.restated(request, parts)
