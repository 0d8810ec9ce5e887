import { idsIn } from '@gantt/scheduler-core/query'
import type { SpotlightActionData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useOperation } from '../lib/api.ts'
import { formatMib, formatTime, useTimeZone } from '../lib/format.ts'
import { graphql } from '../lib/graphql.ts'
import { actionsOfPage, offersOf } from '../lib/page-actions.ts'

const FIND = graphql(`
  query PaletteFind($word: String!, $decisions: String!, $claims: String!, $isId: Boolean!, $at: Moment) {
    hosts(first: 6, query: $word, at: $at) { nodes { id name node availabilityZone } }
    forgotten: hosts(first: 3, query: $word, gone: true, at: $at) { nodes { id name node } }
    aggregates(first: 4, query: $word, at: $at) { nodes { uuid name } }
    profiles(at: $at) { name active { number } rollout { candidate { number } } }
    decisions(first: 6, query: $decisions) { nodes { id outcome at spec { flavorName vcpus memoryMb } } }
    claims(first: 6, query: $claims, at: $at) @include(if: $isId) { nodes { id state instanceUuid host { name } } }
  }
`)

/** Shorter ones are in too many. */
const PART_OF_ID = /^[0-9a-f-]{4,36}$/i

/** Of a pasted text, what may be a name: a filter has a limit. */
const MOST_NAME = 100

/** What one can go to or do, by what it is. */
export interface PaletteGroup {
  readonly group: string
  readonly actions: readonly (SpotlightActionData & { readonly id: string })[]
}

interface FoundProps {
  readonly word: string
  /** How it is shown: what is loaded with the console stays there. */
  children(groups: readonly PaletteGroup[], isSearching: boolean): ReactNode
}

/** What has the word in its name or id, or one of its ids; what the page offers to do comes last, so that Enter goes somewhere first. */
export function PaletteFound({ word, children }: FoundProps) {
  const navigate = useNavigate()
  const zone = useTimeZone()
  // as the page stands while it is covered
  const [ofPage] = useState(actionsOfPage)
  const ids = idsIn(word)
  const quoted = JSON.stringify(word.slice(0, MOST_NAME))
  const { data: found, isFetching } = useOperation(
    FIND,
    {
      word: quoted,
      decisions: ids.length === 0 ? quoted : `id:${ids.join(',')}`,
      // by their ids alone: a search for a host does not search what the host holds
      claims: `id:${ids.length === 0 ? `*${word.toLowerCase()}*` : ids.join(',')}`,
      isId: ids.length > 0 || PART_OF_ID.test(word),
    },
    // what the word before found is not shown under this one: Enter would go there
    { enabled: word.length > 1, keepPrevious: false },
  )
  const has = (label: string): boolean => label.toLowerCase().includes(word.toLowerCase())

  const groups: readonly PaletteGroup[] = [
    {
      group: 'Hosts',
      actions: [
        ...(found?.hosts.nodes ?? []).map((host) => ({ ...host, description: host.availabilityZone })),
        ...(found?.forgotten.nodes ?? []).map((host) => ({ ...host, description: 'forgotten' })),
      ].map(({ id, name, node, description }) => ({
        id,
        label: node === name ? name : `${name}/${node}`,
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
      // the service has no filter for them, and there are few
      actions: (found?.profiles ?? [])
        .filter(({ name }) => has(name))
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
