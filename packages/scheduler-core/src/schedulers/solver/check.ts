import { pluginsOf } from '../../contracts/plugins.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { compileProfile } from '../../pipeline/compile.ts'
import { passesSafely } from '../../pipeline/filtering/passes-safely.ts'
import { isAsked, prepareFilters } from '../../pipeline/filtering/run-filters.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostName } from '../../values/host-name.ts'
import { byMembers, groupOf, prepareGrants } from '../filter-scheduler.ts'

/**
 * Returns true if an arrangement is valid: the host of each instance passes every filter of the profile while the overlay contains the
 * earlier instances. Only the hosts of the arrangement are examined. The overlay is unchanged at the end.
 */
export function holdsArrangement(
  profile: Profile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  hosts: readonly HostName[],
): boolean {
  if (hosts.length !== request.numInstances) return false
  const compiled = compileProfile(profile, pluginsOf(fleet))
  const kindOf = byMembers(request, ({ request: asked }) => ({
    steps: prepareFilters(compiled, asked, fleet).filter(isAsked),
    grantsOn: prepareGrants(compiled, asked, fleet),
  }))
  const before = overlay.size
  const holds = hosts.every((name, instance) => {
    const index = fleet.hosts.find(name)?.index
    const { steps, grantsOn } = kindOf(instance)
    if (index === undefined) return false
    if (!steps.every(({ prepared }) => prepared !== undefined && passesSafely(prepared, index) === true)) return false
    overlay.hold({ claim: '', instance: null, host: name.host, node: name.node, grants: grantsOn(index) }, groupOf(request))
    return true
  })
  overlay.rollback(before)
  return holds
}
