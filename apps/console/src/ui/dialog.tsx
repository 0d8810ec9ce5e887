import { Modal, type ModalProps } from '@mantine/core'
import { useEffect } from 'react'

type DialogProps = Pick<
  ModalProps,
  'title' | 'size' | 'onClose' | 'closeOnEscape' | 'closeOnClickOutside' | 'withCloseButton' | 'zIndex' | 'centered' | 'children'
>

/** A dialog that is there as long as it is open. When it goes, the keyboard is where it was before. */
export function Dialog(props: DialogProps) {
  useReturnedFocus()
  return <Modal opened {...props} />
}

/** Mantine returns the focus of dialogs that stay when they close, not of those that go. */
function useReturnedFocus(): void {
  useEffect(() => {
    const before = document.activeElement
    return () => {
      // what was pressed may be gone, or cannot be pressed any more: then to a dialog below, or to the heading of the page
      for (const target of [before, document.querySelector('[role="dialog"]'), document.querySelector('main h1')])
        if (document.activeElement === document.body && target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
  }, [])
}
