import { FaultError, UnreachableError } from '@gantt/client'
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isTimeout } from '../lib/service/timeout.ts'

/**
 * Shows an error with its code and request id, so that they can be copied into a ticket, and a button to retry. A missing scope has its own
 * message.
 */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: (() => void) | undefined }) {
  const problem = problemOf(error)
  const { title, text, code, requestId } = problem
  const [copied, setCopied] = useState('Copy')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(problemText(problem))
      setCopied('Copied')
    } catch {
      setCopied('Not copied: the browser does not allow this page to use the clipboard')
    }
  }
  return (
    <Alert color="red" title={title} role="alert" m="md">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        {code === undefined && requestId === undefined ? null : (
          <Group gap="xs">
            {code === undefined ? null : <Code>{code}</Code>}
            {requestId === undefined ? null : <Code>request {requestId}</Code>}
          </Group>
        )}
        <Group gap="xs">
          {onRetry === undefined ? null : (
            <Button size="xs" variant="outline" color="red" onClick={onRetry}>
              Try again
            </Button>
          )}
          <Button size="xs" variant="outline" color="red" onClick={() => void copy()}>
            <span aria-live="polite">{copied}</span>
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

export interface ProblemAlert {
  readonly title: string
  readonly text: string
  readonly code?: string | undefined
  readonly requestId?: string | undefined
}

/** The text of an error for a ticket. */
export const problemText = ({ title, text, code, requestId }: ProblemAlert): string =>
  [`${title}: ${text}`, ...(code === undefined ? [] : [`code ${code}`]), ...(requestId === undefined ? [] : [`request ${requestId}`])].join(
    '\n',
  )

/** Converts an error to the title and the text of an alert. */
export function problemOf(error: unknown): ProblemAlert {
  if (error instanceof FaultError) {
    const [first] = error.faults
    const code = first?.extensions?.code
    const text = error.faults.map(({ message }) => message).join(' ')
    const title = code === 'FORBIDDEN' ? 'Your key may not do this' : 'The service refused the call'
    return { title, text, code, requestId: first?.extensions?.requestId }
  }
  if (isTimeout(error))
    return {
      title: 'No answer in time',
      text: `${messageOf(error)}. The service may be busy or stopped; a change may still have been made.`,
    }
  if (error instanceof UnreachableError) return { title: 'The service cannot be reached', text: error.message }
  return { title: 'Something went wrong', text: messageOf(error) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
