import { decimal, mib, took } from './format.ts'
import { type Column, type Screen, toTable } from './table.ts'
import { millisecondsOf } from './words.ts'

/** What a replica does, as it told at its last sign. Null: it does not follow the log yet, or its release does not tell. */
export interface Vitals {
  readonly id: string
  readonly answers: boolean
  readonly decisionsPerSecond: number | null
  readonly proposals: number | null
  /** The share of the proposals that came to nothing, 0 to 1; null, too, where there were none. */
  readonly conflictRate: number | null
  readonly memoryBytes: number | null
  readonly hosts: { readonly up: number; readonly suspect: number; readonly down: number } | null
  /** The longest lag of each ten seconds of the last ten minutes; null where none was read. */
  readonly lagHistory: readonly (string | null)[]
}

export const VITALS = 'decisionsPerSecond proposals conflicts conflictRate memoryBytes hosts { up suspect down } lagHistory'

const columns: readonly Column[] = [
  { head: 'replica', cut: 'middle', key: true },
  { head: 'dec/s', align: 'right' },
  { head: 'conflicts', align: 'right' },
  { head: 'memory', align: 'right' },
  { head: 'up', align: 'right' },
  { head: 'suspect', align: 'right' },
  { head: 'down', align: 'right' },
  { head: 'most lag', align: 'right' },
]

const UNKNOWN = '?'
const BYTES_PER_MIB = 1_048_576

/** How busy replicas are, and what they see; with what a sign in it means. */
export function toVitalsLines(replicas: readonly Vitals[], screen?: Screen): readonly string[] {
  const rows = replicas.map((one) => [
    `${one.id}${one.answers ? ' *' : ''}`,
    one.decisionsPerSecond === null ? UNKNOWN : atLeastATenth(one.decisionsPerSecond),
    conflictsOf(one),
    one.memoryBytes === null ? UNKNOWN : mib(one.memoryBytes / BYTES_PER_MIB),
    ...(one.hosts === null ? [UNKNOWN, UNKNOWN, UNKNOWN] : [one.hosts.up, one.hosts.suspect, one.hosts.down].map(String)),
    mostLagOf(one),
  ])
  const isAllKnown = !rows.some((row) => row.includes(UNKNOWN))
  return [
    ...toTable(columns, rows, screen),
    ...(isAllKnown ? [] : ['', `${UNKNOWN}: it does not follow the log yet, or its release does not tell`]),
  ]
}

/** Never 0 where something was decided. */
const atLeastATenth = (value: number): string => (value > 0 && value < 0.1 ? '<0.1' : decimal(Number(value.toFixed(1))))

/** The share of its proposals of the last minute that the log refused. */
function conflictsOf({ proposals, conflictRate }: Vitals): string {
  if (proposals === null) return UNKNOWN
  return conflictRate === null ? '-' : `${atLeastATenth(100 * conflictRate)} %`
}

/** Of the last ten minutes. */
function mostLagOf({ lagHistory }: Vitals): string {
  const known = lagHistory.filter((lag) => lag !== null).map(millisecondsOf)
  if (known.length === 0) return UNKNOWN
  const ms = Math.max(...known)
  if (ms < 1_000) return took(ms)
  return ms < 120_000 ? `${decimal(Number((ms / 1_000).toFixed(1)))} s` : `${Math.round(ms / 60_000)} min`
}
