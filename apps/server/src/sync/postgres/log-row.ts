import type { Entry, LogEntry } from '@gantt/scheduler-core'

export interface LogRow {
  /** 64-bit integers arrive as text. */
  revision: string
  id: string
  writer: string
  body: string
  at_ms: string
  /** True if the append waited for the disk. If so, this entry and all earlier ones are durable for every reader. */
  is_flushed: boolean
}

export function toEntry({ revision, id, writer, body, at_ms }: Omit<LogRow, 'is_flushed'>): LogEntry {
  const { format, basis, changes } = JSON.parse(body) as Pick<Entry, 'format' | 'basis' | 'changes'>
  return { format, id, writer, basis, changes, revision: Number(revision), at: Number(at_ms) }
}
