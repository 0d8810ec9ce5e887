import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { checkAccessibility, expect, type Page, test } from '../fixtures.ts'
import { expectRowCount, gridOf, rowWith } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { gather, report, setStatus } from '../seed.ts'

/** The present revision of the fleet. */
const headOf = async (client: Client): Promise<string> =>
  (await client.request<{ fleet: { asOf: string } }>('query Head { fleet { asOf } }')).fleet.asOf

interface Changed {
  readonly host: string
  readonly aggregate: string
  readonly uuid: string
  /** The revision before the host was set to draining. */
  readonly before: string
  /** The revision after both changes. */
  readonly after: string
}

/** Creates a host in an aggregate, then sets the host to draining and creates a second aggregate with the host. */
async function change(client: Client, name: string): Promise<Changed> {
  const host = `${name}-01`
  await report(client, { [host]: {} })
  const uuid = await gather(client, `${name}-rack`, { hosts: [host] })
  const before = await headOf(client)
  await setStatus(client, host, 'DRAINING', 'to be moved')
  await gather(client, `${name}-later`, { hosts: [host] })
  return { host, aggregate: `${name}-rack`, uuid, before, after: await headOf(client) }
}

const banner = (page: Page) => page.getByRole('region', { name: 'Time travel' })

/** Opens the first entry of the palette that contains the text. */
async function choose(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const search = page.getByRole('textbox', { name: 'Search and go' })
  await expect(search).toBeFocused()
  await search.fill(text)
  await expect(page.locator('[data-action]').first()).toContainText(text)
  await page.keyboard.press('Enter')
  // While the palette is still closing, the key that opens the palette would only close it. So wait until the palette is hidden.
  await expect(search).toBeHidden()
}

/** Asserts that the banner of the past shows this revision. */
const expectAt = (page: Page, revision: string) => expect(banner(page)).toHaveAttribute('data-as-of', revision)

test('the list and the page of a host are shown as they were before a change, even after a reload and in a second browser', {
  tag: '@rare',
}, async ({ page, visit, service, browser }) => {
  const { host, before, after } = await change(service.client, 'past')
  await visit(`/hosts?q=host:${host}&view=table&at=${before}`)
  await expectAt(page, before)
  await expectRowCount(page, 'Hosts', 1)
  await expect(rowWith(page, 'Hosts', host)).not.toContainText('draining')
  await expect(page.locator(`[data-as-of="${before}"]`).first()).toBeVisible()
  await expect(page.locator('[data-live]')).toHaveAttribute('data-live', 'off')

  // Pages that are opened from the list show the same moment.
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(new RegExp(`/hosts/${host}\\?.*at=${before}`))
  await expect(page.getByRole('heading', { level: 1, name: host })).toBeVisible()
  await expect(page.getByText('to be moved')).toHaveCount(0)
  const aggregates = page.locator('dl').getByRole('link', { name: /^past-/ })
  await expect(aggregates).toHaveText(['past-rack'])
  const address = page.url()
  await page.reload()
  await expectAt(page, before)
  await expect(aggregates).toHaveText(['past-rack'])

  const other = await browser.newPage()
  await other.goto(`${address}#key=${service.key}`)
  await expectAt(other, before)
  await expect(other.locator('dl').getByRole('link', { name: /^past-/ })).toHaveText(['past-rack'])
  await other.close()

  // "Back to now" stays on the page, and the Back button returns to the past.
  await banner(page).getByRole('link', { name: 'Back to now' }).click()
  await expect(banner(page)).toHaveCount(0)
  await expect(page).not.toHaveURL(/at=/)
  await expect(page.getByText('to be moved')).toBeVisible()
  await expect(aggregates).toHaveCount(2)
  await page.goBack()
  await expectAt(page, before)
  await page.goto(`/hosts/${host}?at=${after}`)
  await expectAt(page, after)
  await expect(page.getByText('to be moved')).toBeVisible()
})

