import { type Setting, sectionKey } from './ini.ts'
import { BARE_METAL, ENABLED, WEIGHT_CLASSES } from './known-options.ts'
import { placesByName } from './read-options.ts'
import { isIn, type Lifespan, lifespanOf, OLDEST, releaseNames, USUAL } from './releases.ts'
import { listOf } from './values.ts'

/** A range of releases to which a file probably belongs, according to one of its settings, and the weight of this evidence. */
interface Hint extends Lifespan {
  readonly weight: number
}

/** Guesses the release of a file: the release with the most evidence. Of several such releases, the one nearest to `USUAL`. */
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

/** The last release in which the old option names are usual. Later releases accept the old names, but their files use the new names. */
const LAST_OF_OLD_NAMES = 14

/** The evidence from one setting: which releases read the option in this section, and which have the filters and weighers in its value. */
function hintsIn({ section, name, value }: Setting): readonly Hint[] {
  const known = placesByName.get(`${sectionKey(section)}.${name}`)
  if (known === undefined) return []
  const { option, place } = known
  const isOld = place.section === 'DEFAULT'
  // Options in [DEFAULT] that never moved are also options of hosts in later releases, so they give no evidence.
  if (isOld && option.places.length === 1) return []
  const parts = [ENABLED, BARE_METAL, WEIGHT_CLASSES].includes(option.key) ? listOf(value) : []
  return [
    { ...place, weight: 2 },
    ...(isOld ? [{ since: OLDEST, until: LAST_OF_OLD_NAMES, weight: 1 }] : []),
    ...parts.map((part) => ({ ...lifespanOf(part.split('.').at(-1) ?? part), weight: 2 })),
  ]
}
