import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { normalisations } from '../version-detail.tsx'
import { type DraftSettings, furtherNames } from './draft.ts'
import type { FieldProblem } from './draft-input.ts'

interface SettingsFieldsProps {
  readonly settings: DraftSettings
  readonly schedulers: readonly { readonly name: string; readonly description: string }[]
  readonly problems: readonly FieldProblem[]
  onChange(settings: DraftSettings): void
}

const tieOrders = [
  { value: 'FIRST_SEEN', label: 'first seen' },
  { value: 'SEEDED', label: 'random, by the seed' },
]

/** The settings of the whole profile. */
export function SettingsFields({ settings, schedulers, problems, onChange }: SettingsFieldsProps) {
  const write = (field: keyof DraftSettings) => ({
    size: 'xs' as const,
    value: settings[field],
    error: errorOf(problems, field),
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }): void =>
      onChange({ ...settings, [field]: value }),
  })
  return (
    <div className="draft-settings">
      <TextInput
        label="Note"
        description="Purpose of the version, shown in the list of versions."
        required
        maxLength={4_096}
        {...write('note')}
      />
      <NativeSelect
        label="Scheduler"
        data={schedulers.map(({ name, description }) => ({ value: name, label: `${name}: ${description}` }))}
        {...write('scheduler')}
        error={errorOf(problems, 'scheduler') ?? errorOf(problems, 'schedulerName')}
      />
      <TextInput label="Host subset size" inputMode="numeric" {...write('hostSubsetSize')} />
      <NativeSelect
        label="Normalisation"
        data={Object.entries(normalisations).map(([value, label]) => ({ value, label }))}
        {...write('normalisation')}
      />
      <NativeSelect label="Tie-break" data={tieOrders} {...write('tieOrder')} />
      <Textarea
        label="Further settings"
        description={`An object as JSON with ${furtherNames.join(', ')}; empty: none.`}
        autosize
        minRows={2}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        placeholder='{"assignment": {"numa": {"rule": "emptiest"}}}'
        {...write('further')}
      />
    </div>
  )
}

const errorOf = (problems: readonly FieldProblem[], field: string): string | undefined =>
  problems
    .filter((problem) => problem.field === field)
    .map(({ message }) => message)
    .join(' ') || undefined
