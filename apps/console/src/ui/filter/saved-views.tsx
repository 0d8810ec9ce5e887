import { ActionIcon, Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { changed } from '../../lib/browser/list-search.ts'
import { columnsOf } from '../table/columns.ts'
import { isSame, LONGEST_NAME, MAX_VIEWS, opening, renamed, type View, viewOf, viewsOf, withoutView, withView } from './views.ts'
import './saved-views.css'

interface SavedViewsProps {
  /** The name of the list. */
  readonly list: string
  /** Called when a view was opened. */
  onOpened(): void
}

/** The views of a list that this browser stores. Views can be opened, renamed and deleted. An input saves the present view. */
export function SavedViews({ list, onOpened }: SavedViewsProps) {
  const kept = viewsOf(list)
  const views = kept.use()
  const navigate = useNavigate()
  const now = usePresentView(list)
  const [renaming, setRenaming] = useState<string | undefined>()
  /** The input for the name of a new view. It gets the focus when the element with the focus disappears. */
  const naming = useRef<HTMLInputElement>(null)
  const open = ({ search }: View): void => {
    void navigate({ to: '.', search: (before) => changed<Record<string, unknown>>(before, opening(search)), resetScroll: false })
    onOpened()
  }
  return (
    <Stack gap={6} className="g-views">
      {views.length === 0 ? (
        <Text size="sm" c="dimmed">
          No saved views yet. A view is a filter, columns and an order under a name; to share one, copy the link.
        </Text>
      ) : (
        <ul aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name}>
              {renaming === view.name ? (
                <NameForm
                  label={`Another name for ${view.name}`}
                  first={view.name}
                  problemOf={(name) => (name !== view.name && views.some((one) => one.name === name) ? 'This name is taken' : undefined)}
                  action={() => 'Rename'}
                  onName={(name) => {
                    kept.set(renamed(views, view.name, name))
                    setRenaming(undefined)
                    naming.current?.focus()
                  }}
                />
              ) : (
                <ViewLine
                  view={view}
                  isNow={isSame(view.search, now)}
                  onOpen={() => open(view)}
                  onRename={() => setRenaming(view.name)}
                  onDelete={() => {
                    kept.set(withoutView(views, view.name))
                    naming.current?.focus()
                  }}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <NameForm
        input={naming}
        label="Name for the present view"
        first=""
        problemOf={(name) =>
          views.length >= MAX_VIEWS && views.every((one) => one.name !== name)
            ? `At most ${MAX_VIEWS} views can be saved. Delete one first.`
            : undefined
        }
        action={(name) => (views.some((one) => one.name === name) ? 'Replace' : 'Save')}
        onName={(name) => kept.set(withView(views, { name, search: now }))}
      />
    </Stack>
  )
}

/** The list's query parameters. If they have no columns, the columns of the layout in this browser are added. */
function usePresentView(list: string): View['search'] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const { shown } = columnsOf(list).use()
  return viewOf({ cols: shown?.join(','), ...search })
}

interface ViewLineProps {
  readonly view: View
  /** True if the list shows this view at present. */
  readonly isNow: boolean
  onOpen(): void
  onRename(): void
  onDelete(): void
}

function ViewLine({ view: { name, search }, isNow, onOpen, onRename, onDelete }: ViewLineProps) {
  return (
    <>
      <UnstyledButton className="g-view" aria-current={isNow || undefined} title={search.q ?? 'no filter'} onClick={onOpen}>
        {name}
      </UnstyledButton>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Rename ${name}`} onClick={onRename}>
        <IconPencil size={14} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Delete ${name}`} onClick={onDelete}>
        <IconTrash size={14} />
      </ActionIcon>
    </>
  )
}

interface NameFormProps {
  /** A reference for the input of the form. If absent, the input gets the focus when the form appears. */
  readonly input?: RefObject<HTMLInputElement | null>
  readonly label: string
  /** The text of the input at first. */
  readonly first: string
  /** Returns why a name cannot be used. Undefined if it can be used. */
  problemOf(name: string): string | undefined
  /** Returns the text of the button. */
  action(name: string): string
  onName(name: string): void
}

/** An input for a name, which Enter confirms. */
function NameForm({ input, label, first, problemOf, action, onName }: NameFormProps) {
  const own = useRef<HTMLInputElement>(null)
  useEffect(() => own.current?.select(), [])
  const [text, setText] = useState(first)
  const name = text.trim()
  const problem = name === '' ? undefined : problemOf(name)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name === '' || problem !== undefined) return
    onName(name)
    setText(first)
  }
  return (
    <form onSubmit={submit}>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <TextInput
          ref={input ?? own}
          size="xs"
          aria-label={label}
          placeholder={label}
          value={text}
          maxLength={LONGEST_NAME}
          error={problem}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          style={{ flex: 1 }}
          data-autofocus={input !== undefined}
        />
        <Button type="submit" size="xs" variant="outline" disabled={name === '' || problem !== undefined}>
          {action(name)}
        </Button>
      </Group>
    </form>
  )
}
