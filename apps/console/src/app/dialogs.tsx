import { useEffect, useState } from 'react'
import { Actions } from './actions.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import { TravelPicker } from './travel-picker.tsx'

/** What of the shell lies over the page, one at a time. */
export type Dialog = 'palette' | 'actions' | 'time' | 'help'

interface DialogsProps {
  /** The one that is open. */
  readonly open: Dialog | undefined
  onOpen(dialog: Dialog): void
  /** One of them was closed; another may have been opened by it. */
  onClose(dialog: Dialog): void
}

/** The dialogs of the shell. They are loaded once the shell is drawn. */
export function Dialogs({ open, onOpen, onClose }: DialogsProps) {
  // one that was asked for before they were loaded opens after they are drawn, so that it knows where the keyboard was
  const [drawn, setDrawn] = useState<Dialog>()
  useEffect(() => setDrawn(open), [open])
  const stateOf = (dialog: Dialog) => ({ opened: drawn === dialog, onClose: () => onClose(dialog) })
  return (
    <>
      <Palette {...stateOf('palette')} onPickTime={() => onOpen('time')} />
      <Actions {...stateOf('actions')} />
      <TravelPicker {...stateOf('time')} />
      <Help {...stateOf('help')} />
    </>
  )
}
