import type { RequestSpec } from '../../request/request-spec.ts'
import { novaRequestOf } from '../requests/own-request.ts'
import { givenNamesOf } from '../text/image-properties.ts'
import { architectureName, hypervisorTypeName, vmModeName } from '../text/names.ts'
import { NovaError } from '../text/nova-error.ts'

/** A value of an image that Nova's image objects refuse. */
export interface UnreadableProperty {
  /** The path in the typed form. */
  readonly path: readonly string[]
  readonly found: string
  readonly why: string
}

const names = { hw_architecture: architectureName, img_hv_type: hypervisorTypeName, hw_vm_mode: vmModeName } as const

/** The property of an image that Nova cannot read, so that Nova's rules would fail on every host. */
export function unreadableImage(request: RequestSpec): UnreadableProperty | undefined {
  const { image, nova } = request
  if (image === null) return undefined
  const { properties, architecture } = image
  try {
    novaRequestOf(request)
    // A document of Nova's has unconverted properties, which rules read.
    if (nova !== null)
      for (const [name, read] of Object.entries(names)) if (properties[name] !== undefined) namedBy(name, properties[name], read)
    return undefined
  } catch (error) {
    if (!(error instanceof NovaError) || error.at?.startsWith(PROPERTIES) !== true) throw error
    const name = error.at.slice(PROPERTIES.length)
    const [given = name] = givenNamesOf(properties, name)
    const found = properties[given]
    return found === undefined && architecture !== null
      ? { path: ['image', 'architecture'], found: architecture, why: error.message }
      : { path: ['image', 'properties', given], found: found ?? '', why: error.message }
  }
}

const PROPERTIES = 'image.properties.'

function namedBy(name: string, value: string, read: (name: string) => string): void {
  try {
    read(value)
  } catch (error) {
    throw error instanceof NovaError ? new NovaError(error.kind, error.message, `${PROPERTIES}${name}`) : error
  }
}
