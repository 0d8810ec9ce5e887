import './outcome.css'

const outcomes: Readonly<Record<string, { readonly glyph: string; readonly label: string }>> = {
  PLACED: { glyph: '+', label: 'placed' },
  PARTIAL: { glyph: '~', label: 'partial' },
  NO_VALID_HOST: { glyph: 'x', label: 'no valid host' },
  REJECTED: { glyph: 'x', label: 'rejected' },
  SIMULATED: { glyph: '?', label: 'simulated' },
}

/** The result of a decision, by sign, word and colour. */
export function Outcome({ outcome }: { readonly outcome: string }) {
  const { glyph, label } = outcomes[outcome] ?? { glyph: '?', label: outcome.toLowerCase() }
  return (
    <span className="outcome" data-outcome={outcome}>
      <span aria-hidden className="mono">
        {glyph}{' '}
      </span>
      {label}
    </span>
  )
}
