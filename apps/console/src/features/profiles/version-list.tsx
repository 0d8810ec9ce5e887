import { Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import type { PROFILE } from './documents.ts'
import { StateBadge } from './state-badge.tsx'

interface VersionListProps {
  readonly profile: NonNullable<ResultOf<typeof PROFILE>['profile']>
  /** The number of the shown version. */
  readonly shown: number
}

/** The versions, newest first, each with its present state. */
export function VersionList({ profile: { name, versions, rollout }, shown }: VersionListProps) {
  const { nodes, totalCount } = versions
  const list = useRef<HTMLOListElement>(null)
  // scrolls to the shown version, because a link can open a version far down the list
  useEffect(() => {
    const box = list.current
    const item = box?.querySelector<HTMLElement>(`[data-version="${shown}"]`)
    if (!box || !item) return
    const { top, bottom } = box.getBoundingClientRect()
    const own = item.getBoundingClientRect()
    if (own.top < top) box.scrollTop += own.top - top
    else if (own.bottom > bottom) box.scrollTop += own.bottom - bottom
  }, [shown])
  return (
    <nav aria-label="Versions">
      <Heading keys="2">Versions</Heading>
      <ol className="profile-versions" reversed ref={list}>
        {[...nodes].reverse().map(({ number, state, note }) => (
          <li key={number} data-version={number} data-shown={number === shown || undefined}>
            <div className="profile-version-head">
              <AnchorLink
                size="sm"
                fw={600}
                to="/profiles/$name"
                params={{ name }}
                search={{ version: String(number) }}
                resetScroll={false}
                aria-current={number === shown ? 'true' : undefined}
              >
                {name}@{number}
              </AnchorLink>
              <StateBadge state={state} percent={state === 'CANARY' ? rollout?.percent : undefined} />
            </div>
            <Text size="xs" c="dimmed" lineClamp={2} title={note ?? undefined}>
              {note ?? (number === 0 ? 'built in' : 'no note')}
            </Text>
          </li>
        ))}
      </ol>
      {nodes.length < totalCount ? (
        <Text size="xs" c="dimmed">
          The first {nodes.length} of {totalCount}.
        </Text>
      ) : null}
    </nav>
  )
}
