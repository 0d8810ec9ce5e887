import type { Client } from '@gantt/client'

interface Page<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** Reads all pages of a list. `document` has the variable `$after`, and its field `field` is the list. */
export async function readAllPages<Node>(client: Client, document: string, field: string): Promise<readonly Node[]> {
  const found: Node[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Node> | undefined = (await client.request<Readonly<Record<string, Page<Node>>>>(document, { after }))[field]
    if (page === undefined) throw new Error(`expected a page of ${field}, found an answer without it`)
    found.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return found
    after = page.pageInfo.endCursor
  }
}

const CLAIMS = `query Claims($after: String) {
  claims(first: 500, after: $after, states: [RESERVED, CONFIRMED, MATERIALISED]) { nodes { id } pageInfo { hasNextPage endCursor } } }`

/** The ids of all live claims of a service. */
export async function liveClaimsOf(client: Client): Promise<readonly string[]> {
  return (await readAllPages<{ readonly id: string }>(client, CLAIMS, 'claims')).map(({ id }) => id)
}
