/**
 * Describes the first difference between two JSON values. Returns undefined if they are equal. Numbers must be equal to the last bit.
 * Values that JSON cannot represent, such as -0 and undefined, do not occur in records.
 */
export function difference(path: string, core: unknown, model: unknown): string | undefined {
  return firstDifference(path, asStored(core), asStored(model))
}

const asStored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

function firstDifference(path: string, core: unknown, model: unknown): string | undefined {
  if (Array.isArray(core) && Array.isArray(model) && core.length !== model.length)
    return `${path}: the core has ${core.length} entries, the model ${model.length}: ${JSON.stringify(core)} and ${JSON.stringify(model)}`
  if (isBranch(core) && isBranch(model) && Array.isArray(core) === Array.isArray(model)) {
    for (const key of new Set([...Object.keys(core), ...Object.keys(model)])) {
      const found = firstDifference(`${path}.${key}`, core[key], model[key])
      if (found !== undefined) return found
    }
    return undefined
  }
  return Object.is(core, model) ? undefined : `${path}: the core has ${JSON.stringify(core)}, the model has ${JSON.stringify(model)}`
}

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
