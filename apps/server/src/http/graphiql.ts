/** The page for trying things out, with everything inside it: it loads nothing from anywhere. Read when it is first asked for. */
export function createGraphiqlPage(): () => Promise<string> {
  let page: Promise<string> | undefined
  return () => {
    page ??= import('@graphql-yoga/render-graphiql').then(({ renderGraphiQL }) => renderGraphiQL(options))
    return page
  }
}

const options = {
  title: 'Gantt',
  endpoint: '/graphql',
  subscriptionsProtocol: 'SSE',
  headers: '{\n  "Authorization": "Bearer PUT-YOUR-KEY-HERE"\n}',
  shouldPersistHeaders: false,
  defaultQuery: `# Put your key into the headers pane below, then ask.
query Hosts {
  viewer { actor { account } scopes }
  hosts(first: 10) {
    totalCount
    nodes { name availabilityZone status capacity { resourceClass free } }
  }
}
`,
} as const

/** Nothing from outside, and in no frame. GraphiQL itself is one page of inline script and style. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const
