import type { Fleet } from '../fleet/fleet.ts'
import { profileRef } from '../profiles/profile.ts'
import { namespaceNamed } from './index.ts'
import type { NamespaceName } from './names.ts'

/** What reads each namespace, by the names that profiles have for it. */
const readers: Readonly<Record<NamespaceName, readonly string[]>> = {
  storage: ['VolumeAffinityFilter', 'VolumeAffinityWeigher'],
  network: ['PortAffinityFilter', 'PortAffinityWeigher'],
}

/**
 * From which age on, in milliseconds, a document that did not change is to be written again, so that it stays young: a fourth of the
 * shortest age that a profile which decides, or is tried, allows. Undefined where nobody asks how old documents of the namespace are.
 */
export function renewalAge({ profiles }: Pick<Fleet, 'profiles'>, name: string): number | undefined {
  const namespace = namespaceNamed(name)
  if (namespace === undefined) return undefined
  const used = profiles.names().flatMap((profile) => {
    const candidate = profiles.courseOf(profile)?.rollout?.number
    return [profile, ...(candidate === undefined ? [] : [profileRef({ name: profile, number: candidate })])]
  })
  let shortest = namespace.maxAgeSeconds
  for (const ref of used) {
    const { filters = [], weighers = [] } = profiles.find(ref) ?? {}
    for (const { name: part, options } of [...filters, ...weighers])
      if (readers[namespace.name].includes(part) && typeof options.maxAgeSeconds === 'number')
        shortest = Math.min(shortest, options.maxAgeSeconds)
  }
  return shortest * 250
}
