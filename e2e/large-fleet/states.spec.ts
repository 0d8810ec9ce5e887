import type { Locator } from '@playwright/test'
import { holdCalls, operationOf } from '../calls.ts'
import { checkAccessibility, expect, type Page, test as plain } from '../fixtures.ts'
import { inWords, rowsOf } from '../grid.ts'
import { keyFor } from '../seed.ts'
import { EXTRA_TIMEOUT_MS, LARGE, type LargeFleet, test } from './large-fleet.ts'

// Every page in each of its states, on GANTT_LARGE_FLEET hosts. Each feature tests its own pages. These tests check what all pages have in
// common: while data is loading, when there is none, when reading fails or is not allowed, and in the past.

test.describe.configure({ timeout: 120_000 + EXTRA_TIMEOUT_MS })

interface Subject {
  readonly name: string
  /** The path of the page. A page whose path does not depend on the fleet is also tested on an empty fleet. */
  readonly path: string | ((fleet: LargeFleet) => string)
  readonly title: string | RegExp | ((fleet: LargeFleet) => string)
  /** An element that is visible once the data of the page is loaded. */
  readonly loaded: (page: Page) => Locator
  /** The scope that a key needs to read the page. The default is READ. */
  readonly scope?: string
}

const REQUEST = JSON.stringify({ flavor: { vcpus: 2, memoryMb: 8_192 } })
const firstRow = (label: string) => (page: Page) => rowsOf(page, label).first()
const hostOf = ({ placed }: LargeFleet): string => placed.hosts[0] ?? ''

/** Pages about the fleet. They can show the past, and are empty without hosts. */
const OF_THE_FLEET: readonly Subject[] = [
  { name: 'overview', path: '/overview', title: 'Overview', loaded: (page) => page.locator('[data-zone]').first() },
  { name: 'hosts as a table', path: '/hosts?view=table', title: 'Hosts', loaded: firstRow('Hosts') },
  {
    name: 'hosts as a map',
    path: '/hosts?view=map',
    title: 'Hosts',
    loaded: (page) => page.getByRole('application', { name: `Map of ${inWords(LARGE)} hosts` }),
  },
  {
    name: 'a host',
    path: (fleet) => `/hosts/${hostOf(fleet)}`,
    title: hostOf,
    loaded: (page) => page.getByRole('table', { name: 'Usage by resource class' }),
  },
  { name: 'aggregates', path: '/aggregates', title: 'Aggregates', loaded: firstRow('Aggregates') },
  {
    name: 'an aggregate',
    path: ({ quarter }) => `/aggregates/${quarter}`,
    title: 'fast-disks',
    loaded: firstRow('Members'),
  },
  { name: 'claims', path: '/claims', title: 'Claims', loaded: firstRow('Claims') },
  { name: 'profiles', path: '/profiles', title: 'Profiles', loaded: firstRow('Profiles') },
  {
    name: 'a profile',
    path: '/profiles/default',
    title: 'default',
    loaded: (page) => page.locator('[data-version]').first(),
  },
  {
    name: 'a simulation',
    path: `/simulate?${new URLSearchParams({ request: REQUEST })}`,
    title: 'Simulate',
    loaded: (page) => page.getByRole('region', { name: 'Outcome' }).locator('[data-placed]'),
  },
]

/** Pages about the service itself. They cannot show the past. */
const OF_THE_SERVICE: readonly Subject[] = [
  { name: 'decisions', path: '/decisions?live=off', title: 'Decisions', loaded: firstRow('Decisions') },
  {
    name: 'a decision',
    path: ({ refused }) => `/decisions/${encodeURIComponent(refused.decisionId)}`,
    title: /m1\.huge/,
    loaded: (page) => page.locator('[data-headline]'),
  },
  { name: 'replicas', path: '/replicas', title: 'Replicas', loaded: firstRow('Replicas') },
  { name: 'audit', path: '/audit', title: 'Audit', loaded: firstRow('Audit'), scope: 'OPERATE' },
  { name: 'keys', path: '/keys', title: 'Keys', loaded: firstRow('Keys'), scope: 'ADMIN' },
  { name: 'settings', path: '/settings', title: 'Settings', loaded: (page) => page.locator('[data-setting]').first(), scope: 'OPERATE' },
]

const pathOf = ({ path }: Subject, fleet: LargeFleet): string => (typeof path === 'string' ? path : path(fleet))
/** Asserts that the title of a page with data is visible. */
const expectTitle = (page: Page, { title }: Subject, fleet: LargeFleet): Promise<void> =>
  expect(titleOf(page)).toHaveText(typeof title === 'function' ? title(fleet) : title)
const titleOf = (page: Page): Locator => page.getByRole('heading', { level: 1 })
const wrong = (page: Page): Locator => page.getByRole('main').getByRole('alert')
/** Matches a count of 0. A page must not show it before the data is loaded. */
const NOTHING = /(?<![\w.:-])0(?![\w.:])/

