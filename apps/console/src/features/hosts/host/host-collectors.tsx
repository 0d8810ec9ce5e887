import { Text } from '@mantine/core'
import { Age } from '../../../ui/age.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { HostDetail } from '../host-usage.tsx'
import { collectorState } from './collector-state.ts'

type Collector = HostDetail['collectors'][number]

/** The programs with which the host's agent collects documents, with their states and last errors. */
export function HostCollectors({ collectors }: { readonly collectors: readonly Collector[] }) {
  const [first] = collectors
  return (
    <>
      {first?.outdated ? (
        <Text size="sm" c="red">
          The agent has not repeated these states since <Age atMs={Date.parse(first.reportedAt)} ago />, so they may no longer be true.
        </Text>
      ) : null}
      <SmallTable
        label="Collectors"
        rows={collectors}
        rowKey={({ name }) => name}
        rowAttributes={({ name }) => ({ 'data-collector': name })}
        columns={[
          { head: 'Collector', isRowHead: true, className: 'mono', cell: ({ name }) => name },
          { head: 'Namespace', className: 'mono', cell: ({ namespace }) => namespace },
          {
            head: 'Documents',
            cell: collectorState,
            attributes: ({ state, outdated }) => ({ style: state === 'FAILING' && !outdated ? { color: 'var(--gantt-fail)' } : undefined }),
          },
          { head: 'Since', cell: ({ since }) => <Age atMs={Date.parse(since)} ago /> },
          {
            head: 'Last good',
            cell: ({ lastGoodAt, state, outdated }) =>
              lastGoodAt === null ? (
                state === 'SENDING' || state === 'SLOWED' ? (
                  outdated ? (
                    'the last one'
                  ) : (
                    'the present one'
                  )
                ) : (
                  'none'
                )
              ) : (
                <Age atMs={Date.parse(lastGoodAt)} ago />
              ),
          },
          {
            head: 'Last error',
            className: 'breaks',
            cell: ({ error }) => (error === null ? 'none' : `${error.code}: ${error.message}`),
          },
        ]}
      />
    </>
  )
}
