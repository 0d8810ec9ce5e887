import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useAt } from '../lib/service/travel.ts'
import { pages } from './pages.ts'
import { PaletteFound, type PaletteGroup } from './palette-found.tsx'

const [store, palette] = createSpotlight()

/**
 * Makes the list scrollable with the keyboard, because the focus stays in the input. The type of the library lacks this property, so it is
 * passed in an object.
 */
const scrolled = { viewportProps: { tabIndex: 0 } }

interface PaletteProps {
  readonly opened: boolean
  onClose(): void
  onPickTime(): void
}

/**
 * The palette (Ctrl-K): pages, objects with the text in their name or id, objects whose ids are in a pasted log line, and page actions.
 */
export function Palette({ opened, onClose, onPickTime }: PaletteProps) {
  const navigate = useNavigate()
  const at = useAt()
  const [text, setText] = useState('')
  const word = text.trim()
  useEffect(() => (opened ? palette.open() : palette.close()), [opened])
  const goToNow = () => navigate({ to: '.', search: (before) => ({ ...before, at: undefined }) })
  const groups = [
    { group: 'Pages', actions: pages.map(({ to, label }) => ({ id: to, label, onClick: () => void navigate({ to }) })) },
    {
      group: 'Time',
      actions: [
        {
          id: 'another time',
          label: 'Show another time',
          description: 'show the whole console at an earlier time (key t)',
          onClick: () => void onPickTime(),
        },
        ...(at === undefined ? [] : [{ id: 'now', label: 'Back to now', description: 'show the present', onClick: () => void goToNow() }]),
      ],
    },
  ].flatMap(({ group, actions }) => {
    const some = actions.filter(({ label }) => label.toLowerCase().includes(word.toLowerCase()))
    return some.length === 0 ? [] : [{ group, actions: some }]
  })

  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      onSpotlightClose={onClose}
      query={text}
      onQueryChange={setText}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search
        placeholder="Host, decision, request, instance, claim, aggregate, profile, page"
        aria-label="Search and go"
        onKeyDown={takeFirst}
      />
      <Spotlight.ActionsList {...scrolled}>
        {groups.map(drawn)}
        <PaletteFound word={word}>
          {(found, isSearching) =>
            found.length + groups.length > 0 ? (
              found.map(drawn)
            ) : (
              <Spotlight.Empty>{isSearching ? 'Searching ...' : 'No matching names or ids.'}</Spotlight.Empty>
            )
          }
        </PaletteFound>
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

const drawn = ({ group, actions }: PaletteGroup) => (
  <Spotlight.ActionsGroup key={group} label={group}>
    {actions.map(({ id, ...action }) => (
      <Spotlight.Action key={id} {...action} />
    ))}
  </Spotlight.ActionsGroup>
)

/** Opens the first result on Enter if no row is selected yet. The library selects a row only some time after the last typed key. */
export function takeFirst(event: KeyboardEvent<HTMLElement>): void {
  const found = event.currentTarget.closest('[role=dialog]')
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || found?.querySelector('[data-action][data-selected]') != null) return
  const first = found?.querySelector<HTMLElement>('[data-action]')
  if (first == null) return
  event.preventDefault()
  first.click()
}
