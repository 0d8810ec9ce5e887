import { curlOf } from '../../lib/copies.ts'
import { formatCount } from '../../lib/format.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { useAt } from '../../lib/travel.ts'
import { type Copy, CopyMenu } from '../../ui/copy-as.tsx'
import { cliLineOf, queryTextOf } from './copies.ts'
import type { HostRow } from './host-row.ts'

/** Loaded when rows are copied: the page is large enough without it. */
const copiedRows = () => import('./copied-rows.ts')

export interface CopyHostsProps {
  /** The filter, as its canonical text. */
  readonly text: string
  readonly count: number
  /** The rows of the list, in its order; read when they are asked for. */
  rows(): readonly HostRow[]
}

/** The list as something to paste: a link, a call, a command, its rows. */
export function CopyHosts({ text, count, rows }: CopyHostsProps) {
  const at = useAt()
  const inAll = `${formatCount(count)} ${count === 1 ? 'host' : 'hosts'}`
  const items: readonly Copy[] = [
    ['GraphQL query', () => queryTextOf(text, at)],
    ['curl', () => curlOf(location.origin, queryTextOf(text, at))],
    ['Command line', () => cliLineOf(text, at)],
    [`CSV, ${inAll}`, async () => (await copiedRows()).csvOf(rows(), at)],
    [`JSON, ${inAll}`, async () => (await copiedRows()).jsonOf(rows(), at)],
  ]
  return <CopyMenu items={items} graphiql={toGraphiql(queryTextOf(text, at))} />
}
