import { Badge } from '@mantine/core'

const outcomes: Readonly<Record<string, { readonly glyph: string; readonly colour: string; readonly label: string }>> = {
  PLACED: { glyph: '+', colour: 'green', label: 'placed' },
  PARTIAL: { glyph: '~', colour: 'orange', label: 'partial' },
  NO_VALID_HOST: { glyph: 'x', colour: 'red', label: 'no valid host' },
  REJECTED: { glyph: 'x', colour: 'red', label: 'rejected' },
  SIMULATED: { glyph: '?', colour: 'gray', label: 'simulated' },
}

/** How a decision ended, by sign, word and colour. */
export function Outcome({ outcome }: { readonly outcome: string }) {
  const { glyph, colour, label } = outcomes[outcome] ?? { glyph: '?', colour: 'gray', label: outcome.toLowerCase() }
  return (
    <Badge variant="light" color={colour} data-outcome={outcome} tt="none">
      <span aria-hidden className="mono">
        {glyph}{' '}
      </span>
      {label}
    </Badge>
  )
}
