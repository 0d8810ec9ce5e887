import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconChevronDown, IconCopy } from '@tabler/icons-react'
import type { toGraphiql } from '../lib/graphiql.ts'
import { MenuLink } from './menu-link.tsx'

interface CopyAsProps {
  /** What each is called, and the text that it makes when it is chosen. */
  readonly items: readonly (readonly [label: string, make: () => string])[]
  /** The call behind it, to go on with in GraphiQL. */
  readonly graphiql?: ReturnType<typeof toGraphiql>
}

/** Something of the page to paste: a link, a call, a command, rows. */
export function CopyAs({ items, graphiql }: CopyAsProps) {
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="outline"
          leftSection={<IconCopy size={14} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(([label, make]) => (
          <Menu.Item key={label} onClick={() => void copy(label, make())}>
            {label}
          </Menu.Item>
        ))}
        {graphiql === undefined ? null : (
          <MenuLink to="/graphiql" search={graphiql}>
            Open in GraphiQL
          </MenuLink>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

async function copy(label: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notifications.show({ message: `Copied: ${label}.`, autoClose: 2_000, withCloseButton: false })
  } catch {
    notifications.show({
      color: 'red',
      closeButtonProps: { 'aria-label': 'Close' },
      title: 'Not copied',
      message: 'The browser gives pages its clipboard only over https, from localhost, and where it is allowed.',
    })
  }
}
