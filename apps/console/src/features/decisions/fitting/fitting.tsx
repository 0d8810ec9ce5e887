import { Button, Group, Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useOperation } from '../../../lib/service/api.ts'
import { PanelCall } from '../../../ui/dialog/panel-call.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { FITTING } from './fitting-documents.ts'

/** Loaded when the search is started. */
const FittingFound = lazy(async () => ({ default: (await import('./fitting-found.tsx')).FittingFound }))

const trying = <Skeleton height={120} role="status" aria-label="Changes are being tried" />

interface FittingProps {
  readonly decisionId: string
  /**
   * True if the operator has started the search. Opening the page does not start the search, because the service decides the request many
   * times during a search.
   */
  readonly isAsked: boolean
  onAsk(isAsked: boolean): void
  onOpen(host: string): void
}

/**
 * The smallest changes of request, fleet or profile with which the request would be placed. The service has tried each of these changes.
 */
export function Fitting({ decisionId, isAsked, onAsk, onOpen }: FittingProps) {
  const variables = { id: decisionId }
  const call = { document: FITTING, variables }
  const { data, error, refetch } = useOperation(FITTING, variables, { enabled: isAsked, staleMs: 600_000, keepPrevious: false })
  return (
    <section aria-label="What would make the request fit">
      <Heading keys="5" call={isAsked ? call : undefined}>
        What would make the request fit
      </Heading>
      {isAsked ? null : (
        // the button comes before the link to GraphiQL, so that 5, Tab and Enter start the search
        <Group gap="xs">
          <Button size="compact-sm" variant="outline" onClick={() => onAsk(true)}>
            Try changes of request, fleet and profile
          </Button>
          <PanelCall of="What would make the request fit" {...call} />
        </Group>
      )}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {isAsked && data === undefined && !error ? trying : null}
      {isAsked && data !== undefined ? (
        <Suspense fallback={trying}>
          <FittingFound answer={data.whatWouldFit} onOpen={onOpen} />
        </Suspense>
      ) : null}
    </section>
  )
}
