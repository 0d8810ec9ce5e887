import { namespaceNamed, pluginsOf } from '@gantt/scheduler-core'
import type { HostView } from './host-view.ts'

/** A report of another service about a host. */
export interface NamespaceView {
  readonly name: string
  readonly version: string
  readonly document: unknown
  readonly reportedAt: number | null
  /** The age of the report; null if the time of the report is unknown. */
  readonly ageSeconds: number | null
  readonly lastSequence: number
  /** Why this release cannot read the report. Null if the release can read the report, or if no filter needs the report. */
  readonly problem: string | null
}

/** The reports of other services about a host at a time, in the order of their first reports. */
export const namespacesOf = ({ fleet, record }: HostView, now: number): NamespaceView[] =>
  [...record.namespaces].map(([name, held]) => {
    const { version, document, reportedAt = null } = held
    const read = namespaceNamed(name, pluginsOf(fleet))?.read(held)
    return {
      name,
      version,
      document,
      reportedAt,
      ageSeconds: reportedAt === null ? null : Math.max(0, Math.floor((now - reportedAt) / 1_000)),
      lastSequence: record.reporters.get(name)?.sequence ?? 0,
      problem: read === undefined || read.ok ? null : read.problems.map(({ message }) => message).join('; '),
    }
  })
