import { restated } from '../../../../contracts/restated.ts'
import type { Fleet } from '../../../../fleet/fleet.ts'
import type { RequestSpec } from '../../../../request/request-spec.ts'
import { keysOfProperty } from '../../../../text/legacy-image-properties.ts'
import { metadataValues, type Name } from './name.ts'

/** The image properties that are compared with what hosts support, each with the field of the hosts' reports. */
const supported = [
  ['hw_architecture', 'arch'],
  ['img_hv_type', 'hvType'],
  ['hw_vm_mode', 'vmMode'],
] as const

/** For a host that does not support the image: the architecture, hypervisor type and VM mode that the image requires. */
export const supportedNames = ({ hosts }: Fleet, request: RequestSpec): readonly Name[] =>
  supported.flatMap(([property, part]) => {
    const known = () => new Set(hosts.present.flatMap(({ stats }) => stats.supportedInstances.map((triple) => triple[part])))
    return valuesOf(request, property, known)
  })

/** For a host whose aggregates have another value of an image property: this property. */
export const aggregateNames = (fleet: Fleet, request: RequestSpec, property: string): readonly Name[] =>
  valuesOf(request, property, () => metadataValues(fleet, property))

/** The values of a property of the image. The image can have it by several names. */
function valuesOf({ image }: RequestSpec, property: string, known: () => Iterable<string>): readonly Name[] {
  if (image === null) return []
  const keys = keysOfProperty(image.properties, property)
  const named = (subject: string, word: string, rename: Name['rename']): Name => ({
    ...{ kind: `value of image property ${property}`, subject: `image ${subject}`, word, known, rename },
    misspeltBefore: () => 0,
  })
  const { architecture } = image
  if (keys.length === 0 && property === 'hw_architecture' && architecture !== null)
    return [named('architecture', architecture, (one, to) => restated(one, { image: one.image && { ...one.image, architecture: to } }))]
  return keys.map((key) =>
    named(key, image.properties[key] ?? '', (one, to) =>
      restated(one, { image: one.image && { ...one.image, properties: { ...one.image.properties, [key]: to } } }),
    ),
  )
}
