import type { Plugins } from '../../contracts/plugins.ts'
import { portAffinity } from '../../namespace/port-affinity.ts'
import { volumeAffinity } from '../../namespace/volume-affinity.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { readsByAge } from './reading.ts'

/** All affinities to volumes and ports that other services report. They depend on the age of the documents. */
const affinities = [volumeAffinity, portAffinity]

/** Whether a decision depends on the time, because documents become too old even while no entry is written. */
export const asksAges = (request: RequestSpec, profile: Profile, plugins: Plugins): boolean =>
  affinities.some(
    ({ hint, own }) => (request.schedulerHints[hint] ?? []).length > 0 || (request.nearVolumesAndPorts && own(request).length > 0),
  ) || readsByAge(profile, plugins)

/** The volumes and ports of a request's instances, for requests in this service's form and in Nova's form. */
export const ownThingsOf = (request: RequestSpec) => ({ volumes: volumeAffinity.own(request), ports: portAffinity.own(request) })
