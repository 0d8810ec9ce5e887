import { Text } from '@mantine/core'
import { formatCount } from '../../../lib/format.ts'
import type { Drain } from './compared.ts'

interface DrainedProps {
  readonly drain: Drain
  /** The name of the section. A page can have several of these sections. */
  readonly label: string
}

/** Where the instances on drained hosts would move, and which instances would find no host. */
export function Drained({ drain: { moved, stuck, withoutClaims, instances }, label }: DrainedProps) {
  return (
    <section aria-label={label} data-moved={moved} data-stuck={stuck}>
      <Text size="sm">
        {formatCount(moved)} {moved === 1 ? 'instance' : 'instances'} on the drained hosts would move to other hosts
        {stuck === 0 ? '.' : `, and ${formatCount(stuck)} would find no destination:`}
      </Text>
      {stuck === 0 ? null : (
        <ul className="edits" aria-label={`${label}: instances without a destination`}>
          {instances.map(({ claimId, instanceUuid, fromHost, message }) => (
            <li key={claimId}>
              {instanceUuid ?? `claim ${claimId}`} on {fromHost}: {message}
            </li>
          ))}
          {stuck > instances.length ? <li>and {formatCount(stuck - instances.length)} more</li> : null}
        </ul>
      )}
      {withoutClaims === 0 ? null : (
        <Text size="sm">
          {formatCount(withoutClaims)} {withoutClaims === 1 ? 'instance' : 'instances'} without a claim would stay, since their requests are
          unknown.
        </Text>
      )}
    </section>
  )
}