/** The texts of the page, each as a separate item. */
const textsOf = (page: Page): Promise<string[]> =>
  page.getByRole('main').evaluate((main) => {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
    const texts: string[] = []
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '')
    return texts
  })

/** True if the page itself makes this call. Calls for the session, the status of the service and the feed are not held back. */
const isOfPage = (operation: string): boolean =>
  /^\s*query /.test(operation) && !/^\s*query (Scopes|ServiceStatus|Travel\w+|OwnKey)\b/.test(operation)

for (const subject of [...OF_THE_FLEET, ...OF_THE_SERVICE]) {
  const { name, loaded, scope = 'READ' } = subject
  test(`${name}: no count of 0 is shown before the data is loaded, and failures and missing scopes are reported`, async ({
    page,
    visit,
    axe,
    large,
    provokes,
  }) => {
    provokes(500, 403)
    const held = await holdCalls(page, isOfPage)
    await visit(pathOf(subject, large))
    await expect(titleOf(page)).toBeVisible()
    await expect.poll(() => held.count()).toBeGreaterThan(0)
    await expect(wrong(page)).toHaveCount(0)
    expect((await textsOf(page)).filter((text) => NOTHING.test(text))).toEqual([])
    await axe(`${name}, being loaded`)
    held.release()
    await expect(loaded(page)).toBeVisible()
    await expectTitle(page, subject, large)

    await page.route('**/graphql', (route) => {
      if (!isOfPage(operationOf(route.request()))) return route.continue()
      const extensions = { code: 'INTERNAL', requestId: 'request-of-the-test' }
      return route.fulfill({ status: 500, json: { errors: [{ message: 'The service failed.', extensions }] } })
    })
    await page.reload()
    for (const text of ['The service failed.', 'INTERNAL', 'request-of-the-test']) await expect(wrong(page).first()).toContainText(text)
    await axe(`${name}, failed`)
    await page.unroute('**/graphql')
    // A page with several queries shows one error for each of them.
    await expect(async () => {
      // A request can be retried automatically, and its error can then disappear before the click.
      if ((await wrong(page).count()) > 0) await wrong(page).first().getByRole('button', { name: 'Try again' }).click({ timeout: 1_000 })
      await expect(wrong(page)).toHaveCount(0, { timeout: 1_000 })
    }).toPass()
    await expect(loaded(page)).toBeVisible()

    await page.goto('about:blank')
    await page.goto(`${pathOf(subject, large)}#key=${await keyFor(large.client, `${name}-reporter`, ['REPORT'])}`)
    await expect(page.getByRole('main')).toContainText(/Your key (may not do this|lacks a scope)/)
    await expect(page.getByRole('main')).toContainText(scope)
    await axe(`${name}, with a key that may not read it`)
  })
}

for (const subject of OF_THE_FLEET) {
  const { name, loaded } = subject
  test(`${name}: a past state is shown with its moment and without live updates`, async ({ page, visit, large, axe }) => {
    const { fleet } = await large.client.request<{ fleet: { asOf: string } }>('{ fleet { asOf } }')
    const at = (revision: string) => `${pathOf(subject, large)}${pathOf(subject, large).includes('?') ? '&' : '?'}at=${revision}`
    await visit(at(fleet.asOf))
    await expect(page.getByRole('region', { name: 'Time travel' })).toHaveAttribute('data-as-of', fleet.asOf)
    await expect(loaded(page)).toBeVisible()
    await expectTitle(page, subject, large)
    await expect(page.locator('[data-live=live]')).toHaveCount(0)
    await axe(`${name}, in the past`)
    // At this revision the aggregates, the claims and half of the hosts did not exist yet.
    await page.goto(at(large.early.revision))
    await expect(page.getByRole('region', { name: 'Time travel' })).toHaveAttribute('data-as-of', large.early.revision)
    await expect(titleOf(page)).toBeVisible()
    await expect(page.getByRole('main').locator('[aria-busy=true], [role=status][aria-label$="being loaded"]')).toHaveCount(0)
    await expect(page.getByText(/The service refused|Something went wrong/)).toHaveCount(0)
    await axe(`${name}, before most of its data existed`)
  })
}

for (const { name, path, title } of [...OF_THE_FLEET, ...OF_THE_SERVICE]) {
  if (typeof path !== 'string') continue
  plain(`${name}: an empty fleet is shown as such, and not as a failure`, async ({ page, emptyService }) => {
    await page.goto(`${emptyService.origin}${path}#key=${emptyService.key}`)
    if (typeof title !== 'function') await expect(titleOf(page)).toHaveText(title)
    await expect(page.getByRole('main').locator('[aria-busy=true], [role=status][aria-label$="being loaded"]')).toHaveCount(0)
    await expect(wrong(page)).toHaveCount(0)
    await checkAccessibility(page, `${name}, empty`)
  })
}
