import { notifications } from '@mantine/notifications'

/** Puts what went wrong into the clipboard, and says how that went. */
export async function copyProblem(text: string): Promise<void> {
  const done = { message: 'Copied: what went wrong.', autoClose: 2_000, withCloseButton: false }
  const refused = {
    ...{ color: 'red', title: 'Not copied', closeButtonProps: { 'aria-label': 'Close' } },
    message: 'The browser gives pages its clipboard only over https, from localhost, and where it is allowed.',
  }
  // of pages without https there is none
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  notifications.show(isCopied ? done : refused)
}
