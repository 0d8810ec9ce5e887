import { formatCount } from '../../lib/format.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { useAt } from '../../lib/travel.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { cliLineOf, csvOf, curlOf, jsonOf, queryTextOf } from './copies.ts'
import type { HostRow } from './host-row.ts'

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
  const items: readonly (readonly [string, () => string])[] = [
    ['Link', () => location.href],
    ['GraphQL query', () => queryTextOf(text, at)],
    ['curl', () => curlOf(location.origin, text, at)],
    ['Command line', () => cliLineOf(text, at)],
    [`CSV, ${inAll}`, () => csvOf(rows(), at)],
    [`JSON, ${inAll}`, () => jsonOf(rows(), at)],
  ]
  return <CopyAs items={items} graphiql={toGraphiql(queryTextOf(text, at))} />
}
