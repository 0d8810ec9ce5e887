import { Badge, Box, Group, Title, Tooltip } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { whenUncovered } from '../lib/browser/over-page.ts'
import type { LiveState } from '../lib/service/live.ts'

/**
 * The path of the first page of a visit. On that page the focus does not move to the heading, so that the first Tab goes to the top of the
 * page.
 */
let beginning: string | undefined
let hasLeftIt = false

/**
 * A page of the console: the heading, the elements next to the heading, and the content. It also sets the title of the browser tab. When a
 * page is opened, the focus moves to its heading, so that screen readers announce the page and Tab continues there.
 */
export function Page({ title, aside, children }: { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isOpened = useRef(false)
  useEffect(() => {
    document.title = `${title} - Gantt`
    // the focus does not move if the open page only gets another title
    beginning ??= location.pathname
    hasLeftIt ||= location.pathname !== beginning
    const isNew = !isOpened.current
    isOpened.current = true
    if (!hasLeftIt || !(isNew || document.activeElement === document.body)) return
    return whenUncovered(() => heading.current?.focus({ preventScroll: true }))
  }, [title])
  return (
    <Box p="md">
      <Group justify="space-between" mb="sm" wrap="wrap" gap="sm">
        <Title ref={heading} order={1} size="h3" tabIndex={-1} style={{ overflowWrap: 'anywhere', outline: 'none' }}>
          {title}
        </Title>
        <Group gap="xs">{aside}</Group>
      </Group>
      {children}
    </Box>
  )
}

const live: Readonly<Record<LiveState, { readonly label: string; readonly colour: string; readonly text: string }>> = {
  off: { label: 'paused', colour: 'gray', text: 'The page does not update automatically.' },
  connecting: { label: 'connecting', colour: 'yellow', text: 'The feed is being opened.' },
  live: { label: 'live', colour: 'green', text: 'Changes are shown as they happen.' },
  silent: { label: 'no updates', colour: 'red', text: 'The service has stopped responding. The page may be out of date.' },
  lost: {
    label: 'reconnecting',
    colour: 'red',
    text: 'The feed is interrupted; the console retries every few seconds. The page may be out of date.',
  },
}

/** Shows whether the page follows the changes of the fleet. */
export function LiveBadge({ state }: { readonly state: LiveState }) {
  const { label, colour, text } = live[state]
  return (
    <Tooltip label={text}>
      <Badge variant="light" color={colour} role="status" aria-label={`Feed: ${label}. ${text}`} data-live={state} tabIndex={0}>
        {label}
      </Badge>
    </Tooltip>
  )
}
