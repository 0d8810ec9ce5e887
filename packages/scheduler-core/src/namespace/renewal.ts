import type { Fleet } from '../fleet/fleet.ts'
import { pluginsOf } from '../plugin/plugins.ts'
import { profileRef } from '../profiles/profile.ts'
import { namespaceNamed } from './index.ts'
import { readingsOf } from './reading.ts'

/**
 * From which age on, in milliseconds, a document that did not change is to be written again, so that it stays young: a fourth of the
 * shortest age that a profile which decides, or is tried, allows. Undefined where nobody asks how old documents of the namespace are.
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
