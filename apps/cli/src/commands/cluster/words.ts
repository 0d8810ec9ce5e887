import { GANTT } from '../../output/called.ts'
import { toTable, wrap } from '../../output/table.ts'
import type { ClusterFolder } from './folder.ts'
import type { Parts } from './parts.ts'
import type { PartStatus } from './status.ts'

/** The status of all processes as a table. Paths in the folder of the cluster are shown relative to it. */
export function statusLines({ path }: Pick<ClusterFolder, 'path'>, statuses: readonly PartStatus[]): readonly string[] {
  return toTable(
    [
      { head: 'process' },
      { head: 'pid', align: 'right' },
      { head: 'where', cut: 'middle', key: true },
      { head: 'health', wraps: true },
      { head: 'revision', align: 'right' },
      { head: 'lag', align: 'right' },
    ],
    statuses.map(({ name, pid, where, health, revision, lag }) => [
      name,
      pid === null ? '-' : String(pid),
      where.startsWith(`${path}/`) ? where.slice(path.length + 1) : where,
      health,
      revision ?? '',
      lag === null ? '' : String(lag),
    ]),
  )
}

/** The text for people once a cluster is up: URLs, commands, and what to try. `dirFlag` is ` --dir D`, or empty for the default folder. */
export function upLines(folder: ClusterFolder, parts: Parts, statuses: readonly PartStatus[], dirFlag: string): readonly string[] {
  const cluster = (words: string): string => `  ${GANTT} cluster ${words}${dirFlag}`
  const [first] = parts.replicas
  const store = parts.nats.length === 0 ? 'PostgreSQL' : `${parts.nats.length} nats-servers with PostgreSQL behind them`
  return [
    ...wrap(`${parts.replicas.length} replicas on ${store}, in ${folder.path}`),
    '',
    ...statusLines(folder, statuses),
    '',
    'Any replica answers any call. Call one from this shell, and sign in to its console:',
    `  eval "$(${cluster('env').trim()})"`,
    `  ${GANTT} replicas`,
    `  ${first?.where}/#key=${folder.key}`,
    '',
    'Kill a process, see the cluster continue, and restart the missing process:',
    cluster('kill replica-1'),
    ...(parts.nats.length === 0 ? [] : [cluster('kill leader')]),
    cluster('status'),
    cluster('up'),
    '',
    'Stop the cluster. The next "up" continues with its data; --purge deletes it:',
    cluster('down'),
  ]
}