test('nothing can be changed in the past: buttons and keys show why, and nothing is sent', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const { host, uuid, before } = await change(service.client, 'still')
  const sent: string[] = []
  page.on('request', (request) => {
    if (operationOf(request).startsWith('mutation')) sent.push(request.postData() ?? '')
  })
  for (const [address, name] of [
    [`/hosts/${host}`, 'Set status'],
    ['/aggregates', 'Create'],
    [`/aggregates/${uuid}`, 'Edit'],
    [`/aggregates/${uuid}`, 'Delete'],
    ['/keys', 'Create a key'],
  ] as const) {
    await visit(`${address}?at=${before}`)
    const button = page.getByRole('button', { name, exact: true })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAccessibleDescription(/Nothing can be changed while the console shows the past/)
    await button.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await page.goto(`/hosts?q=host:${host}&view=table&at=${before}`)
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await expect(page.getByRole('button', { name: 'Set status ...' })).toHaveAttribute('aria-disabled', 'true')
  await page.goto(`/aggregates/${uuid}?edit=yes&at=${before}`)
  await expectAt(page, before)
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
  await page.keyboard.press('e')
  await expect(page.getByText(/Nothing can be changed while the console shows the past/).first()).toBeVisible()
  // Here the dialog is already open when the moment is added to the URL.
  await page.goto('/aggregates')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByLabel('Name').fill('of-no-time')
  await page.evaluate((at) => history.replaceState(history.state, '', `${location.pathname}?at=${at}`), before)
  await page.getByRole('dialog').getByRole('button').last().click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Nothing can be changed while the console shows the past')
  expect(sent).toEqual([])
})

test('with the keyboard alone, another time, the next change and the present are opened', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const { before } = await change(service.client, 'stepped')
  await visit('/aggregates')
  await page.keyboard.press('t')
  const dialog = page.getByRole('dialog', { name: 'Show another time' })
  await expect(dialog.getByRole('textbox')).toBeFocused()
  await page.keyboard.type('yesterday')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(/Write a revision/)).toBeVisible()
  await dialog.getByRole('textbox').fill(before)
  await expect(dialog.locator(`[data-moment="${before}"]`)).toContainText(`revision ${before}`)
  await page.keyboard.press('Enter')
  await expectAt(page, before)
  await expect(rowWith(page, 'Aggregates', 'stepped-rack')).toBeVisible()
  await expect(rowWith(page, 'Aggregates', 'stepped-later')).toHaveCount(0)

  await banner(page).getByRole('link', { name: '1 revision later' }).press('Enter')
  await expectAt(page, String(Number(before) + 1))
  await banner(page).getByRole('link', { name: '1 revision earlier' }).press('Enter')
  await expectAt(page, before)
  // Pages that are opened with keys or the palette show the same moment.
  await pressSequence(page, 'g p')
  await expect(page).toHaveURL(new RegExp(`/profiles\\?at=${before}`))
  await expectAt(page, before)
  await expect(page.getByRole('heading', { level: 1, name: 'Profiles' })).toBeVisible()
  await choose(page, 'Claims')
  await expect(page).toHaveURL(new RegExp(`/claims\\?at=${before}`))
  await expect(page.getByRole('heading', { level: 1, name: 'Claims' })).toBeVisible()
  await choose(page, 'Back to now')
  await expect(banner(page)).toHaveCount(0)
  await expect(page).toHaveURL(/\/claims$/)
})

test('a decision links to the fleet at the revision of the decision, and pages that cannot show the past show a message', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  await visit(`/decisions/${service.seed.refused.decisionId}`)
  await page.getByRole('link', { name: /as it was for this decision/ }).click()
  await expect(page).toHaveURL(/\/hosts\?at=\d+/)
  await expect(banner(page)).toHaveAttribute('data-as-of', /\d+/)
  const at = await banner(page).getAttribute('data-as-of')
  for (const [address, why] of [
    ['/keys', 'This page shows the present: keys are not in the log.'],
    ['/replicas', 'This page shows the present: replicas are not in the log.'],
    ['/decisions', 'This page is not affected by the chosen time: decisions are immutable records'],
    ['/audit', 'This page is not affected by the chosen time: rows are immutable records'],
  ] as const) {
    await page.goto(`${address}?at=${at}`)
    await expect(banner(page)).toContainText(why)
  }
  // A row of the audit links to the fleet at the time of the call.
  await page.goto('/audit?q=mutation:hostSetStatus')
  await rowWith(page, 'Audit', 'hostSetStatus').first().click()
  await page.keyboard.press('Enter')
  await page
    .locator('[data-entry]')
    .getByRole('link', { name: /^\d{4}-/ })
    .click()
  await expect(page).toHaveURL(/\/hosts\?at=\d{4}-/)
  await expect(banner(page)).toHaveAttribute('data-as-of', /\d+/)
})

