import { Badge } from '@mantine/core'
import type { RowField } from '../../lib/csv.ts'
import { formatCount, formatDuration, readDuration } from '../../lib/format.ts'
import { Age } from '../../ui/age.tsx'
import type { TableColumn } from '../../ui/table/table.tsx'
import { agrees, modeOf, type Replica } from './compare.ts'
import { lagOf } from './lag.ts'
import { LagLine } from './lag-line.tsx'
import { conflictsText, conflictsTitle, hostsText, memoryText, pluginsText, rateText } from './vitals.ts'

/** How far a replica is behind the end of the log: the entries that it has not applied, if there are any, and their age. */
const lagText = ({ lagEvents, lag }: Replica): string =>
  `${lagEvents === 0 ? '' : `${formatCount(lagEvents)} ${lagEvents === 1 ? 'entry' : 'entries'}, `}${formatDuration(readDuration(lag))}`

/** The columns of the list. `all` are all replicas, because a column compares the state of a replica with those of all others. */
export const replicaColumns = (all: readonly Replica[]): TableColumn<Replica>[] => [
  {
    key: 'name',
    label: 'Replica',
    width: 'minmax(110px, 2fr)',
    value: ({ id }) => id,
    cell: ({ id, url, answers }) => (
      <span title={url ?? 'The replica has no address yet'}>
        {id}
        {answers ? ' (answers you)' : ''}
      </span>
    ),
  },
  {
    key: 'mode',
    label: 'Mode',
    width: '100px',
    value: modeOf,
    cell: (replica) => <Mode replica={replica} />,
  },
  { key: 'revision', label: 'Revision', width: '80px', align: 'right', value: ({ revision }) => formatCount(Number(revision)) },
  {
    key: 'lag',
    label: 'Lag',
    title: 'Log entries that the replica had not applied at its last heartbeat, and the age of the oldest one.',
    width: 'minmax(60px, 0.6fr)',
    align: 'right',
    value: lagText,
    cell: (replica) => <span title={lagText(replica)}>{lagText(replica)}</span>,
  },
  {
    key: 'history',
    label: 'Lag, 10 min',
    title: 'The longest lag in each ten seconds of the last ten minutes: the smallest and the largest value.',
    width: 'minmax(160px, 1.2fr)',
    value: (replica) => lagOf(replica)?.text ?? '',
    cell: (replica) => <LagLine replica={replica} />,
  },
  {
    key: 'state',
    label: 'State',
    title: 'Whether the whole state of the replica equals that of other replicas at the same revision.',
    width: '60px',
    value: (replica) => wordFor(agrees(replica, all)),
    cell: (replica) => (
      <span title={replica.stateHash === null ? 'No digest yet' : `${replica.stateHash.hash} at revision ${replica.stateHash.revision}`}>
        {wordFor(agrees(replica, all))}
      </span>
    ),
  },
  {
    key: 'violations',
    label: 'Violations',
    title: 'Violations that the auditor of the replica found in its state. A dash: it has not completed its first full check.',
    width: '88px',
    align: 'right',
    value: ({ violations }) => violations,
    cell: ({ violations, checkedAt }) => (violations > 0 ? `! ${formatCount(violations)}` : checkedAt === null ? '–' : '0'),
  },
  {
    key: 'rate',
    label: 'Decisions/s',
    title: 'Decisions of the last minute, including refusals and advice.',
    width: '96px',
    align: 'right',
    value: rateText,
  },
  {
    key: 'conflicts',
    label: 'Conflicts',
    title:
      'The share of the proposals of the last minute that had no effect, because they conflicted with an earlier entry of the log or the store refused their entry.',
    width: '76px',
    align: 'right',
    value: conflictsText,
    cell: (replica) => <span title={conflictsTitle(replica)}>{conflictsText(replica)}</span>,
  },
  {
    key: 'memory',
    label: 'Memory',
    title: 'Memory used by the process of the replica.',
    width: '76px',
    align: 'right',
    value: memoryText,
  },
  {
    key: 'hosts',
    label: 'Hosts',
    title: 'Number of hosts in each state, as seen by the replica.',
    width: 'minmax(80px, 1fr)',
    value: hostsText,
    cell: (replica) => <span title={hostsText(replica)}>{hostsText(replica)}</span>,
  },
  {
    key: 'plugins',
    label: 'Plug-ins',
    title: 'The plug-ins that the replica has loaded, with their versions.',
    // this column is hidden by default if all replicas have the same plug-ins, because the line about the answering replica shows them
    isExtra: new Set(all.map(pluginsText)).size < 2,
    width: 'minmax(90px, 1fr)',
    value: pluginsText,
    cell: (replica) => <span title={pluginsText(replica)}>{pluginsText(replica)}</span>,
  },
  {
    key: 'version',
    label: 'Rules',
    // this column is hidden by default if all replicas have the same rules, because the line about the answering replica shows them
    isExtra: new Set(all.map(({ version }) => version)).size < 2,
    width: '90px',
    value: ({ version }) => version,
  },
  {
    key: 'seen',
    label: 'Last heartbeat',
    width: '88px',
    value: ({ lastSeenAt }) => lastSeenAt,
    cell: ({ lastSeenAt }) => <Age atMs={Date.parse(lastSeenAt)} ago />,
  },
  {
    key: 'level',
    label: 'Level',
    title: 'The highest feature level that the replica can read.',
    width: '60px',
    isExtra: true,
    align: 'right',
    value: ({ featureLevel }) => featureLevel,
  },
  {
    key: 'started',
    label: 'Uptime',
    width: '90px',
    isExtra: true,
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => <Age atMs={Date.parse(startedAt)} />,
  },
]

