import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useScopes } from '../../lib/scopes.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import type { Fleet } from './fleet.ts'
import { SetStatus } from './set-status.tsx'
import type { HostChoice } from './use-choice.ts'

interface ChoiceBarProps {
  readonly fleet: Fleet
  readonly choice: HostChoice
  /** How many rows the filter finds. */
  readonly found: number
}

/** What can be done with the hosts that were chosen. To choose all that the filter finds is a step of its own. */
export function ChoiceBar({ fleet: { store }, choice, found }: ChoiceBarProps) {
  const { may } = useScopes()
  const [isSetting, setSetting] = useState(false)
  const count = choice.ordinals.size
  if (count === 0) return null
  return (
    <Group gap="xs">
      <Text size="sm" fw={600} role="status" data-chosen={count}>
        {formatCount(count)} chosen
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={choice.clear}>
        None
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={choice.chooseAll}>
        Choose all {formatCount(found)} matching
      </Button>
      {may('OPERATE') === true ? (
        <WriteButton size="compact-sm" onClick={() => setSetting(true)}>
          Set status ...
        </WriteButton>
      ) : null}
      {isSetting ? (
        <SetStatus
          hosts={[...choice.ordinals].map((ordinal) => ({ host: store.nameOf(ordinal), node: store.nodeOf(ordinal) }))}
          onClose={() => setSetting(false)}
          onDone={() => {
            setSetting(false)
            choice.clear()
          }}
        />
      ) : null}
    </Group>
  )
}
