import type { Plugins } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { portAffinity } from './port-affinity.ts'
import { readsByAge } from './reading.ts'
import { volumeAffinity } from './volume-affinity.ts'

/** What names things of other services; whoever asks for one asks how old documents are. */
const affinities = [volumeAffinity, portAffinity]

/** Whether a decision depends on what time it is: on a log in which nothing happened, nothing has grown old. */
export const asksAges = (request: RequestSpec, profile: Profile, plugins: Plugins): boolean =>
  affinities.some(
    ({ hint, own }) => (request.schedulerHints[hint] ?? []).length > 0 || (request.nearVolumesAndPorts && own(request).length > 0),
  ) || readsByAge(profile, plugins)

/** The volumes and ports that the instances of a request have, whichever form it came in. */
export const ownThingsOf = (request: RequestSpec) => ({ volumes: volumeAffinity.own(request), ports: portAffinity.own(request) })
