import { z } from 'zod'
import { shortList } from '../../../text/short-list.ts'
import { aggregatesWith, splitValues } from '../../../weighers/aggregate-metadata.ts'
import { checkEach, novaFilter } from '../../parts/nova-filter.ts'
import { imagePropertyFields } from '../../text/image-property-fields.ts'
import type { PythonValue } from '../../text/python-json.ts'
import { pythonValueOf } from '../../text/python-json.ts'
import { isTruthy, pythonText } from '../../text/python-text.ts'

const NAMESPACE = 'aggregate_image_properties_isolation_namespace'
const SEPARATOR = 'aggregate_image_properties_isolation_separator'

/** If a namespace is set, only metadata keys that start with the namespace and the separator are compared. */
const options = z.strictObject({ [NAMESPACE]: z.string().nullable().default(null), [SEPARATOR]: z.string().default('.') })

/**
 * Compares the image's properties with the metadata of the host's aggregates. If a metadata key is the name of an image property, an image
 * with this property must have one of the values in the metadata. Other metadata keys have no effect. A property with the value False, 0 or
 * an empty value is treated as absent.
 */
export const aggregateImagePropertiesIsolation = novaFilter({
  name: 'AggregateImagePropertiesIsolation',
  description: "The image has no property whose value differs from the values that the host's aggregates require.",
  admits: {
    by: 'property',
    which: () => 'open to the properties of the image by the metadata of their aggregates',
  },
  reads: [],
  cachedBy: ['image'],
  readsMetadata: ({ [NAMESPACE]: namespace, [SEPARATOR]: separator = '.' }) => [
    { key: `${prefixOf(namespace, separator)}*`, by: 'properties of images' },
  ],
  oncePerRequest: true,
  readsRequest: ({ [NAMESPACE]: namespace, [SEPARATOR]: separator = '.' }) => {
    const prefix = prefixOf(namespace, separator)
    return {
      imageProperties: (key, _value, { propertiesOf, hasMetadata }) =>
        propertiesOf(key).some(({ name, value }) => name.startsWith(prefix) && isTruthy(pythonValueOf(value)) && hasMetadata(name)),
      ...('hw_architecture'.startsWith(prefix) && { fields: ['architecture'] }),
    }
  },
  runsOnRebuild: true,
  options,
  prepare({ image }, { [NAMESPACE]: namespace, [SEPARATOR]: separator }) {
    const prefix = prefixOf(namespace, separator)
    const asked = Object.entries(image?.properties ?? {})
      .filter(([name, value]) => name.startsWith(prefix) && imagePropertyFields.has(name) && isTruthy(value))
      .map(([name, value]) => ({ name, need: textOf(name, value) }))
    if (asked.length === 0) return undefined
    const check = checkEach(
      asked.map(({ name, need }) => ({
        which: openTo([`${name} ${need}`]),
        check(host) {
          const values = splitValues(host, name)
          if (values === undefined || values.has(need)) return undefined
          const have = [...values].join(', ')
          return { code: 'aggregate.image_property', subject: name, need, have, source: aggregatesWith(host, name) }
        },
      })),
    )
    return Object.assign(check, { which: openTo(asked.map(({ name, need }) => `${name} ${need}`)) })
  },
})

const openTo = (properties: readonly string[]): string => `open to images with ${shortList(properties)} by the metadata of their aggregates`

const prefixOf = (namespace: unknown, separator: unknown): string => (namespace ? `${namespace}${separator}` : '')

/** The value of an image property as Python prints it. The CPUs of NUMA nodes are printed as sets, because they are sets in Nova. */
function textOf(name: string, value: PythonValue): string {
  if (name !== 'hw_numa_cpus' || !Array.isArray(value)) return pythonText(value)
  return `[${value.map((cpus: PythonValue) => (Array.isArray(cpus) && cpus.length > 0 ? `{${cpus.map(pythonText).join(', ')}}` : 'set()')).join(', ')}]`
}
