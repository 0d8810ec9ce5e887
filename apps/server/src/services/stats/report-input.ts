import type { HostReported, NamespaceReported } from '@gantt/scheduler-core'
import type { Issue } from '../calls/outcome.ts'
import type { HostNameInput } from '../host/hosts.ts'

/** A report as a caller sends it. Exactly one of full, delta, nova and namespace is set. */
export interface ReportInput {
  readonly name: HostNameInput
  readonly incarnation: string
  readonly sequence: number
  /** Errors in the form of the report. */
  readonly issues?: readonly Issue[]
  readonly full?: unknown
  readonly delta?: unknown
  /** A full report in Nova's form. */
  readonly nova?: unknown
  readonly namespace?: { readonly namespace: string; readonly version: string; readonly document: unknown }
}

export type Report = HostReported | NamespaceReported

/** The parsed report, or its errors. */
export type Read =
  | { readonly report: Report; readonly ignored?: readonly string[] }
  | { readonly issues: Issue[]; readonly ignored?: undefined }
