import { Empty } from '../ui/empty.tsx'

/** The page for an unknown URL. */
export function NotFoundPage() {
  return (
    <Empty title="Page not found">
      The pages are listed on the left. Press Ctrl-K to find a page, host, decision or aggregate by part of its name.
    </Empty>
  )
}
