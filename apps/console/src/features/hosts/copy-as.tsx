import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconChevronDown, IconCopy } from '@tabler/icons-react'
import { formatCount } from '../../lib/format.ts'
import { cliLineOf, csvOf, curlOf, jsonOf, queryTextOf } from './copies.ts'
import type { HostRow } from './host-row.ts'

export interface CopyAsProps {
  /** The filter, as its canonical text. */
  readonly text: string
  readonly count: number
  /** The rows of the list, in its order; read when they are asked for. */
  rows(): readonly HostRow[]
}

/** The list as something to paste: a link, a call, a command, its rows. */
export function CopyAs({ text, count, rows }: CopyAsProps) {
  const inAll = `${formatCount(count)} ${count === 1 ? 'host' : 'hosts'}`
  const items: readonly (readonly [string, () => string])[] = [
    ['Link', () => location.href],
    ['GraphQL query', () => queryTextOf(text)],
    ['curl', () => curlOf(location.origin, text)],
    ['Command line', () => cliLineOf(text)],
    [`CSV, ${inAll}`, () => csvOf(rows())],
    [`JSON, ${inAll}`, () => jsonOf(rows())],
  ]
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
