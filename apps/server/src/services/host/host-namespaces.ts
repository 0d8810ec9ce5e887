import { namespaceNamed, pluginsOf } from '@gantt/scheduler-core'
import type { HostView } from './host-view.ts'

/** A report of another service about a host. */
export interface NamespaceView {
  readonly name: string
  readonly version: string
  readonly document: unknown
  readonly reportedAt: number | null
  /** By the log's time; null if the time of the report is not known. */
  readonly ageSeconds: number | null
  readonly lastSequence: number
  /** The reason for which this release cannot read it; null if it can, or need not. */
  readonly problem: string | null
}

/** In the order of their first reports. */
export const namespacesOf = ({ fleet, record }: HostView): NamespaceView[] =>
  [...record.namespaces].map(([name, held]) => {
    const { version, document, reportedAt = null } = held
    const read = namespaceNamed(name, pluginsOf(fleet))?.read(held)
    return {
      name,
      version,
      document,
      reportedAt,
      ageSeconds: reportedAt === null ? null : Math.floor((fleet.now - reportedAt) / 1_000),
      lastSequence: record.reporters.get(name)?.sequence ?? 0,
      problem: read === undefined || read.ok ? null : read.problems.map(({ message }) => message).join('; '),
    }
  })
