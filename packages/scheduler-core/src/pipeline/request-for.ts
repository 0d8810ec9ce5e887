import type { Profile } from '../records/profile.ts'
import { requestAt } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/**
 * The request as the filters of a profile read it for the instance with this index. Nova's rules read the uuid of only one instance, so the
 * list of uuids then begins with that of this instance. All other rules read the same request for all instances with the same demands.
 */
export function requestFor(request: RequestSpec, { compat }: Pick<Profile, 'compat'>, instance: number): RequestSpec {
  const asked = requestAt(request, instance)
  const uuid = asked.instanceUuids[instance]
  if (compat !== 'nova' || instance === 0 || uuid === undefined) return asked
  return { ...asked, instanceUuids: [uuid, ...asked.instanceUuids.filter((other) => other !== uuid)] }
}
