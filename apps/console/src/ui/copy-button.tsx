import { Button, type ButtonProps, CopyButton as Copy } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button that copies a text, and shows for a moment that the text was copied. */
export function CopyButton({ text, children, ...props }: ButtonProps & { readonly text: string; readonly children: ReactNode }) {
  return (
    <Copy value={text} timeout={1_500}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="outline" onClick={copy} {...props}>
          <span aria-live="polite">{copied ? 'Copied' : children}</span>
        </Button>
      )}
    </Copy>
  )
}
