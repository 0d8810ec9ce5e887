import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** Calls a filter for a host. Returns undefined if the filter threw, or returned a value other than true or false. */
export function passesSafely(prepared: PreparedFilter, host: HostIndex): boolean | undefined {
  try {
    const verdict: unknown = prepared.passes(host)
    return verdict === true ? true : verdict === false ? false : undefined
  } catch {
    return undefined
  }
}
