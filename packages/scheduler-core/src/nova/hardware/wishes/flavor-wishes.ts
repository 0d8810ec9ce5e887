import type { ImageProperties } from '../../text/image-properties.ts'
import type { PythonValue } from '../../text/python-json.ts'

/** The size of an instance by its flavor, and the extra specs. */
export interface FlavorSize {
  readonly vcpus: number
  readonly memoryMib: number
  readonly extraSpecs: Readonly<Record<string, string>>
}

/** A setting that both flavor and image can have, as `hw:<key>` and `hw_<key>`. A value is null if it is not set. */
export interface Wish<Image extends PythonValue> {
  readonly flavor: string | null
  readonly image: Image | null
}

/** A setting whose image property is text. */
export function wish(flavor: FlavorSize, image: ImageProperties, key: string): Wish<string> {
  const value = image[`hw_${key}`] ?? null
  return { flavor: flavor.extraSpecs[`hw:${key}`] ?? null, image: typeof value === 'string' ? value : null }
}

/** An image property that is a number, a boolean or a list; null where the image has none. */
export function imageNumber(image: ImageProperties, name: string): number | null {
  const value = image[name] ?? null
  return typeof value === 'number' ? value : null
}
