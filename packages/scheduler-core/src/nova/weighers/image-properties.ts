import { z } from 'zod'
import { memoByObject } from '../../values/memo.ts'
import type { HostState } from '../objects/host-state.ts'
import { noScore, novaWeigher } from '../parts/nova-weigher.ts'
import { readSettings } from '../parts/weight-settings.ts'
import type { ImageProperties } from '../text/image-properties.ts'
import { pythonText } from '../text/python-text.ts'

const options = z.strictObject({
  /** One `name=ratio` entry for each property. If the list is empty, all properties have the same ratio. */
  image_props_weight_setting: z.array(z.string()).default([]),
})

/**
 * Prefers hosts with instances whose images have the same properties, by name and value, as the request's image. For each property of the
 * request's image, the number of these instances is multiplied by the property's ratio. The score is the sum of these products. Nova has
 * this weigher from release 31 on. It is disabled by default. If the multiplier option is 0, aggregates cannot enable it.
 */
export const imagePropertiesWeigher = novaWeigher({
  name: 'ImagePropertiesWeigher',
  description: "Instances on the host whose images have the same properties as the request's image; more are better.",
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
    if (configured === 0 || asked.length === 0) return noScore
    return ({ instanceImages }) => {
      const counts = instanceImages && countsOf(instanceImages)
      let sum = 0
      if (counts !== undefined) for (const { pair, ratio } of asked) sum += ratio * (counts.get(pair) ?? 0)
      return sum
    }
  },
})

/** Returns a function for the ratio of an image property. If the option lists properties, the ratio of all other properties is 0. */
function ratiosOf(entries: readonly string[]): (name: string) => number {
  const settings = new Map(readSettings(entries).map(({ name, ratio }) => [name, ratio]))
  return (name) => (settings.size === 0 ? 1 : (settings.get(name) ?? 0))
}

/** For each pair of an image property and a value: the number of instances whose image has it. */
const countsOf = memoByObject((images: NonNullable<HostState['instanceImages']>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const properties of images.values()) for (const pair of pairsOf(properties)) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  return counts
})

/** The pairs of property and value of an image. Cached, because many instances have the same image. */
const pairsOf = memoByObject((properties: ImageProperties) =>
  Object.entries(properties).map(([name, value]) => pairOf(name, pythonText(value))),
)

const pairOf = (name: string, text: string): string => `${name}\u0000${text}`
