import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface PathListProps {
  readonly label: string
  readonly paths: readonly string[]
  /** The sentence before the paths. */
  readonly children: ReactNode
}

/** A sentence, followed by a list of the paths that it is about. Renders nothing if there are no paths. */
export function PathList({ label, paths, children }: PathListProps) {
  if (paths.length === 0) return null
  return (
    <section aria-label={label}>
      <Text size="sm" className="running-text" data-paths={paths.length}>
        {children}{' '}
        {paths.map((path, i) => (
          <span key={path}>
            {i === 0 ? '' : ', '}
            <span className="mono">{path}</span>
          </span>
        ))}
        .
      </Text>
    </section>
  )
}
