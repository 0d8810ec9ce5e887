import { CloseButton, Group, Skeleton, Text } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { ScrollBox } from '../table/scroll-box.tsx'
import type { SidePanelState } from './use-side-panel.ts'
import './side-panel.css'

interface SidePanelProps {
  readonly state: SidePanelState
  /** Renders the panel for the row with this id, which is in the URL. */
  panel(id: string): ReactNode
  /** The maximum height of the content. Longer content scrolls. */
  readonly height: string
  /** The list to which the panel belongs. */
  readonly children: ReactNode
}

/** A list with a side panel, which shows one of the rows. */
export function SidePanel({ state: { id, close }, panel, height, children }: SidePanelProps) {
  return (
    // the list must be the same element with and without a panel, so that it keeps its scroll position
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

/** The heading of the panel: the name of the row, as a link if the row has a page. */
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
  return <Skeleton height={160} role="status" aria-label="The details are being loaded" />
}
