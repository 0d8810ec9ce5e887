import { Group, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import { Count } from './filter-funnel.tsx'
import type { Combo } from './matrix.ts'

const SHOWN = 12

interface CombosProps {
  readonly combos: readonly Combo[]
  readonly chosen: string | undefined
  onChoose(combo: string): void
}

/** Which filters refuse hosts together: whether lifting one of them would help anybody. */
export function Combos({ combos, chosen, onChoose }: CombosProps) {
  if (combos.length === 0) return null
  return (
    <Group gap={6} mb={6} role="group" aria-label="Filters that refuse hosts together">
      <Text size="xs" c="dimmed">
        refused together by
      </Text>
      {combos.slice(0, SHOWN).map(({ name, filters, hosts }) => (
        <Count
          key={name}
          label={`${formatCount(hosts)} hosts refused by exactly ${filters.join(', ')}`}
          isOn={chosen === name}
          onClick={() => onChoose(name)}
        >
          {filters.join(' + ')} {formatCount(hosts)}
        </Count>
      ))}
      {combos.length > SHOWN ? (
        <Text size="xs" c="dimmed">
          and {combos.length - SHOWN} rarer combinations
        </Text>
      ) : null}
    </Group>
  )
}
