import { formatPercent } from '../../lib/format.ts'
import './meter.css'

export interface MeterPart {
  /** Its share of the whole, 0..1; larger shares are cut. */
  readonly share: number
  readonly tone: 'used' | 'claimed' | 'problem'
}

/** A bar for how full something is; the numbers are next to it as text, so the bar itself is not read out. */
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

/** A percentage with its bar; above 100 % in the colour of a problem. */
export function PercentMeter({ percent, title }: { readonly percent: number; readonly title?: string }) {
  return (
    <div className="g-percent" title={title}>
      <Meter parts={[{ share: percent / 100, tone: percent > 100 ? 'problem' : 'used' }]} />
      <span className="number">{formatPercent(percent)}</span>
    </div>
  )
}
