import { byField, reportedFields } from '@gantt/scheduler-core/query'
import { Group, NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { type HostColour, type HostGroup, hostColours, hostGroups } from '../search.ts'
import { colourName } from './map-groups.ts'

const groupNames: Readonly<Record<HostGroup, string>> = {
  az: 'Zone',
  aggregate: 'Aggregate',
  ...byField(reportedFields, 'name', ({ label }) => label),
}

interface MapSwitchesProps {
  readonly group: HostGroup
  readonly colour: HostColour
  /** True if a decision's verdicts are available as colours. */
  readonly hasVerdicts: boolean
  onGroup(group: HostGroup): void
  onColour(colour: HostColour): void
}

/** The map's grouping and colours. They are above the map and its side panel, so that opening the panel does not move them. */
export function MapSwitches({ group, colour, hasVerdicts, onGroup, onColour }: MapSwitchesProps) {
  const offered = hasVerdicts ? hostColours : hostColours.filter((one) => one !== 'verdict')
  return (
    <Group gap="md" mb={6}>
      <Switch label="Group by" value={group} values={hostGroups} nameOf={(one) => groupNames[one]} onChange={onGroup} />
      <Switch label="Colour" value={colour} values={offered} nameOf={colourName} onChange={onColour} />
    </Group>
  )
}

interface SwitchProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  nameOf(value: Value): string
  onChange(value: Value): void
}

function Switch<Value extends string>({ label, value, values, nameOf, onChange }: SwitchProps<Value>) {
  const id = useId()
  return (
    <Group gap={6} wrap="nowrap">
      <label className="choice-label" htmlFor={id}>
        {label}
      </label>
      <NativeSelect
        size="xs"
        id={id}
        value={value}
        data={values.map((one) => ({ value: one, label: nameOf(one) }))}
        onChange={({ currentTarget }) => onChange(values.find((one) => one === currentTarget.value) ?? value)}
      />
    </Group>
  )
}
