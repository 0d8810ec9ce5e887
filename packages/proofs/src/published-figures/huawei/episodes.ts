import { basename } from 'node:path'
import { readJson, shown, TraceError } from '../trace-file.ts'

/** The ids of the VMs at which the episodes of a set begin. Throws TraceError for an unknown set or an invalid file. */
export function readHuaweiEpisodes(file: string, set: string): readonly number[] {
  const name = basename(file)
  const sets = readJson(file)
  if (sets === null || typeof sets !== 'object' || Array.isArray(sets))
    throw new TraceError(`${name} is ${shown(sets)}; it must be an object with a list of VM ids per set`)
  const ids: unknown = Object.hasOwn(sets, set) ? (sets as Record<string, unknown>)[set] : undefined
  if (!Array.isArray(ids)) {
    const known = Object.entries(sets).flatMap(([key, value]) => (Array.isArray(value) ? [key] : []))
    throw new TraceError(`${name} has no set ${shown(set)}; it must be one of ${known.join(', ') || '(the file has none)'}`)
  }
  if (ids.length === 0) throw new TraceError(`${name}: ${set} is empty; it must name at least one VM`)
  for (const [i, id] of ids.entries())
    if (!Number.isSafeInteger(id) || id < 0)
      throw new TraceError(`${name}: ${set}[${i}] is ${shown(id)}; it must be the id of a VM, a whole number of 0 or more`)
  return ids as number[]
}
