import { useState } from 'react'
import { type Change, useChange } from './use-change.ts'

/** A change whose effect is shown before it is made. */
export interface PreviewedChange<Effect> extends Pick<Change, 'problem' | 'isBusy'> {
  /** The previewed effect of the present input. Undefined if the input was changed after the preview. */
  readonly effect: Effect | undefined
  /** Wraps a setter of the form. The new setter also removes the shown effect, because it no longer belongs to the input. */
  edit<Value>(set: (value: Value) => void): (value: Value) => void
  /** Requests the effect. */
  preview(call: () => Promise<Effect>): void
  make(call: () => Promise<Effect>, onMade: (effect: Effect) => void): void
}

export function usePreview<Effect>(): PreviewedChange<Effect> {
  const [effect, setEffect] = useState<Effect | undefined>()
  const { problem, isBusy, see, make, forget } = useChange()
  return {
    problem,
    isBusy,
    effect,
    edit: (set) => (value) => {
      set(value)
      setEffect(undefined)
      forget()
    },
    preview: (call) => see(call, setEffect),
    make,
  }
}
