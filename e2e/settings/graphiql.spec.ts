import type { Client } from '@gantt/client'
import { colour, expect, type Page, test } from '../fixtures.ts'
import { expectNoSidewaysScroll } from '../layout.ts'
import { activate, type Seed, writeVersion } from '../seed.ts'

const frame = (page: Page) => page.frameLocator('iframe[title=GraphiQL]')
const run = (page: Page) => frame(page).getByRole('button', { name: /Execute query/ })
const response = (page: Page) => frame(page).getByRole('region', { name: 'Response' }).or(frame(page).locator('.graphiql-response'))

const addressOf = (query: string, variables?: unknown): string => {
  const search = new URLSearchParams({ query, ...(variables === undefined ? {} : { variables: JSON.stringify(variables) }) })
  return `/graphiql?${search}`
}

/** Sends the content of the editor, and waits for this answer. */
async function ask(page: Page, answer: string | RegExp): Promise<void> {
  await expect(run(page)).toBeVisible()
  await run(page).click()
  await expect(response(page).first()).toContainText(answer)
}

test("a call in the URL is sent with the session's key, and no request goes to another server", { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const hosts = new Set<string>()
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host)
  })
  await visit(addressOf('query Q($q: String!) { hosts(first: 1, query: $q) { totalCount nodes { name } } }', { q: 'host:az1-03' }))
  await ask(page, 'az1-03')
  // Completion and checks run in the workers of the editor.
  await frame(page).getByRole('textbox', { name: 'Editor content' }).first().press('Control+Space')
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: /^Overview/ }).click()
  await ask(page, '"az1"')
  expect([...hosts]).toEqual([new URL(service.origin).host])
})

test('a mutation is sent only after the read-only mode was switched off', { tag: '@rare' }, async ({ page, visit }) => {
  const sent: string[] = []
  page.on('request', (request) => {
    const body = request.postData() ?? ''
    if (body.includes('mutation Close')) sent.push(body)
  })
  const mutation = `mutation Close { hostSetStatus(hosts: [{ host: "az3-02" }], status: DISABLED, reason: "tried", dryRun: true) { __typename } }`
  await visit(addressOf(mutation))
  await ask(page, 'read-only')
  expect(sent).toEqual([])
  await page.getByRole('switch', { name: 'Read only' }).uncheck()
  await ask(page, 'HostSetStatusPayload')
  expect(sent).toHaveLength(1)
  await page.reload()
  await expect(page.getByRole('switch', { name: 'Read only' })).toBeChecked()
})

test('a subscription shows events until it is stopped', { tag: '@rare' }, async ({ page, visit }) => {
  await visit(addressOf('subscription { hostChanged(after: "0") { revision host { name } } }'))
  await ask(page, 'revision')
  await frame(page)
    .getByRole('button', { name: /Stop query/ })
    .click()
  await expect(run(page)).toBeVisible()
})

test('the content of the editors is in the URL, and a reload shows the same content', { tag: '@rare' }, async ({ page, visit }) => {
  await visit(addressOf('{ viewer { scopes } }'))
  await ask(page, 'ADMIN')
  const editor = frame(page).getByRole('textbox', { name: 'Editor content' }).first()
  await editor.press('Control+End')
  await editor.pressSequentially(' # mine')
  await expect(page).toHaveURL(/mine/)
  await page.reload()
  await expect(frame(page).locator('.graphiql-query-editor')).toContainText('mine')
})

for (const [name, path] of [
  ['hosts', '/hosts?q=az:az1'],
  ['decisions', '/decisions'],
  ['claims', '/claims'],
  ['the audit', '/audit'],
] as const)
  test(`the call of the page of ${name} opens in GraphiQL with its variables, and works`, { tag: '@rare' }, async ({ page, visit }) => {
    await visit(path)
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'Open in GraphiQL' }).click()
    await expect(page).toHaveURL(/\/graphiql\?query=/)
    await ask(page, '"data"')
    await expect(response(page).first()).not.toContainText('"errors"')
  })

interface PanelPage {
  readonly path: (seed: Seed) => string
  /** The panels that have their own call, and the operation of each call. */
  readonly panels: Readonly<Record<string, string>>
}

const REQUEST = encodeURIComponent(JSON.stringify({ flavor: { vcpus: 8, memoryMb: 32_768 } }))

const PANELS: Readonly<Record<string, PanelPage>> = {
  overview: {
    path: () => '/overview?last=6h',
    panels: {
      'How many more m1.huge fit now': 'OverviewFits',
      'Failure causes': 'OverviewActivity',
      'Decisions over time': 'OverviewActivity',
      'Recent changes': 'OverviewChanges',
    },
  },
  'an aggregate': {
    path: ({ aggregates }) => `/aggregates/${aggregates.fast}`,
    panels: { Metadata: 'AggregateAsked', '7 members': 'AggregateMembers', History: 'AggregateHistory' },
  },
  'a decision': {
    path: ({ refused, placed }) => `/decisions/${refused.decisionId}?host=az1-01&with=${placed.decisionId}&fit=yes`,
    panels: {
      'The answer about the host': 'WhyNot',
      'What would make the request fit': 'WhatWouldFit',
      'The comparison of both decisions': 'CompareDecisions',
    },
  },
  'decisions in groups': { path: () => '/decisions?group=flavor', panels: { 'Decisions by flavor': 'DecisionGroups' } },
  'a simulation': {
    path: () => `/simulate?request=${REQUEST}`,
    panels: { Outcome: 'Simulate', 'Remaining capacity': 'Capacity' },
  },
  'a profile': {
    path: () => '/profiles/panelled?version=2&check=yes&last=24h',
    panels: {
      Rollout: 'ProfileRollout',
      'Version 2': 'ProfileVersion',
      'Effect on past requests': 'ProfileCheck',
      History: 'ProfileHistory',
    },
  },
  profiles: { path: () => '/profiles', panels: { 'Plug-ins': 'Plugins' } },
}

