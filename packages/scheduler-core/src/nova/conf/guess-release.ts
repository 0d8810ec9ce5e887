import { type Setting, sectionKey } from './ini.ts'
import { BARE_METAL, ENABLED, WEIGHT_CLASSES } from './known-options.ts'
import { placesByName } from './read-options.ts'
import { isIn, type Lifespan, lifespanOf, OLDEST, releaseNames, USUAL } from './releases.ts'
import { listOf } from './values.ts'

/** Releases that something in a file indicates, and the weight of that. */
interface Hint extends Lifespan {
  readonly weight: number
}

/** The release that reads the most of what a file names; of several the nearest to the usual one. */
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

/** Later releases read old names too, but files for them use the new ones. */
const LAST_OF_OLD_NAMES = 14

/** An option with its section, and the filters and weighers that it names. */
function hintsIn({ section, name, value }: Setting): readonly Hint[] {
  const known = placesByName.get(`${sectionKey(section)}.${name}`)
  if (known === undefined) return []
  const { option, place } = known
  const isOld = place.section === 'DEFAULT'
  // Options of hosts were once the scheduler's, so they indicate no release.
  if (isOld && option.places.length === 1) return []
  const parts = [ENABLED, BARE_METAL, WEIGHT_CLASSES].includes(option.key) ? listOf(value) : []
  return [
    { ...place, weight: 2 },
    ...(isOld ? [{ since: OLDEST, until: LAST_OF_OLD_NAMES, weight: 1 }] : []),
    ...parts.map((part) => ({ ...lifespanOf(part.split('.').at(-1) ?? part), weight: 2 })),
  ]
}