test('texts copied from a list of the past contain the moment', { tag: '@rare' }, async ({ page, visit, service, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { host, before } = await change(service.client, 'copied')
  await visit(`/hosts?q=host:${host}&at=${before}`)
  await expectRowCount(page, 'Hosts', 1)
  const copied = async (item: string | RegExp): Promise<string> => {
    await page.getByRole('button', { name: 'Copy as' }).click()
    const chosen = page.getByRole('menuitem', { name: item })
    const name = await chosen.textContent()
    await chosen.click()
    await expect(page.getByText(`Copied: ${name}.`).last()).toBeVisible()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  expect(await copied('GraphQL query')).toContain(`at: "${before}"`)
  expect(await copied('curl')).toContain(`at: \\"${before}\\"`)
  expect(JSON.parse(await copied(/^JSON/))).toEqual([expect.objectContaining({ host, status: 'ENABLED', at: before })])
  const [heads = '', row = ''] = (await copied(/^CSV, /)).split(/\r?\n/)
  expect([heads.split(',').at(-1), row.split(',').at(-1)]).toEqual(['at', before])
})

test('texts copied from other pages of the past contain the moment, and commands that cannot contain one are not offered', {
  tag: '@rare',
}, async ({ page, visit, service, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { host, aggregate, uuid, before } = await change(service.client, 'taken')
  const copied = async (item: string): Promise<string> => {
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
    await expect(page.getByText(`Copied: ${item}.`).last()).toBeVisible()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  await visit(`/hosts/${host}?at=${before}`)
  expect(await copied('Command line')).toBe(`gantt host show ${host} --at ${before}`)
  expect(JSON.parse(await copied('Answer, JSON'))).toMatchObject({ host: { name: host, status: 'ENABLED' } })
  await page.goto(`/aggregates/${uuid}?at=${before}`)
  expect(await copied('Command line')).toBe(`gantt aggregates show ${uuid} --at ${before}`)
  expect(JSON.parse(await copied('Answer, JSON'))).toMatchObject({ aggregate: { name: aggregate } })
  await page.goto(`/aggregates?q=name:taken-*&at=${before}`)
  expect(await copied('Command line')).toBe(`gantt aggregates --query 'name:taken-*' --at ${before}`)
  expect(JSON.parse(await copied('Answer, JSON'))).toMatchObject({ aggregates: { totalCount: 1 } })
  await page.goto(`/profiles/default?at=${before}`)
  await page.getByRole('button', { name: 'Copy as' }).click()
  await expect(page.getByRole('menuitem', { name: 'Link', exact: true })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Command line' })).toHaveCount(0)
})

test('for moments before the log, in the future or without meaning, a message and a link to another moment are shown @looks', {
  tag: '@rare',
}, async ({ page, visit, service, look, provokes }) => {
  provokes(400)
  const { host, before } = await change(service.client, 'looked')
  await visit(`/hosts?at=${before}`)
  await expectAt(page, before)
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await look('the hosts of the past')
  await page.goto(`/hosts/${host}?at=${before}`)
  await expect(page.getByRole('button', { name: 'Set status' })).toBeVisible()
  await look('a host of the past')
  await page.keyboard.press('t')
  await expect(page.getByRole('dialog', { name: 'Show another time' })).toBeVisible()
  await look('the selection of a time')
  await page.keyboard.press('Escape')

  await page.goto('/hosts?at=2001-01-01T00:00:00Z')
  await expect(banner(page)).toContainText('the log begins there')
  await expect(page.getByRole('alert')).toContainText('the log begins there')
  await look('a time before the log')
  await banner(page)
    .getByRole('link', { name: /^First kept revision/ })
    .click()
  await expectAt(page, '0')
  await page.goto('/aggregates?at=999999999')
  await expect(banner(page)).toContainText('the last revision')
  await look('a future revision')
  await page.goto('/claims?at=whenever')
  await expect(banner(page)).toContainText('a time such as')
  await banner(page).getByRole('link', { name: 'Back to now' }).click()
  await expect(banner(page)).toHaveCount(0)
})

test.describe('with forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } })

  test('with forced colours the frame and the banner of the past stay visible', { tag: '@rare' }, async ({ page, visit, service }) => {
    const { before } = await change(service.client, 'forced')
    await visit(`/aggregates?at=${before}`)
    await expectAt(page, before)
    await checkAccessibility(page, 'the past with forced colours')
    await expect(page.locator('.travelling')).toHaveCSS('outline-style', 'solid')
  })
})
