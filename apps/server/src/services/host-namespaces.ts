import { namespaceNamed, pluginsOf } from '@gantt/scheduler-core'
import type { HostView } from './host-view.ts'

/** What another service reported about a host. */
export interface NamespaceView {
  readonly name: string
  readonly version: string
  readonly document: unknown
  readonly reportedAt: number | null
  /** By the time of the log; null where the time of the report is not known. */
  readonly ageSeconds: number | null
  readonly lastSequence: number
  /** Why this release cannot read it; null where it can, or need not. */
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
