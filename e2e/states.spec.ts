import type { Locator } from '@playwright/test'
import { holdCalls, operationOf } from './calls.ts'
import { checkAccessibility, expect, type Page, test as plain } from './fixtures.ts'
import { inWords, rowsOf } from './grid.ts'
import { LARGE, type LargeFleet, LONGER_MS, test } from './large-fleet.ts'
import { keyFor } from './seed.ts'

// Every page in the states that a page can be in, on as many hosts as GANTT_LARGE_FLEET says. What a page is for is tested with its
// feature; here stands what all of them owe while there is nothing yet, when there is nothing at all, when it fails, when it may not
// be read, and in the past.

test.describe.configure({ timeout: 120_000 + LONGER_MS })

interface Subject {
  readonly name: string
  /** One that needs no fleet is of an empty one too. */
  readonly path: string | ((fleet: LargeFleet) => string)
  readonly title: string | RegExp | ((fleet: LargeFleet) => string)
  /** There once the page has what it is about. */
  readonly loaded: (page: Page) => Locator
  /** What a key needs to read it; READ if not given. */
  readonly scope?: string
}

const REQUEST = JSON.stringify({ flavor: { vcpus: 2, memoryMb: 8_192 } })
const firstRow = (label: string) => (page: Page) => rowsOf(page, label).first()
const hostOf = ({ placed }: LargeFleet): string => placed.hosts[0] ?? ''

/** What is of a fleet: it has a past, and without hosts nothing to show. */
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

/** What is as it is, whenever one looks. */
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
/** What stands above a page that has what it is about. */
const expectTitle = (page: Page, { title }: Subject, fleet: LargeFleet): Promise<void> =>
  expect(titleOf(page)).toHaveText(typeof title === 'function' ? title(fleet) : title)
const titleOf = (page: Page): Locator => page.getByRole('heading', { level: 1 })
const wrong = (page: Page): Locator => page.getByRole('main').getByRole('alert')
/** A count of nothing, which it would be too early for. */
const NOTHING = /(?<![\w.:-])0(?![\w.:])/

/** Every text of the page by itself. */
const textsOf = (page: Page): Promise<string[]> =>
  page.getByRole('main').evaluate((main) => {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
    const texts: string[] = []
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '')
    return texts
  })

/** The page's own calls; who looks, how the service stands, and the feed go on. */
const isOfPage = (operation: string): boolean =>
  /^\s*query /.test(operation) && !/^\s*query (Scopes|Standing|Travel\w+|OwnKey)\b/.test(operation)

for (const subject of [...OF_THE_FLEET, ...OF_THE_SERVICE]) {
  const { name, loaded, scope = 'READ' } = subject
  test(`${name}: it reports no number before it has one, what failed, and which scope a key lacks`, async ({
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
    // what is made of several answers fails in several places
    await expect(async () => {
      // some are decided again by themselves, and may be gone before they are clicked
      if ((await wrong(page).count()) > 0) await wrong(page).first().getByRole('button', { name: 'Try again' }).click({ timeout: 1_000 })
      await expect(wrong(page)).toHaveCount(0, { timeout: 1_000 })
    }).toPass()
    await expect(loaded(page)).toBeVisible()

    await page.goto('about:blank')
    await page.goto(`${pathOf(subject, large)}#key=${await keyFor(large.client, `${name}-reporter`, ['REPORT'])}`)
    await expect(page.getByRole('main')).toContainText(/Your key (may not do this|lacks a scope)/)
    await expect(page.getByRole('main')).toContainText(scope)
    await axe(`${name}, not to be read`)
  })
}

for (const subject of OF_THE_FLEET) {
  const { name, loaded } = subject
  test(`${name}: in the past it says which moment it shows, and follows nothing`, async ({ page, visit, large, axe }) => {
    const { fleet } = await large.client.request<{ fleet: { asOf: string } }>('{ fleet { asOf } }')
    const at = (revision: string) => `${pathOf(subject, large)}${pathOf(subject, large).includes('?') ? '&' : '?'}at=${revision}`
    await visit(at(fleet.asOf))
    await expect(page.getByRole('region', { name: 'Time travel' })).toHaveAttribute('data-as-of', fleet.asOf)
    await expect(loaded(page)).toBeVisible()
    await expectTitle(page, subject, large)
    await expect(page.locator('[data-live=live]')).toHaveCount(0)
    await axe(`${name}, in the past`)
    // before there were aggregates, claims and profiles, and half of the hosts
    await page.goto(at(large.early.revision))
    await expect(page.getByRole('region', { name: 'Time travel' })).toHaveAttribute('data-as-of', large.early.revision)
    await expect(titleOf(page)).toBeVisible()
    await expect(page.getByRole('main').locator('[aria-busy=true], [role=status][aria-label$="being loaded"]')).toHaveCount(0)
    await expect(page.getByText(/The service refused|Something went wrong/)).toHaveCount(0)
    await axe(`${name}, before most of it`)
  })
}

for (const { name, path, title } of [...OF_THE_FLEET, ...OF_THE_SERVICE]) {
  if (typeof path !== 'string') continue
  plain(`${name}: of an empty fleet it says so, and nothing has failed`, async ({ page, emptyService }) => {
    await page.goto(`${emptyService.origin}${path}#key=${emptyService.key}`)
    if (typeof title !== 'function') await expect(titleOf(page)).toHaveText(title)
    await expect(page.getByRole('main').locator('[aria-busy=true], [role=status][aria-label$="being loaded"]')).toHaveCount(0)
    await expect(wrong(page)).toHaveCount(0)
    await checkAccessibility(page, `${name}, empty`)
  })
}
