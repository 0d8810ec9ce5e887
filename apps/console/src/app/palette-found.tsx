import { idsIn } from '@gantt/scheduler-core/query'
import type { SpotlightActionData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { actionsOfPage, offersOf } from '../lib/browser/page-actions.ts'
import { formatMib, formatTime, useTimeZone } from '../lib/format.ts'
import { labelOfHost } from '../lib/host-label.ts'
import { useOperation } from '../lib/service/api.ts'
import { graphql } from '../lib/service/graphql.ts'

const FIND = graphql(`
  query PaletteFind($word: String!, $decisions: String!, $claims: String!, $isId: Boolean!, $at: Moment) {
    hosts(first: 6, query: $word, at: $at) { nodes { id name node hasOtherNodes availabilityZone } }
    forgotten: hosts(first: 3, query: $word, gone: true, at: $at) { nodes { id name node hasOtherNodes } }
    aggregates(first: 4, query: $word, at: $at) { nodes { uuid name } }
    profiles(at: $at) { name active { number } rollout { candidate { number } } }
    decisions(first: 6, query: $decisions) { nodes { id outcome at spec { flavorName vcpus memoryMb } } }
    claims(first: 6, query: $claims, at: $at) @include(if: $isId) { nodes { id state instanceUuid host { name } } }
  }
`)

/** A text that can be a part of an id. Shorter texts would match too many ids. */
const PART_OF_ID = /^[0-9a-f-]{4,36}$/i

/** The search uses at most this many characters of a pasted text, because the service limits the length of a filter. */
const MAX_SEARCH_LENGTH = 100

/** A group of entries in the palette, such as all pages or all found hosts. */
export interface PaletteGroup {
  readonly group: string
  readonly actions: readonly (SpotlightActionData & { readonly id: string })[]
}

interface FoundProps {
  readonly word: string
  /** Renders the groups. The palette passes this function, because the code for rendering is in the palette. */
  children(groups: readonly PaletteGroup[], isSearching: boolean): ReactNode
}

/** All objects, pages and actions whose name or id contains `word`. Actions of the page are last, so that Enter prefers navigation. */
export function PaletteFound({ word, children }: FoundProps) {
  const navigate = useNavigate()
  const zone = useTimeZone()
  // the actions that the page offered before the palette covered it
  const [ofPage] = useState(actionsOfPage)
  const ids = idsIn(word)
  const quoted = JSON.stringify(word.slice(0, MAX_SEARCH_LENGTH))
  const { data: found, isFetching } = useOperation(
    FIND,
    {
      word: quoted,
      decisions: ids.length === 0 ? quoted : `id:${ids.join(',')}`,
      // claims are searched by their ids only, so that a search for a host does not find its claims
      claims: `id:${ids.length === 0 ? `*${word.toLowerCase()}*` : ids.join(',')}`,
      isId: ids.length > 0 || PART_OF_ID.test(word),
    },
    // results of the previous word are not shown, because Enter would open them
    { enabled: word.length > 1, keepPrevious: false },
  )
  const has = (label: string): boolean => label.toLowerCase().includes(word.toLowerCase())

  const groups: readonly PaletteGroup[] = [
    {
      group: 'Hosts',
      actions: [
        ...(found?.hosts.nodes ?? []).map((host) => ({ ...host, description: host.availabilityZone })),
        ...(found?.forgotten.nodes ?? []).map((host) => ({ ...host, description: 'forgotten' })),
      ].map(({ id, name, node, hasOtherNodes, description }) => ({
        id,
        label: labelOfHost({ name, node, hasOtherNodes }),
        ...(description === null ? {} : { description }),
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
      // The service has no filter for profiles, so the page filters them. A fleet has few profiles.
      actions: (found?.profiles ?? [])
        .filter(({ name }) => has(name))
        .map(({ name, active, rollout }) => ({
          id: `profile ${name}`,
          label: name,
          description: `version ${active.number} is active${rollout === null ? '' : `, ${rollout.candidate.number} is in a rollout`}`,
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
    {
      group: 'Claims',
      actions: (found?.claims?.nodes ?? []).map(({ id, state, instanceUuid, host }) => ({
        id,
        label: `${host.name}, ${state.toLowerCase()}`,
        description: instanceUuid === null ? 'of an instance without a name' : `of instance ${instanceUuid}`,
        onClick: () => void navigate({ to: '/claims', search: { q: `id:${id}`, beside: id } }),
      })),
    },
    { group: 'Page actions', actions: word === '' ? [] : offersOf(ofPage, word) },
  ]
  return children(
    groups.filter(({ actions }) => actions.length > 0),
    isFetching,
  )
}
