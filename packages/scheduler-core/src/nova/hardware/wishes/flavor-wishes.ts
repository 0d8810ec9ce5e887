import type { ImageProperties } from '../../text/image-properties.ts'
import type { PythonValue } from '../../text/python-json.ts'

/** The fields of a flavor that are needed for a guest topology. */
export interface FlavorSize {
  readonly vcpus: number
  readonly memoryMib: number
  readonly extraSpecs: Readonly<Record<string, string>>
}

/** The two values of a setting that flavor (`hw:<key>`) and image (`hw_<key>`) can both have. A value that is not set is null. */
export interface Wish<Image extends PythonValue> {
  readonly flavor: string | null
  readonly image: Image | null
}

/** Reads a setting from flavor and image, if its image property is text. */
export function wish(flavor: FlavorSize, image: ImageProperties, key: string): Wish<string> {
  const value = image[`hw_${key}`] ?? null
  return { flavor: flavor.extraSpecs[`hw:${key}`] ?? null, image: typeof value === 'string' ? value : null }
}

/** An image property that is a number. Null if the image does not have it. */
export function imageNumber(image: ImageProperties, name: string): number | null {
  const value = image[name] ?? null
  return typeof value === 'number' ? value : null
}
