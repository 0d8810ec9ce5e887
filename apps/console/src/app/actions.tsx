import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { useState } from 'react'
import { useShortcuts } from '../lib/keys.ts'
import { actionsOfPage, offersOf, type PageAction } from '../lib/page-actions.ts'
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
      actions={offersOf(offered, text)}
    />
  )
}
