import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { pageAction } from '../../lib/browser/page-actions.ts'
import { useWritesOff } from '../../lib/service/travel.ts'

export type WriteButtonProps = ButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>

/**
 * A button that starts a change. It is listed among the page's actions. While the console shows the past, it is disabled, and its
 * description explains why.
 */
export function WriteButton({ onClick, ...props }: WriteButtonProps) {
  const why = useWritesOff()
  if (why === undefined) return <Button {...pageAction} {...props} onClick={onClick} />
  return (
    <Tooltip label={why} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...pageAction}
        {...props}
        data-disabled
        aria-disabled="true"
        aria-description={why}
        onClick={(event) => event.preventDefault()}
      />
    </Tooltip>
  )
}
