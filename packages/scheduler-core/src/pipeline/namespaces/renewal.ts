import { pluginsOf } from '../../contracts/plugins.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { namespaceNamed } from '../../namespace/index.ts'
import { profileRef } from '../../records/profile.ts'
import { readingsOf } from './reading.ts'

/**
 * The age in milliseconds at which an unchanged document is written again, so that it does not become too old for decisions. It is a
 * quarter of the shortest maximum age: that of the namespace, or one that a profile sets that is active or in a rollout. Undefined if this
 * replica does not know the namespace.
 */
export function renewalAge(fleet: Pick<Fleet, 'profiles' | 'plugins'>, name: string): number | undefined {
  const { profiles } = fleet
  const plugins = pluginsOf(fleet)
  const namespace = namespaceNamed(name, plugins)
  if (namespace === undefined) return undefined
  const used = profiles.names().flatMap((profile) => {
    const candidate = profiles.courseOf(profile)?.rollout?.number
    return [profile, ...(candidate === undefined ? [] : [profileRef({ name: profile, number: candidate })])]
  })
  let shortest = namespace.maxAgeSeconds
  for (const ref of used) {
    const profile = profiles.find(ref)
    for (const { namespace: read, maxAgeSeconds } of profile === undefined ? [] : readingsOf(profile, plugins))
      if (read === name && maxAgeSeconds !== undefined) shortest = Math.min(shortest, maxAgeSeconds)
  }
  return shortest * 250
}
