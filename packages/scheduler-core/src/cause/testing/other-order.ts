import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { RequestDrawn } from './drawn.ts'

/** Lists of a request whose order matters, or whose entries are named by their positions. */
const IN_ORDER: ReadonlySet<string> = new Set(['cells', 'cpus', 'dedicatedCpus', 'pciRequests', 'gang', 'instanceUuids', 'query'])

/** The same request with every other list and every object rotated and reversed. */
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

/** The lists that every form of a request has. */
export const withListsTurned = (drawn: RequestDrawn): RequestDrawn => ({
  ...drawn,
  forceHosts: drawn.forceHosts.toReversed(),
  ignoreHosts: drawn.ignoreHosts.toReversed(),
  traits: drawn.traits.toReversed(),
  forbidden: drawn.forbidden.toReversed(),
  specs: Object.fromEntries(Object.entries(drawn.specs).toReversed()),
})
