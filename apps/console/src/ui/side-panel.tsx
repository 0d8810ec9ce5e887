import { CloseButton, Group, Skeleton, Text } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { ScrollBox } from './scroll-box.tsx'
import type { SidePanelState } from './use-side-panel.ts'
import './side-panel.css'

interface SidePanelProps {
  readonly state: SidePanelState
  /** What is shown a row, by what names it in the address. */
  panel(id: string): ReactNode
  /** Of what is reported; it scrolls beyond that. */
  readonly height: string
  /** The list. */
  readonly children: ReactNode
}

/** A list, and next to it one of its rows. */
export function SidePanel({ state: { id, close }, panel, height, children }: SidePanelProps) {
  return (
    // the list is the same element with and without a panel: it keeps its place
    <div className="with-panel" data-open={id !== undefined || undefined}>
      {children}
      {id === undefined ? null : (
        <aside className="side-panel" aria-label="Side panel" data-panel={id}>
          <ScrollBox label="Details of the row" maxHeight={`max(160px, ${height})`}>
            <div className="side-panel-content">
              <CloseButton size="sm" aria-label="Close the side panel" title="Escape" onClick={close} style={{ float: 'inline-end' }} />
              <Suspense fallback={<PanelLoading />}>{panel(id)}</Suspense>
            </div>
          </ScrollBox>
        </aside>
      )}
    </div>
  )
}

/** What a row is called and the way to all of it; then what matters most. */
export function PanelHead({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="xs" mb="xs">
      <Text component="h2" fw={600} size="sm">
        {children}
      </Text>
    </Group>
  )
}

export function PanelLoading() {
  return <Skeleton height={160} role="status" aria-label="It is being loaded" />
}
