import { Modal, type ModalProps } from '@mantine/core'
import { useEffect } from 'react'

type DialogProps = Pick<
  ModalProps,
  'title' | 'size' | 'onClose' | 'closeOnEscape' | 'closeOnClickOutside' | 'withCloseButton' | 'zIndex' | 'centered' | 'children'
>

/** A dialog that is mounted only while it is open. When it closes, the focus returns to the element that had it before. */
export function Dialog(props: DialogProps) {
  useReturnedFocus()
  return <Modal opened {...props} />
}

/** Returns the focus when a dialog is unmounted. Mantine does this only for dialogs that stay mounted after they close. */
function useReturnedFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      // if that element no longer exists or is disabled, the focus goes to a dialog below, or else to the heading of the page
      for (const target of [before, document.querySelector('[role="dialog"]'), document.querySelector('main h1')])
        if (document.activeElement === document.body && target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
  }, [])
}
