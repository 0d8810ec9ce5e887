import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec, RequestSpecInput } from '../request/request-spec.ts'

/** Makes a request with the given fields, by default for 1 CPU and 1 GiB. Throws if the request is not valid. */
export function aRequest(shape: Partial<RequestSpecInput> & { readonly memoryMb?: number; readonly vcpus?: number } = {}): RequestSpec {
  const { memoryMb = 1_024, vcpus = 1, ...rest } = shape
  const parsed = parseRequestSpec({ flavor: { vcpus, memoryMb }, ...rest })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}
