import { Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { namesIn, type Overlay } from '../scenario.ts'
import { type EditDraft, type EditKind, editKinds, editsOf, isWhole, NO_DRAFT, withEdit } from './edits.ts'
import { Amount, Word } from './request-form.tsx'

const kindNames: Readonly<Record<EditKind, string>> = {
  add: 'Add copies of a host',
  remove: 'Remove hosts and their instances',
  drain: 'Drain hosts: their instances move',
  disable: 'Disable hosts: their instances stay',
  enable: 'Enable hosts',
  metadata: "Set an aggregate's metadata",
  ratio: 'Set an allocation ratio',
  release: 'Release claims',
}

interface OverlayEditorProps {
  readonly overlay: Overlay
  onChange(overlay: Overlay): void
}

/** The editor of hypothetical changes of the fleet: a list of edits, and a form for the next one. */
export function OverlayEditor({ overlay, onChange }: OverlayEditorProps) {
  const [draft, setDraft] = useState<EditDraft>(NO_DRAFT)
  const [names, setNames] = useState('')
  const kind = useRef<HTMLSelectElement>(null)
  const edits = editsOf(overlay)
  const add = (event: FormEvent): void => {
    event.preventDefault()
    if (!isWhole(draft)) return
    onChange(withEdit(overlay, draft))
    setDraft({ ...NO_DRAFT, kind: draft.kind })
    setNames('')
    kind.current?.focus()
  }
  return (
    <Stack gap="xs" component="section" aria-label="Overlay">
      <Text fw={600} component="h2" size="md">
        Fleet changes
      </Text>
      {edits.length === 0 ? (
        <Text size="sm" c="dimmed">
          No changes.
        </Text>
      ) : (
        <ul className="edits" aria-label="Edits">
          {edits.map(({ key, text, without }) => (
            <li key={key}>
              <span>{text}</span>
              <Button size="compact-xs" variant="subtle" aria-label={`Undo: ${text}`} onClick={() => onChange(without)}>
                Undo
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={add} className="simulate-fields">
        <NativeSelect
          ref={kind}
          className="simulate-wide"
          size="xs"
          label="Edit"
          value={draft.kind}
          data={editKinds.map((value) => ({ value, label: kindNames[value] }))}
          onChange={({ currentTarget: { value } }) => {
            setDraft({ ...NO_DRAFT, kind: editKinds.find((one) => one === value) ?? 'add' })
            setNames('')
          }}
        />
        {draft.kind === 'metadata' || draft.kind === 'ratio' ? null : (
          <TextInput
            size="xs"
            label={draft.kind === 'add' ? 'Like host' : draft.kind === 'release' ? 'Claims, by id' : 'Hosts, by name'}
            value={names}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => {
              setNames(value)
              setDraft({ ...draft, names: namesIn(value) })
            }}
          />
        )}
        {draft.kind === 'add' ? (
          <>
            <Amount label="How many hosts" value={draft.count} onChange={(count) => setDraft({ ...draft, count })} />
            <Word label="In zone" placeholder="the same" value={draft.zone} onChange={(zone) => setDraft({ ...draft, zone })} />
          </>
        ) : null}
        {draft.kind === 'metadata' || draft.kind === 'ratio' ? (
          <Word
            label="Aggregate"
            placeholder={draft.kind === 'ratio' ? 'all hosts' : 'name or uuid'}
            value={draft.aggregate}
            onChange={(aggregate) => setDraft({ ...draft, aggregate })}
          />
        ) : null}
        {draft.kind === 'metadata' ? (
          <TextInput
            size="xs"
            label="key=value, or key to remove"
            value={names}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => {
              setNames(value)
              setDraft({ ...draft, metadata: namesIn(value) })
            }}
          />
        ) : null}
        {draft.kind === 'ratio' ? (
          <>
            <Word label="Resource class" value={draft.resourceClass} onChange={(resourceClass) => setDraft({ ...draft, resourceClass })} />
            <TextInput
              size="xs"
              type="number"
              min={0.001}
              step="any"
              label="Ratio"
              value={draft.ratio}
              onChange={({ currentTarget: { value } }) => setDraft({ ...draft, ratio: Number(value) })}
            />
          </>
        ) : null}
        <Button type="submit" size="xs" variant="outline" disabled={!isWhole(draft)} className="simulate-add">
          Add the edit
        </Button>
      </form>
    </Stack>
  )
}
