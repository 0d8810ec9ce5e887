import { type Operation, operationKey, queryClient, useOperation } from './api.ts'
import type { VariablesOf } from './graphql.ts'
import { useShortcuts } from './keys.ts'

/** A question that costs the service time: it is asked once, not by itself again, and can be cancelled, which ends the request. */
export function useRun<Doc extends Operation>(document: Doc, variables: VariablesOf<Doc>, isWanted = true) {
  const { data, error, fetchStatus, refetch } = useOperation(document, variables, {
    staleMs: Number.POSITIVE_INFINITY,
    keepPrevious: false,
    enabled: isWanted,
  })
  const isRunning = fetchStatus === 'fetching'
  const cancel = (): void => void queryClient.cancelQueries({ queryKey: operationKey(document, variables) })
  useShortcuts(isRunning ? [{ keys: 'Escape', label: 'Cancel what is running', run: cancel }] : [])
  return { data, error, isRunning, isCancelled: isWanted && !isRunning && data === undefined && !error, cancel, run: () => void refetch() }
}
