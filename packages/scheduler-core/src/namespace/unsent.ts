import type { Fleet } from '../fleet/fleet.ts'
import { hostAddress } from '../hosts/host-address.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { namespaceSource } from '../hosts/sources.ts'
import type { Fact, Source } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import { type CollectorStatus, collectors, unsentBy } from './facts/collectors.ts'

/** An error's text is shortened to this length in a reason, in characters. */
const MAX_ERROR = 200

/** Why data about a host is missing, and the report from which this is known. */
export interface Unsent {
  readonly reason: Reason
  readonly from: Source
}

/**
 * Says that a host's collector does not send a namespace, and why. Undefined if no collector of the host produces the namespace, or if it
 * sends its documents. A document that is missing or too old is then missing for another reason.
 */
export function unsentOf(fleet: Fleet, record: HostRecord, namespace: string): Unsent | undefined {
  const collector = unsentBy(fleet, record, namespace)
  if (collector === undefined) return undefined
  return {
    reason: { code: 'namespace.not_sent', subject: namespace, need: 'a document', have: doingOf(collector) },
    from: namespaceSource(collectors.name, record),
  }
}

/** What a collector does instead of sending its documents, as text that completes "its collector is". */
function doingOf({ state, error }: CollectorStatus): string {
  if (state === 'WAITING') return 'not run yet'
  if (state !== 'FAILING') return state === 'PAUSED' ? 'paused' : 'slowed'
  if (error === null) return 'failing'
  const text = error.text.length > MAX_ERROR ? `${error.text.slice(0, MAX_ERROR - 3)}...` : error.text
  return `failing (${error.code}: ${text})`
}

/** Whether a collector with this `have` in its reason is paused or slowed because no profile in use reads its namespace. */
export const isUnread = ({ have }: Reason): boolean => have === 'paused' || have === 'slowed'

/**
 * Returns a function that completes the reason `unnamed`, by which a host is refused because no document names something, such as a volume
 * or the size of a pool. If the host itself does not send the namespace, the result is the reason for that. Otherwise, if another host does
 * not send it, the reason names that host, because its document could name the thing. `keyOf` limits this to hosts with the same key.
 */
export function prepareUnnamed(
  fleet: Fleet,
  ofHost: (record: HostRecord) => Unsent | undefined,
  keyOf: (record: HostRecord) => string = () => '',
): (record: HostRecord, unnamed: Unsent) => Unsent {
  const elsewhere = new Map<string, string | undefined>()
  const findElsewhere = (key: string): string | undefined => {
    for (const record of fleet.hosts.present) {
      const found = keyOf(record) === key ? ofHost(record) : undefined
      if (found !== undefined) return `not sent by ${hostAddress(fleet.hosts, record)}, whose collector is ${found.reason.have}`
    }
    return undefined
  }
  return (record, unnamed) => {
    const own = ofHost(record)
    if (own !== undefined) return own
    const key = keyOf(record)
    if (!elsewhere.has(key)) elsewhere.set(key, findElsewhere(key))
    const have = elsewhere.get(key)
    return have === undefined ? unnamed : { ...unnamed, reason: { ...unnamed.reason, have } }
  }
}

/** A fact for a reason about missing data. */
export const factOf = ({ reason, from }: Unsent, requiredFrom: Source): Fact => ({
  subject: reason.subject ?? '',
  ...(reason.need !== undefined && { required: reason.need }),
  ...(reason.have !== undefined && { actual: reason.have }),
  ...(reason.unit !== undefined && { unit: reason.unit }),
  requiredFrom,
  actualFrom: from,
})
