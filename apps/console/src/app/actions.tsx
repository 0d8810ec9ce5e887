import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { useState } from 'react'
import { useShortcuts } from '../lib/keys.ts'
import { whenUncovered } from '../lib/over-page.ts'
import { actionsOfPage, type PageAction } from '../lib/page-actions.ts'
import { takeFirst } from './palette.tsx'

const [store, actions] = createSpotlight()

export const useActionsAreOpen = (): boolean => useSpotlight(store).opened

/** `.`: what the page offers to do, to be found by a part of its name. */
export function Actions() {
  const [offered, setOffered] = useState<readonly PageAction[]>([])
  const [text, setText] = useState('')
  const open = (): void => {
    setOffered(actionsOfPage())
    actions.open()
  }
  useShortcuts([{ keys: '.', label: 'Actions of the page', run: open }])
  const word = text.trim().toLowerCase()
  const found = offered
    .filter(({ label }) => label.toLowerCase().includes(word))
    .map(({ label, why, run }, i) => ({
      id: `${i} ${label}`,
      label,
      ...(why === undefined
        ? // what it opens comes once this is closed
          { onClick: () => void whenUncovered(run) }
        : { description: why, 'aria-disabled': true, closeSpotlightOnTrigger: false }),
    }))
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={text}
      onQueryChange={setText}
      filter={(_query, all) => all}
      scrollable
      maxHeight={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      nothingFound={offered.length === 0 ? 'No actions on this page.' : 'No action has this in its name.'}
      searchProps={{ placeholder: 'Part of a name', 'aria-label': 'Actions of the page', onKeyDown: takeFirst }}
      actions={found}
    />
  )
}
