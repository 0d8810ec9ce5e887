import { Empty } from '../ui/empty.tsx'

/** An address that the console does not have. */
export function NotFoundPage() {
  return <Empty title="No such page">The console has hosts, decisions and aggregates; choose one on the left, or press Ctrl-K.</Empty>
}
