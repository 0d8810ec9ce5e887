import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from '../ui/problem.tsx'

/** A page that could not be shown: it shows the reason, and a button to try again. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return <Problem error={error} onRetry={reset} />
}
