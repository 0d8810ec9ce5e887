import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import type { Scenario } from '../scenario.ts'
import { MAX_NAME_LENGTH, namesOf } from '../scenarios.ts'
import { aboutOf, MAX_SAVED, type SavedView, savedViews, withoutSaved, withRenamed, withSaved } from './saved.ts'

interface SavedDialogProps {
  /** The scenarios of the page, with edits that have not run yet. */
  readonly scenarios: readonly Scenario[]
  /** Why the scenarios cannot be saved at present. Undefined if they can be saved. */
  readonly whyNot: string | undefined
  onClose(): void
}

/**
 * The dialog with the scenarios that this browser stores. It saves the scenarios of the page, and opens, renames and deletes stored
 * scenarios.
 */
export function SavedDialog({ scenarios, whyNot, onClose }: SavedDialogProps) {
  const views = savedViews.use()
  const [message, setMessage] = useState('')
  const [deleted, setDeleted] = useState<readonly SavedView[]>()
  const [renamed, setRenamed] = useState<string>()
  const keep = (next: readonly SavedView[], text: string, before?: readonly SavedView[]): void => {
    savedViews.set(next)
    setMessage(text)
    setDeleted(before)
    setRenamed(undefined)
  }
  return (
    <Dialog onClose={onClose} title="Saved scenarios" size="lg">
      <Stack gap="sm">
        <SaveForm
          usual={namesOf(scenarios).join(' and ').slice(0, MAX_NAME_LENGTH)}
          views={views}
          whyNot={whyNot}
          onSave={(name) => {
            const saved = withSaved(views, name, scenarios)
            if ('problem' in saved) return saved.problem
            keep(saved.views, `Saved as ${name.trim()}.`)
            return undefined
          }}
        />
        <Group gap="xs" role="status" mih={24}>
          <Text size="sm">{message}</Text>
          {deleted === undefined ? null : (
            <Button size="compact-xs" variant="subtle" onClick={() => keep(deleted, 'Restored.')}>
              Undo
            </Button>
          )}
        </Group>
        {views.length === 0 ? (
          <Text size="sm" c="dimmed">
            No saved scenarios in this browser.
          </Text>
        ) : (
          <ul className="saved" aria-label="Saved scenarios">
            {views.map((view) => (
              <li key={view.name} data-saved={view.name}>
                {renamed === view.name ? (
                  <RenameForm
                    name={view.name}
                    onCancel={() => setRenamed(undefined)}
                    onRename={(name) => {
                      const next = withRenamed(views, view.name, name)
                      if ('problem' in next) return next.problem
                      keep(next.views, `Renamed to ${name.trim()}.`)
                      return undefined
                    }}
                  />
                ) : (
                  <>
                    <span>
                      <AnchorLink size="sm" to="/simulate" search={{ ...view.search, at: view.search.at }} onClick={onClose}>
                        {view.name}
                      </AnchorLink>
                      <Text size="xs" c="dimmed">
                        {aboutOf(view)}
                      </Text>
                    </span>
                    <Group gap={4} wrap="nowrap">
                      <Button size="compact-xs" variant="subtle" aria-label={`Rename ${view.name}`} onClick={() => setRenamed(view.name)}>
                        Rename
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="subtle"
                        color="red"
                        aria-label={`Delete ${view.name}`}
                        onClick={() => keep(withoutSaved(views, view.name), `Deleted ${view.name}.`, views)}
                      >
                        Delete
                      </Button>
                    </Group>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
        <Text size="xs" c="dimmed">
          {views.length} of {MAX_SAVED} are stored in this browser only. Copy the link to share scenarios.
        </Text>
      </Stack>
    </Dialog>
  )
}

interface SaveFormProps {
  readonly usual: string
  readonly views: readonly SavedView[]
  readonly whyNot: string | undefined
  /** Saves the scenarios. Returns why they were not saved, or undefined. */
  onSave(name: string): string | undefined
}

function SaveForm({ usual, views, whyNot, onSave }: SaveFormProps) {
  const [name, setName] = useState(usual)
  const [problem, setProblem] = useState<string>()
  const isThere = views.some((view) => view.name === name.trim())
  const save = (event: FormEvent): void => {
    event.preventDefault()
    setProblem(onSave(name))
  }
  return (
    <form onSubmit={save}>
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          label="Save the scenarios as"
          maxLength={MAX_NAME_LENGTH}
          autoComplete="off"
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
          data-autofocus
        />
        <Button type="submit" size="xs" disabled={whyNot !== undefined} title={whyNot}>
          {isThere ? 'Replace' : 'Save'}
        </Button>
      </Group>
      <NotDone problem={problem} />
    </form>
  )
}

interface RenameFormProps {
  readonly name: string
  onCancel(): void
  /** Renames the scenarios. Returns why they were not renamed, or undefined. */
  onRename(name: string): string | undefined
}

function RenameForm({ name, onCancel, onRename }: RenameFormProps) {
  const [text, setText] = useState(name)
  const [problem, setProblem] = useState<string>()
  return (
    <form
      className="saved-rename"
      onSubmit={(event) => {
        event.preventDefault()
        setProblem(onRename(text))
      }}
    >
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label={`New name of ${name}`}
          maxLength={MAX_NAME_LENGTH}
          autoComplete="off"
          autoFocus
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <Button type="submit" size="compact-xs">
          Rename
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
      <NotDone problem={problem} />
    </form>
  )
}

function NotDone({ problem }: { readonly problem: string | undefined }) {
  if (problem === undefined) return null
  return (
    <Alert color="red" p="xs" mt="xs" role="alert">
      {problem}
    </Alert>
  )
}
