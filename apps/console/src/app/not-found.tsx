import { Empty } from '../ui/empty.tsx'

/** An address that the console does not have. */
export function NotFoundPage() {
  return (
    <Empty title="Page not found">
      The pages are listed on the left. Press Ctrl-K to find a page, host, decision or aggregate by part of its name.
    </Empty>
  )
}
