import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { RequestDrawn } from './drawn.ts'

/** Lists of a request whose order matters. */
const IN_ORDER: ReadonlySet<string> = new Set(['cells', 'cpus', 'dedicatedCpus', 'pciRequests', 'gang', 'instanceUuids', 'query'])

/** The request with another order of the members of every object and the elements of every list, except the lists in IN_ORDER. */
export function inOtherOrder(request: RequestSpec, shift: number): RequestSpec {
  const outcome = parseRequestSpec(otherOrder(request, '', shift))
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join('; '))
  return outcome.value
}

function otherOrder(value: unknown, field: string, shift: number): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => otherOrder(item, '', shift))
    return IN_ORDER.has(field) ? items : turned(items, shift)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(turned(Object.entries(value), shift).map(([key, member]) => [key, otherOrder(member, key, shift)]))
}

function turned<T>(items: readonly T[], shift: number): T[] {
  const from = items.length === 0 ? 0 : shift % items.length
  return [...items.slice(from), ...items.slice(0, from)].reverse()
}

/** The request with its lists and extra specs in reverse order. Only lists that every form of a request has are reversed. */
export const withListsTurned = (drawn: RequestDrawn): RequestDrawn => ({
  ...drawn,
  forceHosts: drawn.forceHosts.toReversed(),
  ignoreHosts: drawn.ignoreHosts.toReversed(),
  traits: drawn.traits.toReversed(),
  forbidden: drawn.forbidden.toReversed(),
  specs: Object.fromEntries(Object.entries(drawn.specs).toReversed()),
})
