import type { Fleet } from '../fleet/fleet.ts'
import { holdsInstance } from '../hosts/instances.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { shortList } from '../text/short-list.ts'
import type { Steps } from '../values/steps.ts'
import type { Refusals } from './refusal.ts'

/** The generator yields after this many hosts. */
const SLICE = 128

/**
 * The instances with which a request must share a host, if every admitted host is refused for lack of them, and no host of the fleet has any
 * of them. Empty otherwise.
 */
export function* unknownInstances(
  { hosts }: Fleet,
  { schedulerHints }: RequestSpec,
  refusals: readonly Refusals[],
  admitted: number,
): Steps<readonly string[]> {
  const lacking = refusals.find(({ code }) => code === 'instance.not_on_host')
  if (lacking === undefined || lacking.hosts < admitted) return []
  const wanted = schedulerHints.same_host ?? []
  const uuids = wanted.map((uuid) => uuid.toLowerCase())
  let count = 0
  for (const host of hosts.present) {
    if (count++ % SLICE === SLICE - 1) yield
    if (uuids.some((uuid) => holdsInstance(host, uuid))) return []
  }
  return wanted
}

/** Says that no host has any of the instances. */
export const unknownText = (instances: readonly string[]): string =>
  instances.length === 1
    ? `Instance ${instances[0]}, with which the request must share a host, is unknown: no host reports it, and it has no live claim.`
    : `The instances ${shortList(instances)}, with one of which the request must share a host, are unknown: no host reports any of them, and they have no live claims.`
