import { classValue, type Fleet, hostOfKey, type Proposal, withProposals } from '@gantt/scheduler-core'

/** How many hosts two versions of a profile selected, and how full these hosts were. */
export interface ChosenHosts {
  /** For each version, how many different hosts got an instance. */
  readonly hosts: { readonly baseline: number; readonly candidate: number }
  /** For each resource class, the average share of a host (0 to 1) that was used just before an instance was placed there. */
  readonly fullness: readonly { readonly resourceClass: string; readonly baseline: number | null; readonly candidate: number | null }[]
}

interface Sum {
  instances: number
  share: number
}

/** Collects the selected hosts while past requests are decided again, each on the state of its original decision. */
export function createChosenHosts() {
  const seen = { baseline: new Set<string>(), candidate: new Set<string>() }
  const sums = new Map<string, Readonly<Record<'baseline' | 'candidate', Sum>>>()
  return {
    /**
     * `hosts` has the host key of each instance of a request. The resources of the proposals in `before`, which are earlier in the same
     * entry, are added to the usage.
     */
    add(fleet: Fleet, before: readonly Proposal[], hosts: readonly string[], version: 'baseline' | 'candidate'): void {
      withProposals(fleet, before, () => {
        for (const key of hosts) {
          seen[version].add(key)
          const record = hostOfKey(fleet.hosts, key)
          if (record === undefined) continue
          for (const [name, columns] of fleet.hosts.classes) {
            const most = classValue(columns, 'capacity', record.index)
            if (most === 0) continue
            const sum = sums.get(name) ?? { baseline: { instances: 0, share: 0 }, candidate: { instances: 0, share: 0 } }
            sum[version].instances++
            sum[version].share += (most - classValue(columns, 'free', record.index)) / most
            sums.set(name, sum)
          }
        }
      })
    },
    end: (): ChosenHosts => ({
      hosts: { baseline: seen.baseline.size, candidate: seen.candidate.size },
      fullness: [...sums]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([resourceClass, { baseline, candidate }]) => ({ resourceClass, baseline: meanOf(baseline), candidate: meanOf(candidate) })),
    }),
  }
}

const meanOf = ({ instances, share }: Sum): number | null => (instances === 0 ? null : share / instances)
