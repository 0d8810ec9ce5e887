import type { Source } from '../evidence.ts'
import type { FilterOptions } from '../filters/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import { namespaceSource } from '../fleet/sources.ts'
import type { Read } from '../fleet/stats-fields.ts'
import { isJsonObject } from '../json.ts'
import { pluginsOf } from '../plugin/plugins.ts'
import type { Reason } from '../reason.ts'
import { namespaceNamed } from './index.ts'
import { isRegistered } from './names.ts'
import { fieldsIn, maxAgeIn } from './reading.ts'
import { type Told, toldIn } from './told.ts'

/** What is not told of a host, and who should have. */
export interface Untold {
  readonly reason: Reason
  readonly from: Source
}

/**
 * Whether others told of a host what a part reads of the namespaces of plug-ins; undefined where it reads of none. Parts that read the
 * namespaces of the release see to it themselves. Of a namespace that no plug-in here brings, nothing is told of any host.
 */
export function prepareUntold(
  fleet: Fleet,
  reads: readonly Read[],
  options: FilterOptions,
): ((record: HostRecord) => Untold | undefined) | undefined {
  const asked = [...fieldsIn(reads)].flatMap(([name, fields]) => {
    if (isRegistered(name)) return []
    const namespace = namespaceNamed(name, pluginsOf(fleet))
    if (namespace === undefined) return [{ name, fields, told: toldByNobody(name) }]
    const { maxAgeSeconds = namespace.maxAgeSeconds } = maxAgeIn(options)
    return [{ name, fields, told: toldIn(namespace, fleet, maxAgeSeconds) }]
  })
  if (asked.length === 0) return undefined
  return (record) => {
    for (const { name, fields, told } of asked) {
      const document = told.of(record)
      if (document === undefined) return { reason: told.refusal(record), from: told.source(record) }
      const missing = isJsonObject(document) ? fields.filter((field) => !Object.hasOwn(document, field.split('.', 1)[0] as string)) : fields
      if (missing.length > 0)
        return {
          reason: { code: 'host.not_reported', subject: missing.map((field) => `${name}.${field}`).join(', ') },
          from: told.source(record),
        }
    }
    return undefined
  }
}

const toldByNobody = (name: string): Told<unknown> => ({
  of: () => undefined,
  refusal: () => ({ code: 'namespace.not_reported', subject: name, need: 'a document', have: 'no plug-in here that reads it' }),
  source: (record) => namespaceSource(name, record),
})
