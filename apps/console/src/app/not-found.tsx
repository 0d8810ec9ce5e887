import { Empty } from '../ui/empty.tsx'

/** An address that the console does not have. */
export function NotFoundPage() {
  return (
    <Empty title="No such page">
      Its pages are listed on the left; Ctrl-K finds a page, a host, a decision or an aggregate by a part of its name.
    </Empty>
  )
}
