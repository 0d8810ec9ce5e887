import { curlOf } from '../../lib/copies.ts'
import { formatCount } from '../../lib/format.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useAt } from '../../lib/travel.ts'
import { shownColumns, useColumnLayout } from '../../ui/columns.ts'
import { type Copy, CopyMenu } from '../../ui/copy-as.tsx'
import { type CopiedList, cliLineOf, queryTextOf } from './copies.ts'
import { hostColumns, withVerdicts } from './host-columns.tsx'
import type { HostRow } from './host-row.ts'
import type { Verdicts } from './verdicts.ts'

/** Loaded when rows are copied: the page is large enough without it. */
const copiedRows = () => import('./copied-rows.ts')

export interface CopyHostsProps {
  /** The filter, as its canonical text. */
  readonly text: string
  /** As in the address; by name if not given. */
  readonly sort: string | undefined
  /** Only the hosts of a verdict are listed. They are worked out here: there is no call that answers just these. */
  readonly isOfVerdict: boolean
  readonly count: number
  /** What a decision said of each, where the list reports it. */
  readonly verdicts: Verdicts | undefined
  /** The rows of the list, in its order; read when they are asked for. */
  rows(): readonly HostRow[]
}

/** The list as something to paste: a link, a call, a command, its rows. */
export function CopyHosts({ text, sort, isOfVerdict, count, verdicts, rows }: CopyHostsProps) {
  const at = useAt()
  const columns = shownColumns(verdicts === undefined ? hostColumns : withVerdicts(verdicts), useColumnLayout('hosts'))
  const list: CopiedList = { filter: text, sort, at }
  const inAll = `${formatCount(count)} ${count === 1 ? 'host' : 'hosts'}`
  const calls: readonly Copy[] = [
    ['GraphQL query', () => queryTextOf(list)],
    ['curl', () => curlOf(location.origin, queryTextOf(list))],
    ['Command line', () => cliLineOf(list)],
  ]
  const sheet = async (): Promise<string> => (await copiedRows()).csvOf({ rows: rows(), columns, at })
  const items: readonly Copy[] = [
    ...(isOfVerdict ? [] : calls),
    [`CSV, ${inAll}`, sheet],
    [`JSON, ${inAll}`, async () => (await copiedRows()).jsonOf({ rows: rows(), columns, at })],
  ]
  const save = async (): Promise<void> => saveFile('hosts.csv', await sheet())
  return (
    <CopyMenu items={items} files={[[`CSV file, ${inAll}`, save]]} {...(isOfVerdict ? {} : { graphiql: toGraphiql(queryTextOf(list)) })} />
  )
}
