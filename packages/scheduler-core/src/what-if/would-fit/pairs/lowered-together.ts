import { hostKey } from '../../../hosts/hosts.ts'
import type { HostName } from '../../../values/host-name.ts'
import type { Steps } from '../../../values/steps.ts'
import { isLowered } from '../minimal/shared-room.ts'
import { proposalsFor, proposalsForSeveral } from '../remedies/index.ts'
import type { ProposedChange } from '../remedies/remedy.ts'
import type { Survey } from '../survey.ts'

interface Lowered {
  readonly change: ProposedChange
  readonly host: HostName
}

/** Two changes that each lower a number of the request, and a host that is refused because of at least one of these numbers. */
interface Pair {
  readonly changes: readonly ProposedChange[]
  readonly host: HostName
}

/**
 * All pairs of changes that lower numbers for which the nearest hosts are refused. If several hosts must pass, one host can have too little
 * of one amount and another host too little of a different amount, so both must be lowered. Each number is lowered to the largest value
 * that one of the hosts allows.
 */
export function* loweredTogether({ nearest }: Pick<Survey, 'nearest'>): Steps<readonly Pair[]> {
  const bySubject = new Map<string, Lowered>()
  const asked = new Set<string>()
  for (const { name, refusals } of nearest)
    for (const refusal of refusals) {
      const { filter, reason } = refusal
      // refusals with the same filter, code and subject are used once, for the nearest host, which comes first
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
      .filter((other) => !reducesSameAmount(one.change, other.change))
      .map((other) => ({ changes: [one.change, other.change], host: nearerOf(one, other) })),
  )
}

const toOf = ({ number }: ProposedChange): number => number?.to ?? 0

/** True if both changes lower the same amount of the same guest cell. */
const reducesSameAmount = ({ lowers: own = {} }: ProposedChange, { lowers: others = {} }: ProposedChange): boolean =>
  Object.keys(own).some((path) => Object.hasOwn(others, path))

/** Chooses one of two hosts by name, because the choice must not depend on the order in which hosts were examined. */
const nearerOf = (one: Lowered, other: Lowered): HostName => (hostKey(one.host) <= hostKey(other.host) ? one.host : other.host)