/** The fields of a replica that are copied as CSV or JSON. */
export const replicaFieldsCopied = (all: readonly Replica[]): readonly RowField<Replica>[] => [
  ['id', ({ id }) => id],
  ['url', ({ url }) => url],
  ['mode', modeOf, 'mode'],
  ['reason', ({ reason }) => reason, 'mode'],
  ['revision', ({ revision }) => revision, 'revision'],
  ['lagEvents', ({ lagEvents }) => lagEvents, 'lag'],
  ['lagMs', ({ lag }) => readDuration(lag), 'lag'],
  ['lagMostMs', (replica) => lagOf(replica)?.most ?? null, 'history'],
  ['state', (replica) => ({ true: 'equal', false: 'differs', undefined: null })[`${agrees(replica, all)}`], 'state'],
  ['violations', ({ violations }) => violations, 'violations'],
  ['decisionsPerSecond', ({ decisionsPerSecond }) => decisionsPerSecond, 'rate'],
  ['proposals', ({ proposals }) => proposals, 'conflicts'],
  ['conflicts', ({ conflicts }) => conflicts, 'conflicts'],
  ['memoryBytes', ({ memoryBytes }) => memoryBytes, 'memory'],
  ['hostsUp', ({ hosts }) => hosts?.up ?? null, 'hosts'],
  ['hostsSuspect', ({ hosts }) => hosts?.suspect ?? null, 'hosts'],
  ['hostsDown', ({ hosts }) => hosts?.down ?? null, 'hosts'],
  ['plugins', ({ plugins }) => plugins?.map(({ name, version }) => `${name}@${version}`).join(' ') ?? null, 'plugins'],
  ['version', ({ version }) => version, 'version'],
  ['featureLevel', ({ featureLevel }) => featureLevel, 'level'],
  ['lastSeenAt', ({ lastSeenAt }) => lastSeenAt, 'seen'],
  ['startedAt', ({ startedAt }) => startedAt, 'started'],
]

const wordFor = (isSame: boolean | undefined): string => (isSame === undefined ? '-' : isSame ? '= equal' : 'x differs')

const glyphs: Readonly<Record<string, readonly [glyph: string, colour: string]>> = {
  normal: ['+', 'green'],
  stopped: ['.', 'gray'],
  starting: ['~', 'yellow'],
  closing: ['~', 'yellow'],
}

function Mode({ replica }: { readonly replica: Replica }) {
  const word = modeOf(replica)
  const [glyph, colour] = glyphs[word] ?? ['x', 'red']
  return (
    <Badge variant="light" color={colour} tt="none" title={replica.reason ?? undefined} data-mode={word}>
      <span aria-hidden className="mono">
        {glyph}{' '}
      </span>
      {word}
    </Badge>
  )
}
