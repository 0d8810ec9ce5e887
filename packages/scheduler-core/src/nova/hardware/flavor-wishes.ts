import type { ImageProperties } from '../text/image-properties.ts'
import type { PythonValue } from '../text/python-json.ts'

/** What a flavor gives an instance, and its extra specs. */
export interface FlavorSize {
  readonly vcpus: number
  readonly memoryMib: number
  readonly extraSpecs: Readonly<Record<string, string>>
}

/** A wish that both flavor and image may state: `hw:<key>` and `hw_<key>`; null where one does not. */
export interface Wish<Image extends PythonValue> {
  readonly flavor: string | null
  readonly image: Image | null
}

/** A wish whose image property is text. */
export function wish(flavor: FlavorSize, image: ImageProperties, key: string): Wish<string> {
  const value = image[`hw_${key}`] ?? null
  return { flavor: flavor.extraSpecs[`hw:${key}`] ?? null, image: typeof value === 'string' ? value : null }
}

/** An image property that is a number, or yes and no, or a list; null where the image has none. */
export function imageNumber(image: ImageProperties, name: string): number | null {
  const value = image[name] ?? null
  return typeof value === 'number' ? value : null
}
