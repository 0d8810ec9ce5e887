import type { Matrix } from '../../../lib/explanation.ts'
import { formatCount } from '../../../lib/format.ts'
import type { TableColumn } from '../../../ui/table/table.tsx'
import { countRefusals, type FilterPlace, headNames, shortfallText, type Verdict, verdictAt } from '../matrix.ts'

const glyphs: Readonly<Record<Verdict, string>> = { pass: '+', fail: 'x', skipped: '·' }
const words: Readonly<Record<Verdict, string>> = { pass: 'passes', fail: 'refuses', skipped: 'not run' }

/** With at most this many filters, the headings have space for longer names. */
const ROOMY = 7

/**
 * The columns of the matrix: the host, a narrow column for each filter, then the first reason, the distance and the rank. If there is
 * little space, there is no column for the reason, which is then only in the explanation for the host.
 */
export function matrixColumns(matrix: Matrix, filters: readonly FilterPlace[], all: boolean, isNarrow: boolean): TableColumn<number>[] {
  const isTight = isNarrow || filters.length > ROOMY
  const heads = headNames(
    filters.map(({ name }) => name),
    isTight ? 8 : 12,
  )
  // the headings are smaller if another panel is next to the matrix
  const filterWidth = isNarrow ? 'minmax(60px, 1fr)' : isTight ? 'minmax(66px, 1fr)' : 'minmax(94px, 1fr)'
  return [
    { key: 'name', label: 'Host', width: isNarrow ? 'minmax(116px, 1.6fr)' : 'minmax(150px, 1.6fr)', sortable: true, value: matrix.nameOf },
    ...filters.map(
      (filter, i): TableColumn<number> => ({
        key: `filter:${filter.name}`,
        label: heads[i] ?? filter.name,
        title: filter.name,
        width: filterWidth,
        value: (host) => words[verdictAt(matrix, host, filter, all)],
        cell: (host) => <Cell verdict={verdictAt(matrix, host, filter, all)} filter={filter.name} />,
      }),
    ),
    ...(isNarrow ? [] : [reasonColumn(matrix)]),
    {
      key: 'distance',
      label: 'Distance',
      width: isNarrow ? '72px' : '88px',
      align: 'right',
      sortable: true,
      value: (host) => matrix.distance[host] ?? 0,
      cell: (host) => <Distance matrix={matrix} host={host} />,
    },
    {
      key: 'rank',
      label: 'Rank',
      width: isNarrow ? '44px' : '64px',
      align: 'right',
      sortable: true,
      value: (host) => matrix.rank[host] ?? 0,
      cell: (host) => (matrix.rank[host] === 0 ? '–' : formatCount(matrix.rank[host] ?? 0)),
    },
  ]
}

const reasonColumn = (matrix: Matrix): TableColumn<number> => ({
  key: 'reason',
  label: 'First reason',
  width: 'minmax(110px, 1.4fr)',
  value: (host) => reasonOf(matrix, host),
  cell: (host) => <span title={reasonOf(matrix, host)}>{reasonOf(matrix, host)}</span>,
})

/** A line of text about a cell of the small picture above the matrix: the host, the filter and the verdict. */
export function describeCell(matrix: Matrix, host: number, filter: FilterPlace | undefined, all: boolean): string {
  const name = matrix.nameOf(host)
  const word = filter === undefined ? '' : `${filter.name} ${words[verdictAt(matrix, host, filter, all)]}`
  if (isPassing(matrix, host)) return `${name}: ${word}; passes all, rank ${formatCount(matrix.rank[host] ?? 0)}`
  const first = matrix.filters[matrix.firstFailing[host] ?? 0]
  const refusals = countRefusals(matrix, host)
  const count = `${refusals} ${refusals === 1 ? 'filter refuses' : 'filters refuse'} the host`
  return `${name}: ${word}; first refused by ${first} (${reasonOf(matrix, host)}); ${count}`
}

const isPassing = (matrix: Matrix, host: number): boolean => matrix.rank[host] !== 0

const reasonOf = ({ codes, reason }: Matrix, host: number): string => codes[reason[host] ?? codes.length] ?? ''

function Cell({ verdict, filter }: { readonly verdict: Verdict; readonly filter: string }) {
  return (
    <span
      className={`verdict verdict-${verdict}`}
      role="img"
      aria-label={`${filter} ${words[verdict]}`}
      title={`${filter} ${words[verdict]}`}
    >
      {glyphs[verdict]}
    </span>
  )
}

function Distance({ matrix, host }: { readonly matrix: Matrix; readonly host: number }) {
  if (isPassing(matrix, host)) return '–'
  const count = countRefusals(matrix, host)
  return (
    <span
      title={`The largest shortfall as a share of what was needed (100 % for a requirement that is not an amount): ${matrix.distance[host]}. ${count} ${count === 1 ? 'filter refuses' : 'filters refuse'} the host.`}
    >
      {shortfallText(matrix, host)}
    </span>
  )
}
