import { Badge } from '@mantine/core'
import type { RowField } from '../../lib/csv.ts'
import { Age, TimeLeft } from '../../ui/age.tsx'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import type { TableColumn } from '../../ui/table/table.tsx'
import type { Step } from './end-key.tsx'
import type { Key } from './key.ts'

const states: Readonly<Record<Key['state'], readonly [glyph: string, colour: string]>> = {
  ACTIVE: ['+', 'green'],
  EXPIRED: ['.', 'gray'],
  REVOKED: ['x', 'red'],
}

const scopesOf = ({ scopes }: Key): string => scopes.toReversed().join(', ')

/** The columns of the list, with the actions on active keys. */
export const keyColumns = (onStep: (step: Step, key: Key) => void): TableColumn<Key>[] => [
  { key: 'name', label: 'Name', width: 'minmax(110px, 1.2fr)', value: ({ name }) => name },
  { key: 'account', label: 'Account', width: 'minmax(90px, 1fr)', value: ({ account }) => account },
  {
    key: 'prefix',
    label: 'Prefix',
    title: 'The beginning of the secret, which may be shown.',
    width: '132px',
    value: ({ prefix }) => prefix,
    cell: ({ prefix }) => <span className="mono">{prefix}</span>,
  },
  {
    key: 'scopes',
    label: 'Scopes',
    title: 'What the key allows. The scope that allows most is named first.',
    width: 'minmax(200px, 3fr)',
    value: scopesOf,
    cell: (key) => <span title={scopesOf(key)}>{scopesOf(key)}</span>,
  },
  {
    key: 'bound',
    label: 'Bound to',
    width: 'minmax(80px, 1fr)',
    value: boundOf,
    cell: (key) => <span title={boundOf(key)}>{boundOf(key)}</span>,
  },
  {
    key: 'state',
    label: 'State',
    width: '90px',
    value: ({ state }) => state.toLowerCase(),
    cell: ({ state }) => (
      <Badge variant="light" color={states[state][1]} tt="none" data-key-state={state}>
        <span aria-hidden className="mono">
          {states[state][0]}{' '}
        </span>
        {state.toLowerCase()}
      </Badge>
    ),
  },
  {
    key: 'used',
    label: 'Last used',
    width: '90px',
    value: ({ lastUsedAt }) => lastUsedAt ?? 'never',
    cell: ({ lastUsedAt }) => <Age atMs={lastUsedAt === null ? 0 : Date.parse(lastUsedAt)} ago />,
  },
  {
    key: 'ends',
    label: 'Expires',
    width: '80px',
    value: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt ?? 'never',
    cell: ({ state, expiresAt, revokedAt }) => {
      const end = revokedAt ?? expiresAt
      if (end === null) return 'never'
      return state === 'ACTIVE' ? <TimeLeft untilMs={Date.parse(end)} /> : <Age atMs={Date.parse(end)} ago />
    },
  },
  {
    key: 'steps',
    label: '',
    width: '140px',
    value: () => '',
    cell: (key) =>
      key.state === 'ACTIVE' ? (
        <>
          <WriteButton size="compact-xs" variant="subtle" onClick={() => onStep('rotate', key)} aria-label={`Rotate ${key.name}`}>
            Rotate
          </WriteButton>
          <WriteButton
            size="compact-xs"
            variant="subtle"
            color="red"
            onClick={() => onStep('revoke', key)}
            aria-label={`Revoke ${key.name}`}
          >
            Revoke
          </WriteButton>
        </>
      ) : null,
  },
]

/** The fields of a key that are copied as CSV or JSON. The secret is not among them, because secrets are not stored. */
export const keyFieldsCopied: readonly RowField<Key>[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name, 'name'],
  ['account', ({ account }) => account, 'account'],
  ['prefix', ({ prefix }) => prefix, 'prefix'],
  ['scopes', ({ scopes }) => scopes.join(', '), 'scopes'],
  ['hosts', ({ hosts }) => hosts.join(', '), 'bound'],
  ['maxNodes', ({ maxNodes }) => maxNodes, 'bound'],
  ['project', ({ project }) => project, 'bound'],
  ['state', ({ state }) => state, 'state'],
  ['createdAt', ({ createdAt }) => createdAt],
  ['lastUsedAt', ({ lastUsedAt }) => lastUsedAt, 'used'],
  ['expiresAt', ({ expiresAt }) => expiresAt, 'ends'],
  ['revokedAt', ({ revokedAt }) => revokedAt, 'ends'],
]

function boundOf({ hosts, maxNodes, project }: Key): string {
  if (project !== null) return `project ${project}`
  return `${hosts.join(', ')}${maxNodes === null ? '' : `, at most ${maxNodes} nodes each`}`
}
