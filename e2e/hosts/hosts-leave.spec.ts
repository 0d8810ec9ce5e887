import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { gather, keyFor, place, report } from '../seed.ts'

const dialogOf = (page: Page, name: RegExp) => page.getByRole('dialog', { name })
const nameCell = (page: Page, name: string) => page.getByRole('grid', { name: 'Hosts' }).getByRole('row').filter({ hasText: name })

/** Reports a host with a trait that no other host has, and places an instance on this host. */
async function withClaim(client: Client, host: string): Promise<{ readonly instance: string }> {
  const trait = `CUSTOM_${host.toUpperCase().replaceAll('-', '_')}`
  const instance = randomUUID()
  await report(client, { [host]: { traits: [trait] } })
  const { hosts } = await place(client, { vcpus: 1, memoryMb: 1_024, instance, extraSpecs: { [`trait:${trait}`]: 'required' } })
  expect(hosts).toEqual([host])
  return { instance }
}

async function boundKey(client: Client, name: string, host: string): Promise<void> {
  const { apiKeyCreate } = await client.request<{ apiKeyCreate: { readonly __typename: string } }>(
    'mutation Key($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { __typename } }',
    { input: { name, account: 'agents', scopes: ['REPORT'], hosts: [host] } },
  )
  expect(apiKeyCreate.__typename).toBe('ApiKeyPayload')
}

async function change(client: Client, mutation: string): Promise<void> {
  const answer = await client.request<Record<string, { readonly __typename: string; readonly message?: string }>>(
    `mutation { ${mutation} { __typename ... on UserError { message } } }`,
  )
  for (const { __typename, message } of Object.values(answer)) expect(__typename, message).toMatch(/Payload$/)
}

const forget = (client: Client, host: string): Promise<void> =>
  change(client, `hostForget(hosts: [{ host: "${host}" }], force: true, reason: "scrapped")`)
const readmit = (client: Client, host: string): Promise<void> =>
  change(client, `hostReadmit(host: { host: "${host}" }, reason: "repaired")`)
const replace = (client: Client, host: string, by: string): Promise<void> =>
  change(client, `hostReplace(host: { host: "${host}" }, by: { host: "${by}" }, reason: "moved")`)

test('a host is forgotten after a preview of the claims that end, and its page remains and offers to readmit it @looks', {
  tag: '@rare',
}, async ({ page, visit, look, service }) => {
  const { client } = service
  const { instance } = await withClaim(client, 'lv-01')
  await gather(client, 'rack of lv-01', { hosts: ['lv-01'] })
  await boundKey(client, 'agent of lv-01', 'lv-01')
  await visit('/hosts/lv-01')
  await look('a host with all actions')
  await page.getByRole('button', { name: 'Forget' }).click()
  const dialog = dialogOf(page, /^Forget lv-01/)
  const see = dialog.getByRole('button', { name: 'Preview the impact' })
  await expect(see).toBeDisabled()
  await dialog.getByLabel('Reason').fill('scrapped')
  await see.click()
  const impact = dialog.locator('[data-claims="1"]')
  await expect(impact).toContainText('1 live claim is on the host')
  await expect(impact.getByRole('link', { name: instance })).toHaveAttribute('href', /\/claims\?q=id/)
  await expect(impact.getByRole('link', { name: 'rack of lv-01' })).toBeVisible()
  await expect(impact.getByRole('link', { name: 'agent of lv-01' })).toBeVisible()
  await expect(dialog.getByRole('alert')).toContainText('Blocked by 1 claim')
  await expect(dialog.getByRole('button', { name: 'Forget the host' })).toBeDisabled()
  await look('the preview of forgetting a host')

  await dialog.getByRole('checkbox', { name: 'End its 1 claim' }).check()
  await dialog.getByRole('button', { name: 'Forget the host and end 1 claim' }).click()
  await expect(dialog).toBeHidden()
  const gone = page.locator('[data-forgotten]')
  await expect(gone).toContainText('by admin: “scrapped”')
  await expect(gone).toContainText('Reports under its name are refused')
  for (const name of ['Set status', 'Evacuate', 'Replace', 'Forget']) await expect(page.getByRole('button', { name })).toHaveCount(0)
  await look('a forgotten host')
  await page.getByRole('tab', { name: /^Claims/ }).click()
  await page.getByRole('link', { name: 'Claims that ended' }).click()
  await expect(page.getByRole('grid', { name: 'Claims' }).getByRole('row').filter({ hasText: 'revoked' })).toHaveCount(1)
  await page.goBack()
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await expect(page.locator('tr[data-kind=FORGOTTEN]')).toContainText('“scrapped”')
  await expect(page.locator('tr[data-kind=CLAIM_ENDED]')).toContainText(instance)
  await expect(page.locator('[data-word=forgotten]')).toHaveCount(2)
  await page.reload()
  await expect(page.locator('tr[data-kind=FIRST_REPORT]')).toHaveCount(1)

  await page.getByRole('button', { name: 'Readmit' }).click()
  const back = dialogOf(page, /^Readmit lv-01/)
  await back.getByLabel('Reason').fill('repaired')
  await back.getByRole('button', { name: 'Readmit' }).click()
  await expect(gone).toContainText('Its next full report adds it to the fleet again')
  await report(client, { 'lv-01': {} })
  await expect(gone).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Forget' })).toBeVisible()
})

