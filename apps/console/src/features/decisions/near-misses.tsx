import { Anchor, Text } from '@mantine/core'

export interface NearMiss {
  readonly hostName: string
  readonly node: string
  readonly distance: number
  readonly checks: readonly { readonly filter: string; readonly status: string; readonly text: string | null }[]
}

interface NearMissesProps {
  readonly misses: readonly NearMiss[]
  onOpen(host: string): void
}

/** The refused hosts that came nearest, with all that refuses them. */
export function NearMisses({ misses, onOpen }: NearMissesProps) {
  if (misses.length === 0) return null
  return (
    <section aria-label="Nearest hosts">
      <Text component="h2" fw={600} size="md">
        Nearest of the refused
      </Text>
      <ol className="near">
        {misses.map(({ hostName, node, distance, checks }) => {
          const name = hostName === node ? hostName : `${hostName}/${node}`
          return (
            <li key={name}>
              <Anchor component="button" type="button" size="sm" onClick={() => onOpen(name)} aria-label={`Why not ${name}`}>
                {name}
              </Anchor>{' '}
              <Text size="sm" component="span" c="dimmed" title="0 passes; 1: all of something is missing">
                distance {distance.toFixed(3)}
              </Text>
              {checks
                .filter(({ status }) => status === 'FAIL' || status === 'ERROR')
                .map(({ filter, text }) => (
                  <Text key={filter} size="sm">
                    {filter}: {text}
                  </Text>
                ))}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
