import type { EngineName } from './plan.ts'

/** What every command of `gantt cluster` takes. */
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
