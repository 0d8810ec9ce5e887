import { Button, type ButtonProps, CopyButton as Copy } from '@mantine/core'
import type { ReactNode } from 'react'

/** Copies a text, and confirms it for a moment. */
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
