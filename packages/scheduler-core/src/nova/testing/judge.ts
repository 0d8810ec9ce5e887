import type { Reason } from '../../text/reason.ts'
import type { HostState } from '../objects/host-state.ts'
import type { AttestationSource, NovaFilter } from '../parts/nova-filter.ts'
import { NovaError } from '../text/nova-error.ts'
import { aHostState, aNovaRequest, type GivenRequest } from './builders.ts'

export interface Given {
  readonly request?: GivenRequest | undefined
  readonly host?: Partial<HostState> | undefined
  readonly options?: Readonly<Record<string, unknown>>
  readonly attestations?: AttestationSource
}

/** The time of the decisions in tests. */
export const NOW = Date.parse('2026-01-15T12:00:00Z')

/** Runs a filter on a host. Undefined if the host passes, otherwise the reason of the refusal. */
export function reasonOf(filter: NovaFilter, { request, host, options = {}, attestations }: Given): Reason | undefined {
  const context = attestations === undefined ? { now: NOW } : { now: NOW, attestations }
  return filter.prepare(aNovaRequest(request), options, context)?.(aHostState(host))
}

/** Runs a filter on a host. Returns `passes`, the code of the reason, or `raises` with the name of Nova's exception. */
export function verdictOf(filter: NovaFilter, given: Given): string {
  try {
    return reasonOf(filter, given)?.code ?? 'passes'
  } catch (error) {
    if (error instanceof NovaError) return `raises ${error.kind}`
    throw error
  }
}
