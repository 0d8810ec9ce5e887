import { useLayoutEffect } from 'react'
import { operationKey, queryClient, useOperation } from './api.ts'
import type { VariablesOf } from './graphql.ts'
import { useShortcuts } from './keys.ts'
import { useMoment } from './moment.ts'
import { useLatest } from './use-latest.ts'
import type { Call, Operation } from './wire.ts'

/** What ends each question that is asked at present: a page may ask several. */
const running = new Set<() => void>()

function cancelAll(): void {
  for (const cancel of running) cancel()
}

/** So long it may take: whoever does not want to wait cancels it. */
const DEADLINE_MS = 60_000

/** A question that costs the service time: it is asked once, not by itself again, and can be cancelled, which ends the request. */
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
  useShortcuts(isRunning ? [{ keys: 'Escape', label: 'Cancel what is running', run: cancelAll }] : [])
  const isCancelled = isWanted && !isRunning && data === undefined && !error
  const call: Call = { document, variables }
  return { data, error, isRunning, isCancelled, cancel, run: () => void refetch(), call }
}
