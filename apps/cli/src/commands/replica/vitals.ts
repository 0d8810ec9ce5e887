import { graphql, type ResultOf } from '@gantt/client'
import { millisecondsOf } from '../../output/duration.ts'
import { decimal, mib, took } from '../../output/format.ts'
import { type Column, type Screen, toTable } from '../../output/table.ts'

export const VITALS = graphql(
  `fragment Vitals on Replica { decisionsPerSecond proposals conflicts conflictRate memoryBytes hosts { up suspect down } lagHistory }`,
)

/**
 * The activity of a replica, as of its last sign of life. Values are null if the replica does not follow the log yet, or if its release
 * does not report them.
 */
export type Vitals = ResultOf<typeof VITALS> & { readonly id: string; readonly answers: boolean }

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

/** A table of the replicas' load, with a note about unknown values. */
export function toVitalsLines(replicas: readonly Vitals[], screen?: Screen): readonly string[] {
  const rows = replicas.map((one) => [
    `${one.id}${one.answers ? ' *' : ''}`,
    one.decisionsPerSecond === null ? UNKNOWN : atLeastATenth(one.decisionsPerSecond),
    conflictsOf(one),
    one.memoryBytes === null ? UNKNOWN : mib(one.memoryBytes / BYTES_PER_MIB),
    ...(one.hosts === null ? [UNKNOWN, UNKNOWN, UNKNOWN] : [one.hosts.up, one.hosts.suspect, one.hosts.down].map(String)),
    maxLagOf(one),
  ])
  const isAllKnown = !rows.some((row) => row.includes(UNKNOWN))
  return [
    ...toTable(columns, rows, screen),
    ...(isAllKnown ? [] : ['', `${UNKNOWN}: the replica does not follow the log yet, or its release does not report this`]),
  ]
}

/** A rate with one decimal. A rate above 0 is never printed as 0. */
const atLeastATenth = (value: number): string => (value > 0 && value < 0.1 ? '<0.1' : decimal(Number(value.toFixed(1))))

/** The percentage of a replica's proposals of the last minute that conflicted with other changes or were refused by the store. */
function conflictsOf({ proposals, conflictRate }: Vitals): string {
  if (proposals === null) return UNKNOWN
  return conflictRate === null ? '-' : `${atLeastATenth(100 * conflictRate)} %`
}

/** The largest lag of a replica in the last ten minutes. */
function maxLagOf({ lagHistory }: Vitals): string {
  const known = lagHistory.filter((lag) => lag !== null).map(millisecondsOf)
  if (known.length === 0) return UNKNOWN
  const ms = Math.max(...known)
  if (ms < 1_000) return took(ms)
  return ms < 120_000 ? `${decimal(Number((ms / 1_000).toFixed(1)))} s` : `${Math.round(ms / 60_000)} min`
}
