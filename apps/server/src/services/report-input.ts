import type { HostReported, NamespaceReported } from '@gantt/scheduler-core'
import type { HostNameInput } from './hosts.ts'
import type { Issue } from './outcome.ts'

/** A report as a caller sends it: one of full, delta, nova and namespace. */
export interface ReportInput {
  readonly name: HostNameInput
  readonly incarnation: string
  readonly sequence: number
  /** What was wrong with its form already. */
  readonly issues?: readonly Issue[]
  readonly full?: unknown
  readonly delta?: unknown
  /** A full picture in Nova's words. */
  readonly nova?: unknown
  readonly namespace?: { readonly namespace: string; readonly version: string; readonly document: unknown }
}

export type Report = HostReported | NamespaceReported

/** What was read of it, or what is wrong with it. */
export type Read =
  | { readonly report: Report; readonly ignored?: readonly string[] }
  | { readonly issues: Issue[]; readonly ignored?: undefined }
