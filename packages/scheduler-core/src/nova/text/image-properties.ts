import { legacyNames } from '../../text/legacy-image-properties.ts'
import { quote } from '../../text/problem.ts'
import { memoByObject } from '../../values/memo.ts'
import { cpuListParser } from './cpu-list.ts'
import { imagePropertyFields } from './image-property-fields.ts'
import { NovaError } from './nova-error.ts'
import { pythonInt } from './numbers.ts'
import { type PythonValue, pythonValueOf } from './python-json.ts'
import { pythonText } from './python-text.ts'

/** The properties of an image that are set, with the names and types of Nova's ImageMetaProps. */
export type ImageProperties = Readonly<Record<string, PythonValue>>

/** Nova reads the properties of at most this many guest NUMA nodes. */
export const MAX_NUMA_NODES = 128

/**
 * Converts image properties from the form of the image service to that of Nova's ImageMetaProps. Legacy names become current names. If an
 * image has both, the current name has precedence. Text becomes numbers, booleans and lists. Unknown properties are left out. Throws
 * ValueError for a value that the field does not allow, and Invalid for a wrong CPU list.
 */
export function imagePropertiesFrom(raw: Readonly<Record<string, PythonValue>>): ImageProperties {
  const found: Record<string, PythonValue> = {}
  const parseCpus = cpuListParser()
  const set = (name: string, value: PythonValue): void => {
    found[name] = coerce(name, value)
  }
  for (const [legacy, name] of Object.entries(legacyNames)) if (Object.hasOwn(raw, legacy)) set(name, raw[legacy] as PythonValue)
  setAdapter(raw.vmware_adaptertype ?? null, set)
  for (const name of imagePropertyFields.keys()) {
    if (name === 'hw_numa_mem') setPerNode(raw, name, (value) => pythonInt(pythonText(value)), set)
    else if (name === 'hw_numa_cpus') setPerNode(raw, name, (value) => parseCpus(pythonText(value)), set)
    else if (name !== 'traits_required' && Object.hasOwn(raw, name)) set(name, raw[name] as PythonValue)
  }
  const traits = Object.keys(raw).filter((key) => key.startsWith('trait:') && pythonText(raw[key] as PythonValue) === 'required')
  if (traits.length > 0) found.traits_required = traits.map((key) => key.slice('trait:'.length))
  return found
}

/** Like imagePropertiesFrom, but reads JSON values instead of Python values. */
export const readImageProperties = (json: Readonly<Record<string, unknown>>): ImageProperties =>
  imagePropertiesFrom(Object.fromEntries(Object.entries(json).map(([name, value]) => [name, pythonValueOf(value)])))

/** The names of the Nova properties that are read from a property of an image. Empty if the property has no effect. */
export function propertiesReadAs(raw: Readonly<Record<string, unknown>>, key: string): readonly string[] {
  if (key === 'vmware_adaptertype') return adapterProperties(raw[key]).filter((name) => !Object.hasOwn(raw, name))
  const name = propertyReadAs(raw, key)
  return name === undefined ? [] : [name]
}

function propertyReadAs(raw: Readonly<Record<string, unknown>>, key: string): string | undefined {
  if (key.startsWith('trait:')) return raw[key] === 'required' ? 'traits_required' : undefined
  const [list = '', position = ''] = key.split(/\.(?=\d+$)/)
  if (position !== '') return perNode.has(list) && isReached(raw, list, position) ? list : undefined
  const today = Object.hasOwn(legacyNames, key) ? legacyNames[key] : undefined
  if (today !== undefined) return Object.hasOwn(raw, today) ? undefined : today
  return imagePropertyFields.has(key) && !perNode.has(key) && key !== 'traits_required' ? key : undefined
}

/** True if Nova reads the property of this NUMA node. Nova reads the nodes from 0 up to the first that is missing. */
function isReached(raw: Readonly<Record<string, unknown>>, list: string, position: string): boolean {
  const node = Number(position)
  if (node >= MAX_NUMA_NODES || String(node) !== position) return false
  for (let i = 0; i < node; i++) if (!Object.hasOwn(raw, `${list}.${i}`)) return false
  return true
}

/** The names of the image's properties from which a Nova property is read, such as a legacy name. */
export const givenNamesOf = (raw: Readonly<Record<string, unknown>>, name: string): readonly string[] =>
  givenNamesIn(raw).get(name) ?? [name]

/** The names of the image's properties by the Nova property that is read from them. Cached, because an image can have many properties. */
const givenNamesIn = memoByObject((raw: Readonly<Record<string, unknown>>): ReadonlyMap<string, readonly string[]> => {
  const given = new Map<string, string[]>()
  for (const key of Object.keys(raw))
    for (const name of propertiesReadAs(raw, key)) {
      const keys = given.get(name) ?? []
      keys.push(key)
      given.set(name, keys)
    }
  return given
})

/** Properties that an image can have once for each NUMA node, such as `hw_numa_mem.0`. */
const perNode: ReadonlySet<string> = new Set(['hw_numa_cpus', 'hw_numa_mem'])

function coerce(name: string, value: PythonValue): PythonValue {
  try {
    return imagePropertyFields.get(name)?.(value) ?? null
  } catch (error) {
    throw error instanceof NovaError
      ? new NovaError(error.kind, `image property ${name}: ${error.message}`, `image.properties.${name}`)
      : error
  }
}

/** Collects `hw_numa_mem.0`, `hw_numa_mem.1` and so on, up to the first missing property, in one list. */
function setPerNode(
  raw: Readonly<Record<string, PythonValue>>,
  name: string,
  read: (value: PythonValue) => PythonValue,
  set: (name: string, value: PythonValue) => void,
): void {
  const values: PythonValue[] = []
  while (values.length < MAX_NUMA_NODES && Object.hasOwn(raw, `${name}.${values.length}`)) {
    values.push(read(raw[`${name}.${values.length}`] as PythonValue))
  }
  if (values.length > 0) set(name, values)
}

/** The names of the Nova properties that are read from the legacy property `vmware_adaptertype`. */
const adapterProperties = (adapter: unknown): readonly string[] =>
  adapter === undefined || adapter === null || adapter === '' ? [] : adapter === 'ide' ? ['hw_disk_bus'] : ['hw_disk_bus', 'hw_scsi_model']

function setAdapter(adapter: PythonValue, set: (name: string, value: PythonValue) => void): void {
  if (adapter === null || adapter === '') return
  if (typeof adapter !== 'string')
    throw new NovaError(
      'ValueError',
      `image property vmware_adaptertype: ${quote(adapter)} is not a text`,
      'image.properties.vmware_adaptertype',
    )
  set('hw_disk_bus', adapter === 'ide' ? 'ide' : 'scsi')
  if (adapter !== 'ide') set('hw_scsi_model', adapter)
}
