import { readFileSync } from 'node:fs'
import type { Page, Route } from '@playwright/test'

/** The fields of a browser request that these helpers read. */
interface Sent {
  postData(): string | null
}

let documents: Readonly<Record<string, string>> | undefined

/**
 * The GraphQL text of a request of a page. A page sends either the text itself, or the id of a text in the list `documents.json` of its
 * build. Returns an empty text if the request has neither.
 */
export function operationOf(request: Sent): string {
  const { query, documentId } = JSON.parse(request.postData() ?? '{}') as { readonly query?: string; readonly documentId?: string }
  if (documentId === undefined) return query ?? ''
  documents ??= JSON.parse(readFileSync(new URL('../apps/console/dist/documents.json', import.meta.url), 'utf8')) as Record<string, string>
  const text = documents[documentId]
  if (text === undefined) throw new Error(`the build of the console has no operation ${documentId}`)
  return text
}

/**
 * Delays calls of the selected operations. Returns a function that counts the delayed calls, and a function that lets them continue.
 */
export async function holdCalls(page: Page, isHeld: (operation: string) => boolean) {
  let count = 0
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/graphql', async (route) => {
    if (isHeld(operationOf(route.request()))) {
      count++
      await released
    }
    await route.continue()
  })
  return { count: () => count, release }
}

/**
 * Sends an unknown key with calls of the selected operations, as if the key had been revoked. A page also makes calls on its own at any
 * time. A test that needs the call of one action to be the first refused call therefore selects the operation of that call. Returns a
 * function that makes calls use the right key again.
 */
export async function revokeKey(page: Page, isRefused: (operation: string) => boolean = () => true): Promise<() => Promise<void>> {
  const handler = async (route: Route): Promise<void> => {
    if (!isRefused(operationOf(route.request()))) return route.fallback()
    return route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer gantt_revoked-in-the-meantime' } })
  }
  await page.route('**/graphql', handler)
  return () => page.unroute('**/graphql', handler)
}
