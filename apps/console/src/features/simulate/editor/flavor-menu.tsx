import { Button, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { nameOfFlavor, requestOfFlavor } from '../../../lib/flavors.ts'
import { formatCount, formatMib } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { problemOf } from '../../../ui/problem.tsx'
import { FLAVORS } from '../documents.ts'
import { type RequestDocument, withoutDefaults } from '../scenario.ts'

/** Flavors from the requests of the last day. */
const WINDOW = 'P1D'

/**
 * A menu that fills in a request with a recently requested flavor, the most frequent first. The flavors are loaded when the menu is opened.
 */
export function FlavorMenu({ onChoose }: { onChoose(request: RequestDocument): void }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useOperation(FLAVORS, { window: WINDOW }, { enabled: isOpen, staleMs: 60_000 })
  const flavors = data?.activity.flavors
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="compact-sm" variant="subtle">
          From a flavor
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="simulate-flavors">
        {flavors?.map((flavor) => (
          <Menu.Item key={JSON.stringify(flavor)} onClick={() => onChoose(withoutDefaults(requestOfFlavor(flavor)))}>
            {nameOfFlavor(flavor)}
            <Text size="xs" c="dimmed" component="span" display="block">
              {flavor.vcpus} vCPU, {formatMib(flavor.memoryMb)}, requested{' '}
              {flavor.decisions === 1 ? 'once' : `${formatCount(flavor.decisions)} times`}
            </Text>
          </Menu.Item>
        ))}
        {flavors?.length === 0 ? <Menu.Item disabled>No requests within the last day.</Menu.Item> : null}
        {flavors === undefined && error === null ? <Menu.Item disabled>Loading.</Menu.Item> : null}
        {error === null ? null : (
          <Menu.Item closeMenuOnClick={false} onClick={() => void refetch()}>
            ! {problemOf(error).text} Try again.
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
