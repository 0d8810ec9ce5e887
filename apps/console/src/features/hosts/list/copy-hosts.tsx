import { saveFile } from '../../../lib/browser/save-file.ts'
import { curlOf } from '../../../lib/copies.ts'
import { formatCount } from '../../../lib/format.ts'
import { toGraphiql } from '../../../lib/graphiql.ts'
import { useAt } from '../../../lib/service/travel.ts'
import { type Copy, CopyMenu } from '../../../ui/copy-as.tsx'
import { shownColumns, useColumnLayout } from '../../../ui/table/columns.ts'
import type { HostRow } from '../host-row.ts'
import type { Verdicts } from '../map/verdicts.ts'
import { type CopiedList, cliLineOf, queryTextOf } from './copies.ts'
import { hostColumns, withVerdicts } from './host-columns.tsx'

/** Loaded when rows are copied, to keep the page small. */
const copiedRows = () => import('./copied-rows.ts')

export interface CopyHostsProps {
  /** The filter, as its canonical text. */
  readonly text: string
  /** The order in the form of the URL. The default is by name. */
  readonly sort: string | undefined
  /** True if the list is restricted to one verdict. No API call returns such a list, because the page computes it. */
  readonly isOfVerdict: boolean
  readonly count: number
  /** A decision's verdict on each host, if the list shows it. */
  readonly verdicts: Verdicts | undefined
  /** Reads the rows of the list, in its order. */
  rows(): readonly HostRow[]
}

/** The menu to copy the list in several forms: a link, a call, a command, its rows. */
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
