import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A message that there is nothing to show, with the reason and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" role="status">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children === undefined ? null : (
        <Text c="dimmed" ta="center" maw={640} component="div" className="running-text">
          {children}
        </Text>
      )}
    </Stack>
  )
}
