import { hostKey } from '../../../hosts/hosts.ts'
import type { HostName } from '../../../values/host-name.ts'
import { type Candidate, effortOf, INSTANCES } from '../minimal/shared-room.ts'
import type { ChangeKind, ProposedChange } from '../remedies/remedy.ts'
import type { Survey } from '../survey.ts'

/**
 * True if a change of the candidate is a last resort (`ProposedChange.lastResort`). Such a candidate is tried after all other candidates.
 */
export const isLastResort = ({ changes }: Candidate): boolean => changes.some(({ lastResort = false }) => lastResort)

/**
 * A queue of candidates in order of effort, with all last resorts (`isLastResort`) at the end. If a candidate in the queue is added again
 * for another host, the host is added to the candidate. A candidate that was added before for the same host is ignored.
 */
export function createQueue(kinds: readonly ChangeKind[]) {
  let waiting: (Candidate & { readonly key: string; readonly hosts: HostName[] })[] = []
  const seen = new Set<string>()
  return {
    add(proposed: readonly ProposedChange[], beside: readonly ProposedChange[], host: HostName | undefined, refined: number): void {
      if (host === undefined) return
      for (const change of proposed) {
        if (!kinds.includes(change.kind)) continue
        const changes = [...beside, change]
        const key = changes.map(keyOf).sort().join('\n')
        const ofHost = `${key}\n${hostKey(host)}`
        if (seen.has(ofHost)) continue
        seen.add(ofHost)
        const same = waiting.find((other) => other.key === key)
        const effort = effortOf(changes)
        if (same !== undefined && same.effort <= effort) {
          same.hosts.push(host)
          continue
        }
        const candidate = { key, changes, hosts: [...(same?.hosts ?? []), host], effort, refined }
        waiting = waiting.filter((other) => other !== same)
        const isLast = isLastResort(candidate)
        const at = waiting.findIndex((other) => (isLastResort(other) === isLast ? other.effort > candidate.effort : !isLast))
        waiting.splice(at < 0 ? waiting.length : at, 0, candidate)
      }
    },
    next: (): Candidate | undefined => waiting.shift(),
    /**
     * The queued candidates with a single change that can suffice: fewer instances, or a change for a host with a single refusal. They are
     * sorted by the nearest host, with last resorts at the end.
     */
    plain({ nearest }: Survey): readonly Candidate[] {
      const lacksOne = nearest.filter(({ refusals }) => refusals.length === 1)
      const indexByHost = new Map(lacksOne.map(({ name }, index) => [hostKey(name), index]))
      /** The rank of the candidate's nearest host with a single refusal. Infinite if there is no such host. */
      const placeOf = ({ changes, hosts }: Candidate): number => {
        if (changes.length > 1) return Number.POSITIVE_INFINITY
        if (changes[0]?.subject === INSTANCES) return 0
        return Math.min(...hosts.map((host) => indexByHost.get(hostKey(host)) ?? Number.POSITIVE_INFINITY))
      }
      return waiting
        .map((candidate) => ({ candidate, place: placeOf(candidate) }))
        .filter(({ place }) => Number.isFinite(place))
        .sort((a, b) => Number(isLastResort(a.candidate)) - Number(isLastResort(b.candidate)) || a.place - b.place)
        .map(({ candidate }) => candidate)
    },
  }
}

const keyOf = ({ kind, subject, to, gives = [], parts }: ProposedChange): string =>
  [kind, subject, to, ...gives, ...(parts?.names ?? [])].join(' ')
