import type { Plugins } from '../../contracts/plugins.ts'
import { portAffinity } from '../../namespace/port-affinity.ts'
import { volumeAffinity } from '../../namespace/volume-affinity.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { memoByObject } from '../../values/memo.ts'
import { compileProfile } from '../compile.ts'
import { readsByAge } from './reading.ts'

/**
 * The affinities to volumes and ports. Other services report the locations of volumes and ports as documents, which are ignored if they are
 * too old.
 */
const affinities = [volumeAffinity, portAffinity]

/**
 * Returns true if the decision of the request depends on the time: if the request has an affinity to volumes or ports, if a filter of the
 * profile compares times for this request, or if the profile reads namespaces of plug-ins. Documents become too old even while no log entry
 * is written.
 */
export const asksAges = (request: RequestSpec, profile: Profile, plugins: Plugins): boolean =>
  affinities.some(
    ({ hint, own }) => (request.schedulerHints[hint] ?? []).length > 0 || (request.nearVolumesAndPorts && own(request).length > 0),
  ) ||
  readsByAge(profile, plugins) ||
  timedFilters(plugins)(profile).some((asks) => asks(request))

/** For the filters of a profile version that compare times, functions that return true for requests for which they do. */
const timedFilters = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile) => {
    const { filters, shadows } = compileProfile(profile, plugins)
    return [...filters, ...shadows].flatMap(({ filter }) => filter.asksAges ?? [])
  }),
)

/** The volumes and ports of a request's own instances. Reads requests in Gantt's form and in Nova's form. */
export const ownThingsOf = (request: RequestSpec) => ({ volumes: volumeAffinity.own(request), ports: portAffinity.own(request) })
