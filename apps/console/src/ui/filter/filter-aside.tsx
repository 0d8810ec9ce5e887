import { Group } from '@mantine/core'
import type { ReactNode } from 'react'

/**
 * The elements next to the input of a filter, at half the height of the input. They stay there when the terms of the filter are listed
 * below the input.
 */
export function FilterAside({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="xs" mih={36}>
      {children}
    </Group>
  )
}
