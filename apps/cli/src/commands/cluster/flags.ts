import type { EngineName } from './plan.ts'

/** The flags of every `gantt cluster` command. */
export interface ClusterFlags {
  readonly dir?: string
  readonly json?: true
}

export interface UpFlags extends ClusterFlags {
  readonly engine?: EngineName
  readonly replicas?: number
  readonly port?: number
  readonly foreground?: true
}
