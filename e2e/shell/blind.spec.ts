import { randomUUID } from 'node:crypto'
import type { BrowserContext, Locator } from '@playwright/test'
import { operationOf } from '../calls.ts'
import { checkAccessibility, expect, type Page, test } from '../fixtures.ts'
import { gridOf, rowsOf, rowWith } from '../grid.ts'
import { place, report } from '../seed.ts'
import type { Service } from '../service.ts'

// While the service does not respond, the console must never show an outdated number as if it were current.

/** The time limit within which the page must notice that the service does not respond, even on a busy machine. */
const TIMEOUT_MS = 60_000

const status = (page: Page): Locator => page.locator('[data-service-status]')
/** The message on the page that the service has not answered for more than three seconds. */
const silent = (page: Page): Locator => page.locator('[data-no-news]')

/** The process id of the service, which is a part of the name of its replica. */
async function pidOf({ client }: Service): Promise<number> {
  const { health } = await client.request<{ readonly health: { readonly replica: string } }>('{ health { replica } }')
  const pid = Number(health.replica.split('-').at(-2))
  if (!Number.isInteger(pid) || pid < 2) throw new Error(`the replica is named ${health.replica}; there must be a process id in it`)
  return pid
}

/** Pauses the service with SIGSTOP during an action. The paused service keeps its connections open and sends nothing. */
async function whileStopped(service: Service, run: () => Promise<void>): Promise<void> {
  const pid = await pidOf(service)
  process.kill(pid, 'SIGSTOP')
  try {
    await run()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

async function open(context: BrowserContext, service: Service, path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${service.origin}${path}#key=${service.key}`)
  await expect(page.getByRole('main')).toBeVisible()
  return page
}

/**
 * Pages of each kind. `live` is the content that is visible once the page is loaded, and must not look current while the service does not
 * respond.
 */
const pages: readonly (readonly [path: string, live: (page: Page) => Locator])[] = [
  ['/overview', (page) => page.locator('[data-figure="Conflicts"]')],
  ['/hosts', (page) => gridOf(page, 'Hosts')],
  ['/hosts/az1-01', (page) => page.getByRole('tab', { name: 'Summary' })],
  ['/decisions', (page) => gridOf(page, 'Decisions')],
  ['/claims', (page) => gridOf(page, 'Claims')],
  ['/replicas', (page) => gridOf(page, 'Replicas')],
  ['/aggregates', (page) => gridOf(page, 'Aggregates')],
  ['/profiles', (page) => gridOf(page, 'Profiles')],
]

test('while the service is paused every page shows a message and is dimmed, and afterwards the pages are current again', {
  tag: '@rare',
}, async ({ context, service }) => {
  test.setTimeout(300_000)
  const opened: { readonly path: string; readonly page: Page; readonly live: Locator }[] = []
  for (const [path, live] of pages) {
    const page = await open(context, service, path)
    opened.push({ path, page, live: live(page) })
    await expect(live(page), path).toBeVisible()
  }
  for (const { path, page } of opened) {
    await expect(status(page), path).toContainText(/\d violations?/)
    await expect(silent(page), path).toHaveCount(0)
    for (const badge of await page.locator('[data-live]').all()) await expect(badge, path).toHaveAttribute('data-live', 'live')
  }
  await whileStopped(service, async () => {
    for (const { path, page, live } of opened) {
      await expect(status(page), path).toContainText(/No updates for \d+ /, { timeout: TIMEOUT_MS })
      await expect(status(page), path).not.toContainText('violation')
      await expect(page.locator('.stale').filter({ has: live }).first(), path).toBeVisible()
      await expect(page.locator('[data-as-of-read]').first(), path).toContainText(/No updates for \d+ /)
      await expect(page.locator('[data-live="live"]'), path).toHaveCount(0)
      await checkAccessibility(page, `${path} without news`)
    }
  })
  for (const { path, page } of opened) {
    await expect(status(page), path).toContainText(/\d violations?/, { timeout: TIMEOUT_MS })
    await expect(page.locator('.stale'), path).toHaveCount(0, { timeout: TIMEOUT_MS })
    for (const badge of await page.locator('[data-live]').all())
      await expect(badge, path).toHaveAttribute('data-live', 'live', { timeout: TIMEOUT_MS })
    await page.close()
  }
})

test('after 30 s without the network no data looks current, and when the network returns the lists have all changes', {
  tag: '@rare',
}, async ({ context, page, visit, service, provokes }) => {
  test.setTimeout(300_000)
  provokes('ERR_INTERNET_DISCONNECTED')
  await visit('/decisions?q=flavor:blind.*')
  const hosts = await open(context, service, '/hosts?q=host:blind-*')
  const claims = await open(context, service, '/claims?q=host:blind-*')
  for (const one of [page, hosts, claims]) await expect(status(one)).toContainText(/\d violations?/)
  for (const one of [page, hosts]) await expect(one.locator('[data-live]')).toHaveAttribute('data-live', 'live')
  await context.setOffline(true)
  const placed = { flavor: 'blind.placed', extraSpecs: { 'trait:CUSTOM_BLIND': 'required' } }
  for (const one of [page, hosts, claims]) await expect(status(one)).toContainText(/No updates for \d+ (s|min)/, { timeout: TIMEOUT_MS })
  await report(service.client, { 'blind-01': { traits: ['CUSTOM_BLIND'] } })
  expect((await place(service.client, placed)).outcome).toBe('PLACED')
  expect((await place(service.client, { flavor: 'blind.refused', vcpus: 999 })).outcome).toBe('NO_VALID_HOST')
  for (const one of [page, hosts, claims]) {
    await expect(status(one)).toContainText(/No updates for (3\d s|[4-9]\d s|\d+ min)/, { timeout: TIMEOUT_MS })
    await expect(one.locator('[data-live="live"]')).toHaveCount(0)
  }
  await context.setOffline(false)
  await expect(rowWith(page, 'Decisions', 'blind.placed')).toHaveCount(1, { timeout: TIMEOUT_MS })
  await expect(rowWith(page, 'Decisions', 'blind.refused')).toHaveCount(1)
  await expect(rowWith(hosts, 'Hosts', 'blind-01')).toBeVisible({ timeout: TIMEOUT_MS })
  await expect(rowWith(claims, 'Claims', 'blind-01')).toBeVisible({ timeout: TIMEOUT_MS })
  for (const one of [page, hosts, claims]) {
    await expect(status(one)).toContainText(/\d violations?/, { timeout: TIMEOUT_MS })
    await expect(one.locator('.stale')).toHaveCount(0, { timeout: TIMEOUT_MS })
  }
  for (const one of [page, hosts]) await expect(one.locator('[data-live]')).toHaveAttribute('data-live', 'live', { timeout: TIMEOUT_MS })
  await hosts.close()
  await claims.close()
})

/** Leaves calls of the named operation without an answer. Returns a function that lets them be answered. */
async function hang(page: Page, name: string): Promise<() => Promise<void>> {
  const held = async (route: Parameters<Parameters<Page['route']>[1]>[0]): Promise<void> => {
    if (!operationOf(route.request()).includes(`query ${name}`)) await route.fallback()
  }
  await page.route('**/graphql', held)
  return () => page.unroute('**/graphql', held)
}

test('a request that gets no answer becomes an error with a retry button, while heartbeats show that the service is alive', {
  tag: '@colours',
}, async ({ page, visit, look }) => {
  const unblock = await hang(page, 'ClaimList')
  await visit('/claims')
  const problem = page.getByRole('alert').filter({ hasText: 'No answer in time' }).first()
  await expect(problem).toBeVisible({ timeout: TIMEOUT_MS })
  await expect(status(page)).toContainText(/\d violations?/)
  await look('a request that got no answer')
  await unblock()
  await problem.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('data that could not be refreshed in time is dimmed, even if other requests are answered', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/replicas')
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await expect(silent(page)).toHaveCount(0)
  const unblock = await hang(page, 'Replicas')
  await expect(page.locator('[data-as-of-read]')).toContainText(/No updates for \d+ (s|min)/, { timeout: TIMEOUT_MS })
  await expect(status(page)).toContainText(/\d violations?/)
  await unblock()
  await expect(silent(page)).toHaveCount(0, { timeout: TIMEOUT_MS })
})

test('an evacuation first lists the instances that it will not move', { tag: '@colours' }, async ({ page, visit, service, look }) => {
  const instances = [randomUUID(), randomUUID()]
  await report(service.client, { 'legacy-01': { runningVms: 2, instances } })
  await visit('/hosts/legacy-01')
  await page.getByRole('button', { name: 'Evacuate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Preview the moves' }).click()
  await expect(dialog.getByRole('alert')).toContainText('2 instances will not move')
  await expect(dialog.getByRole('alert')).toContainText('without claims')
  await look('an evacuation that leaves instances behind')
})

test('the amounts of one refused host are not shown as the amounts of all refused hosts', async ({ page, visit, service }) => {
  const names = ['mixed-01', 'mixed-02']
  await report(service.client, Object.fromEntries(names.map((name) => [name, {}])))
  const statuses = ['MAINTENANCE', 'DRAINING']
  for (const [i, name] of names.entries())
    await service.client.request(
      'mutation ($host: String!, $status: HostStatus!) { hostSetStatus(hosts: [{ host: $host }], status: $status, reason: "test") { __typename } }',
      { host: name, status: statuses[i] },
    )
  expect((await place(service.client, { flavor: 'mixed.fails', vcpus: 999 })).outcome).toBe('NO_VALID_HOST')
  await visit('/decisions?q=flavor:mixed.fails')
  await gridOf(page, 'Decisions').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('o')
  const reasons = page.getByRole('region', { name: 'Reasons' })
  await expect(reasons).toBeVisible()
  for (const reason of await reasons.getByRole('listitem').all()) await expect(reason).toHaveText(/^(1 host: |\d+ hosts, for example: )/)
})
