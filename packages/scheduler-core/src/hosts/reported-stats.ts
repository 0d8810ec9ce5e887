import type { HostStats } from '../report/stats.ts'
import { fieldsOf, isJson } from '../report/versioned-object.ts'
import type { HostIndex } from '../values/host-index.ts'
import { SharedMap } from '../values/shared-map.ts'

/**
 * How many hosts report a stat of each name (`stats` of Nova's ComputeNode), so that a name of a request is found without reading all
 * reports. It is updated with each report. Copies of a fleet share it until one of them writes.
 */
export class ReportedStats {
  #hostsOf = new SharedMap<number>()
  /** By host, the report that is counted. */
  #counted: HostStats[] = []

  has(name: string): boolean {
    return this.#hostsOf.has(name)
  }

  /** Counts a host's report in place of the one before. */
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

/** The names of the stats in Nova's document, which may be one that its filters refuse to read. */
function namesOf(report: HostStats | undefined): readonly string[] {
  if (report === undefined || report.nova === null) return []
  const { stats } = fieldsOf(report.nova.computeNode)
  return isJson(stats) ? Object.keys(stats) : []
}
