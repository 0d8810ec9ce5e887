import { CloseButton, Group, Skeleton, Text } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { ScrollBox } from './scroll-box.tsx'
import type { Beside } from './use-beside.ts'
import './beside.css'

interface BesideListProps {
  readonly beside: Beside
  /** What is told of a row, by what names it in the address. */
  panel(id: string): ReactNode
  /** Of what is told; it scrolls beyond that. */
  readonly height: string
  /** The list. */
  readonly children: ReactNode
}

/** A list, and beside it one of its rows. */
export function BesideList({ beside: { id, close }, panel, height, children }: BesideListProps) {
  return (
    // the list is the same element with and without a panel: it keeps its place
    <div className="beside" data-open={id !== undefined || undefined}>
      {children}
      {id === undefined ? null : (
        <aside className="beside-panel" aria-label="Side panel" data-beside={id}>
          <ScrollBox label="Details of the row" maxHeight={`max(160px, ${height})`}>
            <div className="beside-told">
              <CloseButton size="sm" aria-label="Close the side panel" title="Escape" onClick={close} style={{ float: 'inline-end' }} />
              <Suspense fallback={<BesideLoading />}>{panel(id)}</Suspense>
            </div>
          </ScrollBox>
        </aside>
      )}
    </div>
  )
}

/** What a row is called and the way to all of it; then what matters most. */
export function BesideHead({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="xs" mb="xs">
      <Text component="h2" fw={600} size="sm">
        {children}
      </Text>
    </Group>
  )
}

export function BesideLoading() {
  return <Skeleton height={160} role="status" aria-label="It is being loaded" />
}
