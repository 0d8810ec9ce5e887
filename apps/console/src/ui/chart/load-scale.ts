/** The colour scale for load. It is based on cividis: its lightness rises steadily, so it can be read with any colour vision and in greyscale. */

const stops: readonly (readonly [number, number, number])[] = [
  [0, 32, 76],
  [49, 68, 107],
  [102, 105, 112],
  [149, 143, 120],
  [203, 186, 105],
  [255, 234, 70],
]

/** The background of the page. Full cells are bright on a dark page, and dark on a bright page. */
export type Backdrop = 'light' | 'dark'

/** 256 colours, from that of an empty cell to that of a full cell, as pixels of an ImageData (ABGR, little-endian). */
export function loadPixels(backdrop: Backdrop): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const [red, green, blue] = colourAt(i / 255, backdrop)
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
  })
}

/** The scale as a CSS gradient from left (empty) to right (full). */
export function loadGradient(backdrop: Backdrop): string {
  const colours = stops.map((_, i) => `rgb(${colourAt(i / (stops.length - 1), backdrop).join(' ')})`)
  return `linear-gradient(90deg, ${colours.join(', ')})`
}

function colourAt(share: number, backdrop: Backdrop): readonly [number, number, number] {
  const index = (backdrop === 'dark' ? share : 1 - share) * (stops.length - 1)
  const from = stops[Math.floor(index)] ?? [0, 0, 0]
  const to = stops[Math.ceil(index)] ?? from
  const part = index - Math.floor(index)
  const mix = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * part)
  return [mix(0), mix(1), mix(2)]
}
