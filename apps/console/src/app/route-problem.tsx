import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from '../ui/problem.tsx'

/** Shown instead of a page that could not be loaded: the reason, and a button to try again. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return <Problem error={error} onRetry={reset} />
}
