import type { Fleet } from '../../fleet/fleet.ts'
import { isUnread } from '../../namespace/unsent.ts'
import type { Reason } from '../../text/reason.ts'
import { ANY_FIELD, requiredStats, servedProfiles } from '../required-stats.ts'

/**
 * Returns a function that completes reasons with the code `namespace.not_sent` for collectors that are paused or slowed. If a profile in use reads the namespace by now, the reason
 * names the profile: the collector is paused only because its agent has not learned of the profile yet.
 */
export function prepareReaderInUse(fleet: Fleet): (reason: Reason) => Reason {
  let known: ReadonlyMap<string, string> | undefined
  return (reason) => {
    if (reason.code !== 'namespace.not_sent' || !isUnread(reason)) return reason
    known ??= readersOf(fleet)
    const reader = known.get(reason.subject ?? '')
    return reader === undefined ? reason : { ...reason, source: `profile ${reader}` }
  }
}

/** For each namespace that a profile in use reads, the first such profile version as `name@number`. */
function readersOf(fleet: Fleet): ReadonlyMap<string, string> {
  const readers = new Map<string, string>()
  for (const { namespace, fields } of requiredStats(fleet, servedProfiles(fleet.profiles))) {
    const known = fields.filter(({ field }) => field !== ANY_FIELD)
    const [reader] = known.flatMap(({ neededBy }) => neededBy.flatMap(({ profile }) => profile ?? []))
    if (reader !== undefined) readers.set(namespace, reader)
  }
  return readers
}
