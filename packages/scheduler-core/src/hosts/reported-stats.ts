import type { HostStats } from '../report/stats.ts'
import { fieldsOf, isJson } from '../report/versioned-object.ts'
import type { HostIndex } from '../values/host-index.ts'
import { SharedMap } from '../values/shared-map.ts'

/**
 * For each name in the `stats` of Nova's ComputeNode, the count of hosts that report the name. With this index, a name in a request is
 * checked without reading all reports. Copies of a fleet share the index until one of them writes to it.
 */
export class ReportedStats {
  #hostsOf = new SharedMap<number>()
  /** For each host, the report whose names are counted. */
  #counted: HostStats[] = []

  has(name: string): boolean {
    return this.#hostsOf.has(name)
  }

  /** Replaces the report of a host: its names are counted from now on, and the names of its previous report no longer are. */
  replace(host: HostIndex, stats: HostStats): void {
    const before = new Set(namesOf(this.#counted[host]))
    this.#counted[host] = stats
    for (const name of namesOf(stats)) if (!before.delete(name)) this.#add(name, 1)
    for (const name of before) this.#add(name, -1)
  }

  takeCopy(from: ReportedStats): void {
    this.#hostsOf = from.#hostsOf.copy()
    this.#counted = from.#counted.slice()
  }

  #add(name: string, more: number): void {
    const hosts = (this.#hostsOf.get(name) ?? 0) + more
    if (hosts === 0) this.#hostsOf.delete(name)
    else this.#hostsOf.set(name, hosts)
  }
}

/** The names of the stats in the report's document of Nova. Documents that Nova's filters cannot read are included. */
function namesOf(report: HostStats | undefined): readonly string[] {
  if (report === undefined || report.nova === null) return []
  const { stats } = fieldsOf(report.nova.computeNode)
  return isJson(stats) ? Object.keys(stats) : []
}
