import { useEffect, useState } from 'react'
import { type Limits, placeOn, readMultiplier, trackOf } from './try-out.ts'
import './weights.css'

interface WeightSliderProps {
  readonly weigher: Limits
  /** The multiplier that the slider shows. It can differ from the recorded multiplier. */
  readonly value: number
  /** Why the multiplier cannot be changed on this page. Undefined if it can. */
  readonly fixedBecause: string | undefined
  onChange(value: number): void
}

/** A multiplier that can be changed by a slider with marked limits, or as an exact number. */
export function WeightSlider({ weigher, value, fixedBecause, onChange }: WeightSliderProps) {
  const track = trackOf(weigher)
  const { name, multiplier, flipsBelow, flipsAbove } = weigher
  const at = (one: number | null): string | undefined => {
    const index = placeOn(track, one)
    // The thumb is 16 px wide, so its middle stays at least 8 px from each end of the track.
    return index === undefined ? undefined : `calc(8px + ${index} * (100% - 16px))`
  }
  const [below, above] = [at(flipsBelow), at(flipsAbove)]
  return (
    <div className="lab-try">
      <span className="lab-track">
        <span aria-hidden className="lab-stays" style={{ left: below ?? 0, right: above === undefined ? 0 : `calc(100% - ${above})` }} />
        {below === undefined ? null : <span aria-hidden className="lab-limit" style={{ left: below }} />}
        {above === undefined ? null : <span aria-hidden className="lab-limit" style={{ left: above }} />}
        <span aria-hidden className="lab-decided" style={{ left: at(multiplier) }} />
        <input
          type="range"
          aria-label={`Multiplier of ${name}`}
          aria-valuetext={String(value)}
          title={fixedBecause}
          disabled={fixedBecause !== undefined}
          min={track.min}
          max={track.max}
          step={track.step}
          value={value}
          onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
        />
      </span>
      <ExactNumber label={`Multiplier of ${name}, as a number`} value={value} isFixed={fixedBecause !== undefined} onChange={onChange} />
    </div>
  )
}

interface ExactNumberProps {
  readonly label: string
  readonly value: number
  readonly isFixed: boolean
  onChange(value: number): void
}

/** An input for an exact multiplier. A text that is not a number has no effect. */
function ExactNumber({ label, value, isFixed, onChange }: ExactNumberProps) {
  const [text, setText] = useState(String(value))
  useEffect(() => setText((now) => (readMultiplier(now) === value ? now : String(value))), [value])
  const isWrong = readMultiplier(text) === undefined
  return (
    <input
      type="text"
      inputMode="decimal"
      className="lab-number"
      aria-label={label}
      aria-invalid={isWrong || undefined}
      title={isWrong ? 'A number from -1e9 to 1e9' : String(value)}
      disabled={isFixed}
      autoComplete="off"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        const next = readMultiplier(currentTarget.value)
        if (next !== undefined) onChange(next)
      }}
      onBlur={() => setText(String(value))}
    />
  )
}
