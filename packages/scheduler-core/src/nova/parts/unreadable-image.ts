import type { RequestSpec } from '../../request/request-spec.ts'
import { novaRequestOf } from '../requests/own-request.ts'
import { givenNamesOf } from '../text/image-properties.ts'
import { architectureName, hypervisorTypeName, vmModeName } from '../text/names.ts'
import { NovaError } from '../text/nova-error.ts'

/** An image property with a value that Nova's image objects refuse. */
export interface UnreadableProperty {
  /** The path in this service's form of the request. */
  readonly path: readonly string[]
  readonly found: string
  readonly why: string
}

const names = { hw_architecture: architectureName, img_hv_type: hypervisorTypeName, hw_vm_mode: vmModeName } as const

/** Finds an image property that Nova cannot read. With such a property, Nova's filters would raise an exception on every host. */
export function unreadableImage(request: RequestSpec): UnreadableProperty | undefined {
  const { image, nova } = request
  if (image === null) return undefined
  const { properties, architecture } = image
  try {
    novaRequestOf(request)
    // In a request in Nova's form, the properties are not converted. Nova's rules read them as they are.
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
