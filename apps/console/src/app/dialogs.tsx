import { useEffect, useState } from 'react'
import { Actions } from './actions.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import { TravelPicker } from './travel-picker.tsx'

/** The dialogs that every page can open. Only one is open at a time. */
export type Dialog = 'palette' | 'actions' | 'time' | 'help'

interface DialogsProps {
  /** The open dialog. */
  readonly open: Dialog | undefined
  onOpen(dialog: Dialog): void
  /** Called after `dialog` was closed. At that time another dialog can be open, if an entry of `dialog` has opened it. */
  onClose(dialog: Dialog): void
}

/** The dialogs that every page can open. This module is loaded after the first rendering of the page. */
export function Dialogs({ open, onOpen, onClose }: DialogsProps) {
  // A dialog can be requested before this module is loaded. The dialog opens only after this component was rendered once, so that the focus
  // can return when the dialog is closed.
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
