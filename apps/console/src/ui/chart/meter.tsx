import { formatPercent } from '../../lib/format.ts'
import './meter.css'

export interface MeterPart {
  /** The share of the bar that this part fills, 0 to 1. Parts beyond the end of the bar are cut. */
  readonly share: number
  readonly tone: 'used' | 'claimed' | 'problem'
}

/** A bar that shows usage. The amounts are next to the bar as text, so screen readers do not read the bar. */
export function Meter({ parts, title }: { readonly parts: readonly MeterPart[]; readonly title?: string }) {
  let left = 1
  return (
    <div className="g-meter" aria-hidden title={title}>
      {parts.map(({ share, tone }) => {
        const shown = Math.max(0, Math.min(left, share))
        left -= shown
        return <i key={tone} data-tone={tone} style={{ width: `${shown * 100}%` }} />
      })}
    </div>
  )
}

/** A percentage with a bar. Above 100 % it has the colour of a problem. */
export function PercentMeter({ percent, title }: { readonly percent: number; readonly title?: string }) {
  return (
    <div className="g-percent" title={title}>
      <Meter parts={[{ share: percent / 100, tone: percent > 100 ? 'problem' : 'used' }]} />
      <span className="number">{formatPercent(percent)}</span>
    </div>
  )
}
