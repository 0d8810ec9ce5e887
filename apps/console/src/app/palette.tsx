import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { useOperation } from '../lib/api.ts'
import { formatMib, formatTime, useTimeZone } from '../lib/format.ts'
import { graphql } from '../lib/graphql.ts'
import { useAt } from '../lib/travel.ts'
import { pages } from './pages.ts'

const FIND = graphql(`
  query PaletteFind($hosts: String!, $aggregates: String!, $decisions: String!, $at: Moment) {
    hosts(first: 6, query: $hosts, at: $at) { nodes { id name node availabilityZone } }
    aggregates(first: 4, query: $aggregates, at: $at) { nodes { uuid name } }
    profiles(at: $at) { name active { number } rollout { candidate { number } } }
    decisions(first: 4, query: $decisions) { nodes { id outcome at spec { flavorName vcpus memoryMb } } }
  }
`)

const [store, palette] = createSpotlight()

export const openPalette = (): void => palette.open()

export const usePaletteIsOpen = (): boolean => useSpotlight(store).opened

/** Ctrl-K: pages, and whatever has the text in its name or id. */
export function Palette({ onPickTime }: { onPickTime(): void }) {
  const navigate = useNavigate()
  const at = useAt()
  const goToNow = () => navigate({ to: '.', search: (before) => ({ ...before, at: undefined }) })
  const zone = useTimeZone()
  const [text, setText] = useState('')
  const word = text.trim()
  const quoted = JSON.stringify(word)
  const { data: found, isFetching } = useOperation(
    FIND,
    { hosts: quoted, aggregates: quoted, decisions: quoted },
    // what the word before found is not shown under this one: Enter would go there
    { enabled: word.length > 1, keepPrevious: false },
  )

  const groups = [
    {
      group: 'Pages',
      actions: pages
        .filter(({ label }) => label.toLowerCase().includes(word.toLowerCase()))
        .map(({ to, label }) => ({ id: to, label, onClick: () => void navigate({ to }) })),
    },
    {
      group: 'Time',
      actions: [
        { id: 'another time', label: 'Show another time', description: 'the whole console as it was: t', onClick: () => void onPickTime() },
        ...(at === undefined ? [] : [{ id: 'now', label: 'Back to now', description: 'out of the past', onClick: () => void goToNow() }]),
      ].filter(({ label }) => label.toLowerCase().includes(word.toLowerCase())),
    },
    {
      group: 'Hosts',
      actions: (found?.hosts.nodes ?? []).map(({ id, name, node, availabilityZone }) => ({
        id,
        label: node === name ? name : `${name}/${node}`,
        description: availabilityZone,
        onClick: () => void navigate({ to: '/hosts/$host', params: { host: name }, search: node === name ? {} : { node } }),
      })),
    },
    {
      group: 'Aggregates',
      actions: (found?.aggregates.nodes ?? []).map(({ uuid, name }) => ({
        id: uuid,
        label: name,
        onClick: () => void navigate({ to: '/aggregates/$uuid', params: { uuid } }),
      })),
    },
    {
      group: 'Profiles',
      // the service has no filter for them, and there are few
      actions: (found?.profiles ?? [])
        .filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()))
        .map(({ name, active, rollout }) => ({
          id: `profile ${name}`,
          label: name,
          description: `version ${active.number} decides${rollout === null ? '' : `, ${rollout.candidate.number} is tried`}`,
          onClick: () => void navigate({ to: '/profiles/$name', params: { name } }),
        })),
    },
    {
      group: 'Decisions',
      actions: (found?.decisions.nodes ?? []).map(({ id, outcome, at, spec: { flavorName, vcpus, memoryMb } }) => ({
        id,
        label: flavorName ?? `${vcpus} vCPU, ${formatMib(memoryMb)}`,
        description: `${outcome.toLowerCase().replaceAll('_', ' ')}, ${formatTime(at, zone)}`,
        onClick: () => void navigate({ to: '/decisions/$id', params: { id } }),
      })),
    },
  ].filter(({ actions }) => actions.length > 0)

  return (
    <Spotlight
      store={store}
      shortcut={['mod + K']}
      query={text}
      onQueryChange={setText}
      filter={(_query, actions) => actions}
      scrollable
      maxHeight={420}
      // its rows are chosen from the input, so the list itself has to be what the keyboard scrolls
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      nothingFound={isFetching ? 'Searching ...' : 'Nothing has this in its name or id.'}
      searchProps={{
        placeholder: 'Host, decision, instance, aggregate, profile, page',
        'aria-label': 'Search and go',
        onKeyDown: takeFirst,
      }}
      actions={groups}
    />
  )
}

/** What was found after the last key has no chosen row yet: Enter takes the first. */
export function takeFirst(event: KeyboardEvent<HTMLElement>): void {
  const found = event.currentTarget.closest('[role=dialog]')
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || found?.querySelector('[data-action][data-selected]') != null) return
  const first = found?.querySelector<HTMLElement>('[data-action]')
  if (first == null) return
  event.preventDefault()
  first.click()
}
