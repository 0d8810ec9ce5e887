import { ofEachTold } from '@gantt/scheduler-core/query'
import { Group, NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { type HostColour, type HostGroup, hostColours, hostGroups } from './search.ts'

const groupNames: Readonly<Record<HostGroup, string>> = {
  az: 'Zone',
  aggregate: 'Aggregate',
  ...ofEachTold('name', ({ label }) => label),
}

const colourNames: Readonly<Record<HostColour, string>> = {
  cpu: 'CPU used',
  mem: 'Memory used',
  disk: 'Disk used',
  'cpu.free': 'CPU free',
  'mem.free': 'Memory free',
  'disk.free': 'Disk free',
  claims: 'Claims',
  age: 'Report age',
  verdict: 'Verdict',
}

interface MapSwitchesProps {
  readonly group: HostGroup
  readonly colour: HostColour
  /** Whether there are verdicts of a decision to colour by. */
  readonly hasVerdicts: boolean
  onGroup(group: HostGroup): void
  onColour(colour: HostColour): void
}

/** What the map is divided by, and what its colour reports. They stand above the map and what is next to it: what opens there moves none of them. */
export function MapSwitches({ group, colour, hasVerdicts, onGroup, onColour }: MapSwitchesProps) {
  const offered = hasVerdicts ? hostColours : hostColours.filter((one) => one !== 'verdict')
  return (
    <Group gap="md" mb={6}>
      <Switch label="Group by" value={group} values={hostGroups} names={groupNames} onChange={onGroup} />
      <Switch label="Colour" value={colour} values={offered} names={colourNames} onChange={onColour} />
    </Group>
  )
}

interface SwitchProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  readonly names: Readonly<Record<Value, string>>
  onChange(value: Value): void
}

function Switch<Value extends string>({ label, value, values, names, onChange }: SwitchProps<Value>) {
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
        data={values.map((one) => ({ value: one, label: names[one] }))}
        onChange={({ currentTarget }) => onChange(values.find((one) => one === currentTarget.value) ?? value)}
      />
    </Group>
  )
}
