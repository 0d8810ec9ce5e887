import type { Backdrop } from '../../../ui/chart/load-scale.ts'
import { positionOf } from './map-groups.ts'
import type { VerdictGroup } from './verdicts.ts'

type Colour = readonly [red: number, green: number, blue: number]

const CHOSEN: Readonly<Record<Backdrop, Colour>> = { light: [0, 0, 0], dark: [255, 255, 255] }
const PASSED: Colour = [40, 120, 220]
const UNKNOWN: Colour = [140, 140, 140]
/** The colours of the first and of the last refusing filter. Later filters have brighter colours, so that they also differ in greyscale. */
const REFUSED: readonly [Colour, Colour] = [
  [110, 40, 100],
  [240, 190, 80],
]

/** The colour of each group. */
export function verdictColours(groups: readonly VerdictGroup[], backdrop: Backdrop): readonly Colour[] {
  const refused = groups.filter(({ key }) => key.startsWith('refused:'))
  return groups.map((group) => {
    if (group.key === 'chosen') return CHOSEN[backdrop]
    if (group.hasPassed) return PASSED
    const index = refused.indexOf(group)
    return index < 0 ? UNKNOWN : between(REFUSED, refused.length === 1 ? 0.5 : index / (refused.length - 1))
  })
}

/** The colours as pixels of an ImageData (ABGR, little-endian). The colour of a group is at the index of the group's shade. */
export function verdictPixels(groups: readonly VerdictGroup[], backdrop: Backdrop): Uint32Array {
  const pixels = new Uint32Array(256)
  verdictColours(groups, backdrop).forEach(([red, green, blue], group) => {
    pixels[positionOf(group)] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
  })
  return pixels
}

function between([from, to]: readonly [Colour, Colour], part: number): Colour {
  const mix = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * part)
  return [mix(0), mix(1), mix(2)]
}
