import type { RowField } from '../../lib/csv.ts'
import { formatAmount, formatShare } from '../../lib/format.ts'
import { labelOfHost } from '../../lib/host-label.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { Age, TimeLeft } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import type { TableColumn } from '../../ui/table/table.tsx'
import type { LIST } from './documents.ts'

export type ClaimRow = ResultOf<typeof LIST>['claims']['nodes'][number]

/** True if the claim holds resources. */
export const isHeld = ({ state }: Pick<ClaimRow, 'state'>): boolean =>
  state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'

/** The words after the amounts of the usual classes. Other classes are named before their amount. */
const nouns: Readonly<Record<string, string>> = { VCPU: 'vCPU', MEMORY_MB: 'memory', DISK_GB: 'disk' }

const amountText = (resourceClass: string, amount: number): string => {
  const text = formatAmount(resourceClass, amount)
  const noun = nouns[resourceClass]
  return noun === undefined ? `${resourceClass} ${text}` : `${text} ${noun}`
}

/** The claimed amounts, in the units of their classes. */
export const holdsOf = ({ resources, gpus }: Pick<ClaimRow, 'resources' | 'gpus'>): string =>
  [
    ...resources.map(({ resourceClass, amount }) => amountText(resourceClass, amount)),
    ...gpus.map(({ index, milli }) => `GPU ${index}${milli === 1_000 ? '' : ` ${formatShare(milli / 1_000)}`}`),
  ].join(', ')

/** The columns of the list. */
export const claimColumns: readonly TableColumn<ClaimRow>[] = [
  {
    key: 'instance',
    label: 'Instance',
    width: 'minmax(180px, 1.6fr)',
    value: ({ instanceUuid }) => instanceUuid ?? 'unnamed',
    cell: ({ instanceUuid }) => <span className="mono">{instanceUuid ?? 'unnamed'}</span>,
  },
  { key: 'state', label: 'State', width: '110px', value: ({ state }) => state.toLowerCase() },
  {
    key: 'host',
    label: 'Host',
    width: 'minmax(110px, 1fr)',
    value: ({ host }) => labelOfHost(host),
    cell: ({ host }) => (
      <AnchorLink size="sm" to="/hosts/$host" params={{ host: host.name }} search={host.node === host.name ? {} : { node: host.node }}>
        {labelOfHost(host)}
      </AnchorLink>
    ),
  },
  {
    key: 'holds',
    label: 'Resources',
    width: 'minmax(200px, 2fr)',
    value: holdsOf,
    cell: (row) => <span title={holdsOf(row)}>{holdsOf(row)}</span>,
  },
  {
    key: 'age',
    label: 'Created',
    width: '90px',
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Age atMs={Date.parse(createdAt)} ago />,
  },
  { key: 'ends', label: 'Expires', width: '110px', value: endText, cell: (row) => <End row={row} /> },
  { key: 'account', label: 'Account', width: 'minmax(80px, 0.8fr)', value: ({ account }) => account },
  {
    key: 'why',
    label: 'Decision',
    width: '90px',
    value: ({ decision }) => decision.id,
    cell: ({ decision, instanceUuid, id }) => (
      <AnchorLink size="sm" to="/decisions/$id" params={{ id: decision.id }} aria-label={`The decision of ${instanceUuid ?? id}`}>
        decision
      </AnchorLink>
    ),
  },
]

/**
 * The fields of a claim that are copied as CSV or JSON. Amounts are in the units of their resource classes, and shares of GPUs are in
 * thousandths.
 */
export const claimFieldsCopied: readonly RowField<ClaimRow>[] = [
  ['id', ({ id }) => id],
  ['instanceUuid', ({ instanceUuid }) => instanceUuid, 'instance'],
  ['state', ({ state }) => state, 'state'],
  ['host', ({ host }) => host.name, 'host'],
  ['node', ({ host }) => host.node, 'host'],
  ['holds', amountsOf, 'holds'],
  ['createdAt', ({ createdAt }) => createdAt, 'age'],
  ['expiresAt', ({ expiresAt }) => expiresAt, 'ends'],
  ['releasedAt', ({ releasedAt }) => releasedAt, 'ends'],
  ['reason', ({ reason }) => reason, 'ends'],
  ['account', ({ account }) => account, 'account'],
  ['decisionId', ({ decision }) => decision.id, 'why'],
]

function amountsOf({ resources, gpus }: ClaimRow): string {
  const amounts = resources.map(({ resourceClass, amount }) => `${resourceClass} ${amount}`)
  return [...amounts, ...gpus.map(({ index, milli }) => `GPU ${index} ${milli}`)].join(', ')
}

function endText({ expiresAt, releasedAt }: ClaimRow): string {
  return releasedAt ?? expiresAt ?? 'no expiry'
}

function End({ row: { expiresAt, releasedAt, reason } }: { readonly row: ClaimRow }) {
  if (releasedAt !== null)
    return (
      <span title={reason ?? undefined}>
        <Age atMs={Date.parse(releasedAt)} ago />
      </span>
    )
  return expiresAt === null ? <span className="dimmed">no expiry</span> : <TimeLeft untilMs={Date.parse(expiresAt)} />
}
