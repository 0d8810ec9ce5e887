import {
  type PluginRef,
  type Profile,
  pluginsOf,
  presentName,
  type RequiredNamespace,
  requiredStats,
  servedProfiles,
} from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import type { HostView } from '../host/host-view.ts'
import type { HostNameInput } from '../host/hosts.ts'
import { unknownProfile } from '../profile/profiles.ts'

/** The fields that reporters must send, and the profile versions that need each field. */
export interface Required {
  readonly profiles: readonly Profile[]
  readonly namespaces: readonly RequiredNamespace[]
  readonly revision: number
}

export interface RequiredStats {
  /**
   * The fields that the profiles in `profiles` need or, if `profiles` is absent, the fields that active versions and versions in rollouts
   * need. If `host` is set, the fields that the claims of this host need are added. A host that never reported has no claims. Throws
   * InputFault for a profile that does not exist.
   */
  of(asked: { readonly profiles?: readonly string[] | undefined; readonly host?: HostNameInput | undefined }): Required
  /** The fields that reports of this host must contain. They depend on earlier reports, so the host must have reported. */
  ofHost(host: Pick<HostView, 'record'>): Required
}

/** `pluginsOfOthers` returns the plug-ins that the other replicas have loaded. */
export function createRequiredStats(replica: Replica, pluginsOfOthers: () => readonly PluginRef[]): RequiredStats {
  /** The names of the plug-ins of which another replica has loaded another version. */
  const unlike = (): ReadonlySet<string> => {
    const others = pluginsOfOthers()
    const own = pluginsOf(replica.fleet).list
    const isUnlike = ({ name, version }: PluginRef): boolean => others.some((other) => other.name === name && other.version !== version)
    return new Set(own.filter(isUnlike).map(({ name }) => name))
  }
  const answer = (profiles: readonly Profile[], host?: HostView['record']): Required => ({
    profiles,
    namespaces: requiredStats(replica.fleet, profiles, host, unlike()),
    revision: replica.fleet.place.revision,
  })
  return {
    of({ profiles: refs, host }) {
      const { hosts, profiles } = replica.fleet
      const wanted = refs?.map((ref, i) => {
        const found = profiles.find(ref)
        if (found === undefined) throw new InputFault([unknownProfile(replica, ref, ['profiles', String(i)])])
        return found
      })
      return answer(
        wanted ?? servedProfiles(profiles),
        host && hosts.find(presentName(hosts, { host: host.host, node: host.node ?? host.host })),
      )
    },
    ofHost: ({ record }) => answer(servedProfiles(replica.fleet.profiles), record),
  }
}