test('a host is replaced after a preview of what moves to the new name, which then has it, and the URL of the former name redirects @looks', {
  tag: '@rare',
}, async ({ page, visit, look, service }) => {
  const { client } = service
  const { instance } = await withClaim(client, 'lv-10')
  await boundKey(client, 'agent of lv-10', 'lv-10')
  // The machine of lv-10 has already reported under its future name lv-11.
  await report(client, { 'lv-11': { vcpus: 32 }, 'lv-12': {} })
  await withClaim(client, 'lv-13')
  await replace(client, 'lv-12', 'lv-14')
  await visit('/hosts/lv-10')
  await page.getByRole('button', { name: 'Replace' }).click()
  const dialog = dialogOf(page, /^Replace lv-10/)
  const see = dialog.getByRole('button', { name: 'Preview the changes' })
  await dialog.getByLabel('Reason').fill('moved to rack 7')
  await expect(see).toBeDisabled()

  // A refusal is shown as a sentence, and the input is kept.
  for (const [name, words] of [
    ['lv-12', /no former name of another host; readmit that name first/],
    ['lv-13', /1 live claim is on lv-13/],
  ] as const) {
    await dialog.getByLabel('New name').fill(name)
    await see.click()
    await expect(dialog.getByRole('alert')).toContainText(words)
    await expect(dialog.getByLabel('Reason')).toHaveValue('moved to rack 7')
  }
  await expect(dialog.getByRole('region', { name: 'Claims of the host' }).getByRole('link')).toHaveCount(1)
  await look('a new name that is refused')

  await dialog.getByLabel('New name').fill('lv-11')
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await see.click()
  const impact = dialog.locator('[data-claims="1"]')
  await expect(impact).toContainText('lv-11 has reported already')
  await expect(impact).toContainText('1 live claim follows the host')
  await expect(impact.getByRole('link', { name: instance })).toBeVisible()
  await expect(impact.getByRole('link', { name: 'agent of lv-10' })).toBeVisible()
  await look('the preview of replacing a host')
  await dialog.getByRole('button', { name: 'Rename the host to lv-11' }).click()
  await expect(page).toHaveURL('/hosts/lv-11?formerly=lv-10')
  await expect(page.getByRole('heading', { level: 1, name: 'lv-11' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('Former nameslv-10')
  // what the preview listed has moved: the claim with its instance, and the host of the key
  await page.getByRole('tab', { name: /^Claims/ }).click()
  await expect(page.getByRole('tabpanel').getByText(instance)).toBeVisible()
  const { claims } = await client.request<{ readonly claims: { readonly nodes: readonly { readonly instanceUuid: string }[] } }>(
    '{ claims(first: 5, query: "host:lv-11 state:confirmed,reserved") { nodes { instanceUuid } } }',
  )
  expect(claims.nodes.map(({ instanceUuid }) => instanceUuid)).toEqual([instance])

  await page.goto('/hosts/lv-10?sheet=timeline')
  await expect(page).toHaveURL('/hosts/lv-11?sheet=timeline&formerly=lv-10')
  await expect(page.locator('[data-formerly]')).toContainText('lv-10 is called lv-11 since it was replaced')
  await expect(page.locator('tr[data-kind=REPLACED]')).toContainText('“moved to rack 7”')
  await look('a host that was found by its former name')

  await page.getByRole('tab', { name: /^Decisions/ }).click()
  await expect(page.getByRole('link', { name: 'all decisions that chose it' })).toHaveAttribute('href', '/decisions?q=host:lv-10,lv-11')
  await page.goBack()

  // At a moment before the replacement there was no host with the new name. The page then links to the host under its former name.
  await page
    .locator('tr[data-kind=CLAIM_MADE]')
    .getByRole('link', { name: /the console as it was then/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Host not found' })).toBeVisible()
  await page.getByRole('link', { name: 'lv-10', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'lv-10' })).toBeVisible()

  // The former name is released for another machine.
  await page.goto('/hosts/lv-10')
  await page.getByRole('button', { name: 'Let another machine use lv-10' }).click()
  const back = dialogOf(page, /^Readmit lv-10/)
  await back.getByLabel('Reason').fill('sold')
  await back.getByRole('button', { name: 'Readmit' }).click()
  await expect(page.locator('[data-formerly]')).toContainText('Another machine may now report as lv-10')
})

test('an open page shows its host under the new name', { tag: '@rare' }, async ({ page, visit, service }) => {
  await report(service.client, { 'lv-20': {} })
  await visit('/hosts/lv-20')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await replace(service.client, 'lv-20', 'lv-21')
  await expect(page).toHaveURL('/hosts/lv-21?formerly=lv-20')
  await expect(page.locator('[data-formerly]')).toBeVisible()
})

test('an open list removes a forgotten host, shows it again once it is readmitted, and shows a replaced host under its new name', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  const { client } = service
  await report(client, { 'lv-30': {}, 'lv-31': {}, 'lv-32': {} })
  await visit('/hosts?q=host:lv-3*&view=table')
  const count = page.locator('[data-count]')
  await expect(count).toHaveAttribute('data-count', '3')
  for (const name of ['lv-30', 'lv-31']) await nameCell(page, name).getByRole('checkbox').check()
  const chosen = page.getByText(/\d chosen/)
  await expect(chosen).toContainText('2 chosen')

  await forget(client, 'lv-30')
  await expect(count).toHaveAttribute('data-count', '2')
  await expect(nameCell(page, 'lv-30')).toHaveCount(0)
  await expect(chosen).toContainText('1 chosen')
  await replace(client, 'lv-31', 'lv-39')
  await expect(nameCell(page, 'lv-39')).toHaveCount(1)
  await expect(nameCell(page, 'lv-31')).toHaveCount(0)
  // The same host is still selected.
  await expect(nameCell(page, 'lv-39').getByRole('checkbox')).toBeChecked()
  await expect(count).toHaveAttribute('data-count', '2')

  await readmit(client, 'lv-30')
  await report(client, { 'lv-30': {} })
  await expect(count).toHaveAttribute('data-count', '3')
  await expect(nameCell(page, 'lv-30')).toHaveCount(1)
})

test('forgotten hosts are listed on a page of their own @looks @rare', async ({ page, visit, look, service }) => {
  const { client } = service
  await report(client, { 'lv-40': {}, 'lv-41': {} })
  await visit('/hosts')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await forget(client, 'lv-40')
  await forget(client, 'lv-41')
  await page.getByRole('link', { name: /^\d+ forgotten$/ }).click()
  await expect(page).toHaveURL('/hosts?gone=yes')
  const rows = page.getByRole('table', { name: 'Forgotten hosts' }).getByRole('row')
  await expect(rows.filter({ hasText: 'lv-40' })).toContainText('scrapped')
  await look('hosts that were forgotten')
  await page.getByLabel('Find a forgotten host').fill('lv-41')
  await expect(rows.filter({ hasText: 'lv-40' })).toHaveCount(0)
  await page.getByRole('link', { name: 'lv-41' }).click()
  await expect(page.locator('[data-forgotten]')).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Present hosts' }).click()
  await expect(page.getByRole('grid', { name: 'Hosts' })).toBeVisible()
  // The palette finds forgotten hosts too, and shows that they left.
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('textbox').fill('lv-40')
  const found = page.getByRole('dialog').getByRole('button', { name: /lv-40/ }).first()
  await expect(found).toContainText('forgotten')
  await found.click()
  await expect(page.locator('[data-forgotten]')).toBeVisible()
})

test('a claim that was made after the preview is not ended before a new preview shows it', async ({ page, visit, service }) => {
  const { client } = service
  await withClaim(client, 'lv-60')
  await visit('/hosts/lv-60')
  await page.getByRole('button', { name: 'Forget' }).click()
  const dialog = dialogOf(page, /^Forget lv-60/)
  await dialog.getByLabel('Reason').fill('scrapped')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await dialog.getByRole('checkbox', { name: 'End its 1 claim' }).check()
  const gantt = { forceHosts: ['lv-60'], flavor: { vcpus: 1, memoryMb: 64 } }
  await client.request('mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename } }', {
    in: { idempotencyKey: crypto.randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } },
  })
  await dialog.getByRole('button', { name: 'Forget the host and end 1 claim' }).click()
  await expect(dialog).toContainText('2 live claims are on lv-60. 1 were expected: read again which claims would end.')
  const { claims } = await client.request<{ readonly claims: { readonly totalCount: number } }>(
    '{ claims(first: 1, states: [CONFIRMED, MATERIALISED], query: "host:lv-60") { totalCount } }',
  )
  expect(claims.totalCount).toBe(2)
})

test('a host cannot be forgotten without the scope or in the past, and after a failed call the dialog stays open', async ({
  page,
  visit,
  service,
  provokes,
}) => {
  const { client } = service
  await report(client, { 'lv-50': {} })
  await visit('/hosts/lv-50')
  await page.getByRole('button', { name: 'Forget' }).click()
  const dialog = dialogOf(page, /^Forget lv-50/)
  await dialog.getByLabel('Reason').fill('a long story')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByText('No claim is on the host.')).toBeVisible()
  provokes('net::ERR_FAILED')
  await page.route('**/graphql', (route) =>
    operationOf(route.request()).includes('mutation HostForget') ? route.abort() : route.fallback(),
  )
  await dialog.getByRole('button', { name: 'Forget the host' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await expect(dialog.getByLabel('Reason')).toHaveValue('a long story')
  await page.unroute('**/graphql')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  const { fleet } = await client.request<{ fleet: { readonly asOf: string } }>('{ fleet { asOf } }')
  await page.goto(`/hosts/lv-50?at=${fleet.asOf}`)
  for (const name of ['Forget', 'Replace'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveAttribute('aria-disabled', 'true')

  const key = await keyFor(client, 'lv operator', ['READ', 'OPERATE'])
  await page.goto(`/hosts/lv-50#key=${key}`)
  await expect(page.getByText('to replace or forget the host, a key needs ADMIN; your key has READ, OPERATE')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Set status' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Forget' })).toHaveCount(0)
})
