import { useLayoutEffect } from 'react'
import { useShortcuts } from '../browser/keys.ts'
import { operationKey, queryClient, useOperation } from './api.ts'
import type { VariablesOf } from './graphql.ts'
import { useMoment } from './moment.ts'
import { useLatest } from './use-latest.ts'
import type { Call, Operation } from './wire.ts'

/** One function for each running request of the page, which cancels the request. */
const running = new Set<() => void>()

function cancelAll(): void {
  for (const cancel of running) cancel()
}

/** The timeout of a request in milliseconds. The operator can cancel the request earlier. */
const DEADLINE_MS = 60_000

/** A hook for a costly request to the service. The request is sent once, is not repeated automatically, and can be cancelled. */
export function useRun<Doc extends Operation>(document: Doc, variables: VariablesOf<Doc>, isWanted = true) {
  const { data, error, fetchStatus, refetch } = useOperation(document, variables, {
    staleMs: 'static',
    keepPrevious: false,
    enabled: isWanted,
    deadlineMs: DEADLINE_MS,
  })
  const { asked } = useMoment(document, variables)
  const isRunning = fetchStatus === 'fetching'
  const cancel = (): void => void queryClient.cancelQueries({ queryKey: operationKey(document, asked) })
  const latest = useLatest(cancel)
  useLayoutEffect(() => {
    if (!isRunning) return
    const end = (): void => latest.current()
    running.add(end)
    return () => void running.delete(end)
  }, [isRunning, latest])
  useShortcuts(isRunning ? [{ keys: 'Escape', label: 'Cancel running requests', run: cancelAll }] : [])
  const isCancelled = isWanted && !isRunning && data === undefined && !error
  const call: Call = { document, variables }
  return { data, error, isRunning, isCancelled, cancel, run: () => void refetch(), call }
}
