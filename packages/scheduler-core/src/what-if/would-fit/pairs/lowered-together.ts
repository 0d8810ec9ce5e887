import { hostKey } from '../../../hosts/hosts.ts'
import type { HostName } from '../../../values/host-name.ts'
import type { Steps } from '../../../values/steps.ts'
import { proposalsFor, proposalsForSeveral } from '../remedies/index.ts'
import type { ProposedChange } from '../remedies/remedy.ts'
import { isLowered } from '../shared-room.ts'
import type { Survey } from '../survey.ts'

interface Lowered {
  readonly change: ProposedChange
  readonly host: HostName
}

/** Two numbers of the request that are lowered together, and the host that lacks both amounts or one of them. */
interface Pair {
  readonly changes: readonly ProposedChange[]
  readonly host: HostName
}

/**
 * All pairs of numbers that examined hosts lack. Each number is lowered to the nearest value that one of these hosts allows. If several
 * hosts have to pass, one host may lack the first number and another host the second.
 */
export function* loweredTogether({ nearest }: Pick<Survey, 'nearest'>): Steps<readonly Pair[]> {
  const bySubject = new Map<string, Lowered>()
  const asked = new Set<string>()
  for (const { name, refusals } of nearest)
    for (const refusal of refusals) {
      const { filter, reason } = refusal
      // among the numbers of one kind, the one that the nearest host lacks is the first in the list
      const lack = `${filter} ${reason.code} ${reason.subject ?? ''}`
      if (asked.has(lack)) continue
      asked.add(lack)
      yield
      for (const change of [...proposalsFor(refusal), ...proposalsForSeveral(refusal)]) {
        if (!isLowered(change) || change.kind !== 'REQUEST') continue
        const known = bySubject.get(change.subject)
        if (known === undefined || toOf(known.change) < toOf(change)) bySubject.set(change.subject, { change, host: name })
      }
    }
  const all = [...bySubject.values()]
  return all.flatMap((one, i) =>
    all
      .slice(i + 1)
      .filter((other) => !isOfOneThing(one.change, other.change))
      .map((other) => ({ changes: [one.change, other.change], host: nearerOf(one, other) })),
  )
}

const toOf = ({ number }: ProposedChange): number => number?.to ?? 0

/** True if both changes lower amounts of the same guest cell. */
const isOfOneThing = ({ lowers: own = {} }: ProposedChange, { lowers: others = {} }: ProposedChange): boolean =>
  Object.keys(own).some((path) => Object.hasOwn(others, path))

/** Chooses one of two hosts by name, so that the choice does not depend on the order in which hosts were examined. */
const nearerOf = (one: Lowered, other: Lowered): HostName => (hostKey(one.host) <= hostKey(other.host) ? one.host : other.host)
