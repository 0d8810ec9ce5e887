import { type Setting, sectionKey } from './ini.ts'
import { BARE_METAL, ENABLED, WEIGHT_CLASSES } from './known-options.ts'
import { placesByName } from './read-options.ts'
import { isIn, type Lifespan, lifespanOf, OLDEST, releaseNames, USUAL } from './releases.ts'
import { listOf } from './values.ts'

/** Releases that a setting in a file indicates, and the weight of this evidence. */
interface Hint extends Lifespan {
  readonly weight: number
}

/** The release that reads most of the settings in a file. If several releases read equally many, the one nearest to the usual release. */
export function guessRelease(settings: readonly Setting[]): number {
  const hints = settings.flatMap(hintsIn)
  let best = { release: USUAL, weight: -1 }
  for (const release of releaseNames.keys()) {
    const weight = hints.reduce((sum, hint) => sum + (isIn(release, hint) ? hint.weight : 0), 0)
    const isNearer = Math.abs(release - USUAL) < Math.abs(best.release - USUAL)
    if (weight > best.weight || (weight === best.weight && isNearer)) best = { release, weight }
  }
  return best.release
}

/** The last release whose files use the old option names. Later releases still read the old names, but their files use the new ones. */
const LAST_OF_OLD_NAMES = 14

/** The evidence from one setting: the option with its section, and the filters and weighers in its value. */
function hintsIn({ section, name, value }: Setting): readonly Hint[] {
  const known = placesByName.get(`${sectionKey(section)}.${name}`)
  if (known === undefined) return []
  const { option, place } = known
  const isOld = place.section === 'DEFAULT'
  // Some options of hosts were options of the scheduler in older releases, so they do not indicate a release.
  if (isOld && option.places.length === 1) return []
  const parts = [ENABLED, BARE_METAL, WEIGHT_CLASSES].includes(option.key) ? listOf(value) : []
  return [
    { ...place, weight: 2 },
    ...(isOld ? [{ since: OLDEST, until: LAST_OF_OLD_NAMES, weight: 1 }] : []),
    ...parts.map((part) => ({ ...lifespanOf(part.split('.').at(-1) ?? part), weight: 2 })),
  ]
}
