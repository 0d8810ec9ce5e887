import { z } from 'zod'
import { memoByObject } from '../../values/memo.ts'
import type { HostState } from '../objects/host-state.ts'
import { novaWeigher } from '../parts/nova-weigher.ts'
import { readSettings } from '../parts/weight-settings.ts'
import type { ImageProperties } from '../text/image-properties.ts'
import { pythonText } from '../text/python-text.ts'

const options = z.strictObject({
  /** One `name=ratio` entry for each property. If the list is empty, all properties have the same ratio. */
  image_props_weight_setting: z.array(z.string()).default([]),
})

/**
 * Scores hosts by their instances whose images have the same properties as the request's image, by name and value. Each property counts
 * with its ratio (Nova 31 and later). Disabled by default. If the multiplier option is 0, aggregates cannot enable the weigher.
 */
export const imagePropertiesWeigher = novaWeigher({
  name: 'ImagePropertiesWeigher',
  description: "Instances on the host whose images have the same properties as the request's image.",
  reads: [],
  readsRequest: ({ image_props_weight_setting: entries = [] }) => {
    const ratioOf = ratiosOf(entries as readonly string[])
    return {
      imageProperties: (key, _value, { propertiesOf }) => propertiesOf(key).some(({ name }) => ratioOf(name) !== 0),
      ...(ratioOf('hw_architecture') !== 0 && { fields: ['architecture'] }),
    }
  },
  unit: 'instances',
  multiplier: { key: 'image_props_weight_multiplier', byDefault: 0 },
  options,
  prepare({ image }, { image_props_weight_setting: entries }, _multiplierOf, configured) {
    const ratioOf = ratiosOf(entries)
    const asked = Object.entries(image?.properties ?? {}).map(([name, value]) => ({
      pair: pairOf(name, pythonText(value)),
      ratio: ratioOf(name),
    }))
    if (configured === 0 || asked.length === 0) return () => 0
    return ({ instanceImages }) => {
      const counts = instanceImages && countsOf(instanceImages)
      let sum = 0
      if (counts !== undefined) for (const { pair, ratio } of asked) sum += ratio * (counts.get(pair) ?? 0)
      return sum
    }
  },
})

/** The ratio of each property. 0 for a property that is ignored. */
function ratiosOf(entries: readonly string[]): (name: string) => number {
  const settings = new Map(readSettings(entries).map(({ name, ratio }) => [name, ratio]))
  return (name) => (settings.size === 0 ? 1 : (settings.get(name) ?? 0))
}

/** The number of instances by image property and value. */
const countsOf = memoByObject((images: NonNullable<HostState['instanceImages']>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const properties of images.values()) for (const pair of pairsOf(properties)) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  return counts
})

/** Many instances share one image, so its properties are counted once. */
const pairsOf = memoByObject((properties: ImageProperties) =>
  Object.entries(properties).map(([name, value]) => pairOf(name, pythonText(value))),
)

const pairOf = (name: string, text: string): string => `${name}\u0000${text}`
