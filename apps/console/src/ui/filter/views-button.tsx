import { Button, Popover } from '@mantine/core'
import { IconBookmarks } from '@tabler/icons-react'
import { useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { SavedViews } from './saved-views.tsx'

/**
 * A button that opens the saved views of a list, with an input to save the present view. `list` is the name under which the views are
 * stored.
 */
export function ViewsButton({ list }: { readonly list: string }) {
  const [isOpen, setOpen] = useState(false)
  useShortcuts([{ keys: 'v', label: 'Saved views of the list', run: () => setOpen(!isOpen) }])
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconBookmarks size={14} aria-hidden />}
          title="v"
          onClick={() => setOpen(!isOpen)}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <SavedViews list={list} onOpened={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
