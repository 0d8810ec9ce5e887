import { namedKeys } from '../../../request/request-reads.ts'
import type { HostState } from '../../objects/host-state.ts'
import { hintOf, type NovaRequest } from '../../objects/request.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

/** Passes hosts with at least one of the instances that the hint same_host lists. */
export const sameHostFilter = novaFilter({
  name: 'SameHostFilter',
  description: 'The host has at least one of the instances that the hint same_host lists.',
  readsRequest: { schedulerHints: namedKeys('same_host') },
  reads: ['instances'],
  cachedBy: ['schedulerHints'],
  oncePerRequest: true,
  prepare(request) {
    const wanted = uuidsOf(request, 'same_host')
    if (wanted.length === 0) return undefined
    const need = wanted.join(', ')
    return (host) =>
      heldOf(host, wanted).length > 0
        ? undefined
        : { code: 'instance.not_on_host', subject: 'instance', need, have: 'none', source: 'hint same_host' }
  },
})

/** Passes hosts without any of the instances that the hint different_host lists. */
export const differentHostFilter = novaFilter({
  name: 'DifferentHostFilter',
  description: 'The host has none of the instances that the hint different_host lists.',
  readsRequest: { schedulerHints: namedKeys('different_host') },
  reads: ['instances'],
  cachedBy: ['schedulerHints'],
  oncePerRequest: true,
  prepare(request) {
    const avoided = uuidsOf(request, 'different_host')
    if (avoided.length === 0) return undefined
    return (host) => {
      const held = heldOf(host, avoided)
      return held.length === 0
        ? undefined
        : { code: 'instance.same_host', subject: 'instance', need: 'none', have: held.join(', '), source: 'hint different_host' }
    }
  },
})

/** The instance uuids in a hint. The hint is a single string or a list. An empty hint has no effect. */
function uuidsOf(request: NovaRequest, hint: string): readonly string[] {
  const value = hintOf(request, hint) ?? []
  if (typeof value !== 'string') return value
  return value === '' ? [] : [value]
}

const heldOf = ({ instances }: HostState, uuids: readonly string[]) => uuids.filter((uuid) => instances.has(uuid))
