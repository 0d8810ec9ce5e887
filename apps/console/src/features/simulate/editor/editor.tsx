import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '../../../lib/service/api.ts'
import { nameOfMoment } from '../../../lib/service/travel.ts'
import { PROFILES } from '../documents.ts'
import { MAX_COPIES, type Scenario } from '../scenario.ts'
import { FlavorMenu } from './flavor-menu.tsx'
import { OverlayEditor } from './overlay-editor.tsx'
import { Amount, RequestForm, Word } from './request-form.tsx'

interface EditorProps {
  readonly draft: Scenario
  readonly view: 'form' | 'json'
  /** How many scenarios are simulated when the operator starts a run. */
  readonly scenarioCount: number
  readonly isInvalid: boolean
  onView(view: 'form' | 'json'): void
  onChange(change: Partial<Scenario>): void
  onInvalid(isInvalid: boolean): void
  onRun(): void
}

/** The editor of one scenario. */
export function Editor({ draft, view, scenarioCount, isInvalid, onView, onChange, onInvalid, onRun }: EditorProps) {
  const { data } = useOperation(PROFILES, {}, { staleMs: 60_000 })
  const names = (data?.profiles ?? []).map(({ name }) => name)
  // increases whenever another request replaces the present one, so that fields that hold their own text are reset
  const [begun, setBegun] = useState(0)
  return (
    <Stack gap="md" component="section" aria-label="Scenario">
      <RequestForm
        key={begun}
        request={draft.request}
        view={view}
        onView={onView}
        onChange={(request) => onChange({ request })}
        onInvalid={onInvalid}
        from={
          <FlavorMenu
            onChoose={(request) => {
              onInvalid(false)
              onChange({ request })
              setBegun(begun + 1)
            }}
          />
        }
      />
      <div className="simulate-fields">
        <Amount label="Instances" value={draft.count} onChange={(count) => onChange({ count: Math.min(MAX_COPIES, Math.max(1, count)) })} />
        <NativeSelect
          size="xs"
          label="Profile"
          value={draft.profile ?? ''}
          data={[
            { value: '', label: 'the default' },
            ...[...new Set([...names, ...(draft.profile === undefined ? [] : [draft.profile])])].map((value) => ({ value, label: value })),
          ]}
          onChange={({ currentTarget: { value } }) => onChange({ profile: value === '' ? undefined : value })}
        />
        <Word
          label="Time"
          placeholder="now"
          value={draft.at ?? ''}
          onChange={(value) => onChange({ at: value.trim() === '' ? undefined : value.trim() })}
        />
      </div>
      {draft.profileChanges === undefined ? null : (
        <Group gap="xs" justify="space-between">
          <Text size="sm">
            With another profile: <Code>{JSON.stringify(draft.profileChanges)}</Code>
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => onChange({ profileChanges: undefined })}>
            Undo
          </Button>
        </Group>
      )}
      {draft.at === undefined ? null : (
        <Group gap="xs" justify="space-between">
          <Text size="sm">On the fleet at {nameOfMoment(draft.at)}</Text>
          <Button size="compact-xs" variant="subtle" onClick={() => onChange({ at: undefined })}>
            The present fleet
          </Button>
        </Group>
      )}
      <OverlayEditor overlay={draft.overlay} onChange={(overlay) => onChange({ overlay })} />
      <Group gap="sm">
        <Button onClick={onRun} disabled={isInvalid} title="Ctrl Enter">
          {scenarioCount === 1 ? 'Run' : `Run all ${scenarioCount}`}
        </Button>
        <Text size="xs" c="dimmed">
          Ctrl Enter. Nothing is claimed.
        </Text>
      </Group>
    </Stack>
  )
}