for (const [name, { path, panels }] of Object.entries(PANELS))
  test(`${name}: the call of each panel can be opened, and works`, { tag: '@rare' }, async ({ page, visit, service }) => {
    if (name === 'a profile') await tryTwo(service.client, 'panelled')
    const sent: { readonly operationName?: string; readonly variables?: object }[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) sent.push(request.postDataJSON() as (typeof sent)[number])
    })
    await visit(path(service.seed))
    for (const [panel, operation] of Object.entries(panels)) {
      const link = page.getByRole('link', { name: `${panel}: open in GraphiQL`, exact: true })
      const { searchParams } = new URL((await link.getAttribute('href')) ?? '', service.origin)
      const query = searchParams.get('query') ?? ''
      expect(query).toMatch(new RegExp(`^query ${operation}\\b`))
      const variables = JSON.parse(searchParams.get('variables') ?? '{}') as Record<string, unknown>
      // The page of the panel has sent exactly the same call.
      const asked = () => sent.filter(({ operationName }) => operationName === operation).map((one) => one.variables ?? {})
      await expect.poll(asked, panel).toContainEqual(variables)
      await service.client.request(query, variables)
    }
  })

/** Creates a profile with two versions. The first version is active, and the second version is in a rollout. */
async function tryTwo(client: Client, profile: string): Promise<void> {
  await writeVersion(client, profile, 'spreads', [{ name: 'RAMWeigher', multiplier: 1 }])
  await activate(client, `${profile}@1`)
  await writeVersion(client, profile, 'packs', [{ name: 'RAMWeigher', multiplier: -1 }])
  await activate(client, `${profile}@2`, { mode: 'SHADOW' })
}

test('a call that is too long for a URL cannot be linked', { tag: '@rare' }, async ({ page, visit }) => {
  const extraSpecs = Array.from({ length: 200 }, (_, i) => ({ key: `long:key-${i}`, value: 'x'.repeat(20) }))
  await visit(`/simulate?request=${encodeURIComponent(JSON.stringify({ flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs } }))}`)
  await expect(page.getByRole('region', { name: 'Outcome' })).toContainText('would be placed')
  await expect(page.getByRole('link', { name: /open in GraphiQL$/ })).toHaveCount(0)
})

test('the call of a panel that shows the past contains the moment', { tag: '@rare' }, async ({ page, visit, service }) => {
  const { fleet } = await service.client.request<{ readonly fleet: { readonly asOf: string } }>('{ fleet { asOf } }')
  await visit(`/aggregates/${service.seed.aggregates.fast}?at=${fleet.asOf}`)
  await page.getByRole('link', { name: '7 members: open in GraphiQL' }).click()
  await expect(page).toHaveURL(/\/graphiql\?query=/)
  expect(JSON.parse(new URL(page.url()).searchParams.get('variables') ?? '{}')).toMatchObject({ at: fleet.asOf })
  await ask(page, '"data"')
  await expect(response(page).first()).not.toContainText('"errors"')
})

test('a browser that opens the URL of the API is redirected to the GraphiQL page with the query', { tag: '@rare' }, async ({
  page,
  service,
}) => {
  await page.goto(`/graphql?query=${encodeURIComponent('{ viewer { scopes } }')}#key=${service.key}`)
  await expect(page).toHaveURL(/\/graphiql\?query=/)
  await ask(page, 'ADMIN')
})

test("the document for GraphiQL's frame shows nothing if it is opened outside of the frame", { tag: '@rare' }, async ({
  page,
  service,
}) => {
  const answer = await page.goto('/graphiql-frame.html')
  expect(answer?.headers()['content-security-policy']).toContain("frame-ancestors 'self'")
  await expect(page.locator('#root')).toBeEmpty()
  expect(service.origin).toBe(new URL(page.url()).origin)
})

test('appearance: GraphiQL, with editors in the colours of the page @looks', { tag: '@rare' }, async ({ page, visit, schemes, axe }) => {
  await visit(addressOf('{ viewer { scopes } }'))
  await ask(page, 'ADMIN')
  // The schemes are shown twice, because GraphiQL stores the last colours and must also change back.
  for (const scheme of [...schemes, ...schemes]) {
    await colour(page, scheme)
    const mode = scheme === 'forced' ? '' : `.graphiql-${scheme}`
    await expect(frame(page).locator(`body${mode} .graphiql-query-editor .view-line span span`).first()).toBeVisible()
    await axe(`GraphiQL, ${scheme}`)
    await expectNoSidewaysScroll(page, `GraphiQL, ${scheme}`)
  }
})
