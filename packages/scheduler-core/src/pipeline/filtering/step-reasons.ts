import { OutsideError } from '../../outside/outside-error.ts'
import { type Fact, fromRule } from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { FilterStep } from './filter-step.ts'

/** The reason with which a filter refuses a host. If the filter throws while it gives the reason, the reason is the filter's error. */
export function reasonOf({ name, prepared, failed, error, complete }: FilterStep, host: HostIndex): Reason {
  if (failed || prepared === undefined) return failure(name, error)
  try {
    if (prepared.passes(host) !== false) return failure(name, undefined)
    const reason = prepared.reason(host)
    return complete === undefined ? reason : complete(reason)
  } catch (thrown) {
    return failure(name, thrown)
  }
}

/**
 * The facts that a filter adds to its reason. If the filter gives no facts or throws, a single fact has the required and actual value of
 * the reason.
 */
export function factsOf({ name, prepared }: FilterStep, host: HostIndex, reason: Reason): readonly Fact[] {
  if (reason.code !== 'filter.error')
    try {
      const facts = prepared?.facts?.(host) ?? []
      if (facts.length > 0) return facts
    } catch {
      // if the filter throws, the fact is made from the reason instead
    }
  const { subject = name, need: required, have: actual, unit } = reason
  const unknown = fromRule(reason.code === 'filter.error' ? `${name} failed` : `as ${name} says`)
  return [
    {
      subject,
      ...(required !== undefined && { required }),
      ...(actual !== undefined && { actual }),
      ...(unit !== undefined && { unit }),
      requiredFrom: unknown,
      actualFrom: unknown,
    },
  ]
}

/** The reason for a filter that failed: its name and at most 200 characters of the error message. */
function failure(name: string, error: unknown): Reason {
  const have = error instanceof Error ? shorten(error.message) : undefined
  return {
    code: error instanceof OutsideError ? error.code : 'filter.error',
    subject: name,
    ...(have !== undefined && have !== '' && { have }),
  }
}

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 197)}...` : text)
