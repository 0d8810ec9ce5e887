import { Badge, Box, Group, Title, Tooltip } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import type { LiveState } from '../lib/live.ts'

/** A page: its heading, what belongs beside it, and its content. Also names the browser's tab. */
export function Page({ title, aside, children }: { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} - Gantt`
  }, [title])
  return (
    <Box p="md">
      <Group justify="space-between" mb="sm" wrap="wrap" gap="sm">
        <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Group gap="xs">{aside}</Group>
      </Group>
      {children}
    </Box>
  )
}

const live: Readonly<Record<LiveState, { readonly label: string; readonly colour: string; readonly text: string }>> = {
  off: { label: 'paused', colour: 'gray', text: 'What is shown does not change by itself.' },
  connecting: { label: 'connecting', colour: 'yellow', text: 'The feed is being opened.' },
  live: { label: 'live', colour: 'green', text: 'Changes are shown as they happen.' },
  lost: {
    label: 'feed lost',
    colour: 'red',
    text: 'The feed is interrupted; it is tried again every few seconds. What is shown may be old.',
  },
}

/** Whether the page follows the fleet. */
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
