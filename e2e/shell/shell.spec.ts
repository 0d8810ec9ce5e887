import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { holdCalls } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { expectAtFirst, pressSequence } from '../keyboard.ts'
import { place } from '../seed.ts'
import { searchOf } from './search.ts'

const PAGES = [
  { name: 'Overview', path: '/overview', keys: 'g o' },
  { name: 'Hosts', path: '/hosts', keys: 'g h' },
  { name: 'Decisions', path: '/decisions', keys: 'g d' },
  { name: 'Aggregates', path: '/aggregates', keys: 'g a' },
  { name: 'Simulate', path: '/simulate', keys: 'g s' },
  { name: 'Profiles', path: '/profiles', keys: 'g p' },
  { name: 'Claims', path: '/claims', keys: 'g c' },
  { name: 'Replicas', path: '/replicas', keys: 'g r' },
  { name: 'Audit', path: '/audit', keys: 'g l' },
  { name: 'Keys', path: '/keys', keys: 'g k' },
  { name: 'GraphiQL', path: '/graphiql', keys: 'g q' },
  { name: 'Settings', path: '/settings', keys: 'g e' },
] as const

test.describe('navigation', () => {
  test('the start page is the overview', async ({ page, visit }) => {
    await visit('/')
    await expect(page).toHaveURL('/overview')
  })

  test('a click in the navigation opens each page, sets the title of the tab and marks the entry', { tag: '@rare' }, async ({
    page,
    visit,
  }) => {
    await visit('/')
    for (const { name, path } of [...PAGES].reverse()) {
      const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })
      await link.click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
      await expect(page).toHaveTitle(`${name} - Gantt`)
      await expect(link).toHaveAttribute('aria-current', 'page')
    }
  })

  test('a sequence of two keys opens each page, and Back returns', async ({ page, visit }) => {
    await visit('/')
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    for (const { name, path, keys } of [...PAGES].reverse()) {
      await pressSequence(page, keys)
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    }
    await page.goBack()
    await expect(page).toHaveURL('/hosts')
  })

  test('an opened page has the focus on its heading, except for the first page of a visit', async ({ page, visit }) => {
    await visit('/hosts')
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
    await expect(heading('Hosts')).toBeVisible()
    await expect(heading('Hosts')).not.toBeFocused()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Aggregates' }).click()
    await expect(heading('Aggregates')).toBeFocused()
    await page.getByRole('button', { name: 'Search and go, Control K' }).click()
    await searchOf(page).fill('Decis')
    await page.keyboard.press('Enter')
    await expect(heading('Decisions')).toBeFocused()
    await page.goBack()
    await expect(heading('Aggregates')).toBeFocused()
  })

  test('the first page of a visit does not get the focus when its data arrives', { tag: '@rare' }, async ({ page, visit, service }) => {
    const held = await holdCalls(page, () => true)
    await visit(`/aggregates/${service.seed.aggregates.fast}`)
    await expect(page.getByRole('heading', { name: 'Aggregate', level: 1, exact: true })).toBeVisible()
    held.release()
    await expect(page.getByRole('heading', { name: 'fast-disks', level: 1 })).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  })

  test("every page shows the state of the service: its auditor's findings, and the time of the check", async ({ page, visit, axe }) => {
    await visit('/aggregates')
    const status = page.getByRole('status', { name: /^Service: 0 violations/ })
    await expect(status).toBeVisible()
    await expect(status).toContainText(/checked .+ ago/)
    await status.focus()
    await expect(page.getByRole('tooltip')).toContainText('found no violations')
    await axe('the explanation of the status')
  })

  test('shortcuts have no effect in a text field, or if they are turned off', async ({ page, visit }) => {
    await visit('/aggregates')
    await page.keyboard.press('Control+k')
    await expect(searchOf(page)).toBeFocused()
    await page.keyboard.type('gd')
    await expect(searchOf(page)).toHaveValue('gd')
    await expect(page).toHaveURL('/aggregates')
    await page.keyboard.press('Escape')
    await expect(searchOf(page)).toBeHidden()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
    await page.keyboard.press('Escape')
    await expect(help).toBeHidden()
    await pressSequence(page, 'g h')
    await page.keyboard.press('?')
    await expect(help).toBeHidden()
    await expect(page).toHaveURL('/aggregates')
  })

  test('? lists the shortcuts of the page', async ({ page, visit }) => {
    await visit('/hosts')
    await expect(page.getByRole('heading', { name: 'Hosts', level: 1 })).toBeVisible()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const what of ['Search and go', 'Go to Hosts', 'Go to Decisions', 'Go to Aggregates', 'Show the keyboard shortcuts'])
      await expect(help.getByRole('row').filter({ hasText: what })).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(help).toBeHidden()
  })

  test('Ctrl-K finds a host by a part of its name and opens it', async ({ page, visit }) => {
    await visit('/decisions')
    await page.keyboard.press('Control+k')
    await searchOf(page).fill('az2-03')
    await expect(page.getByRole('button', { name: 'az2-03 az2' })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/hosts/az2-03')
  })

  test('the palette keeps the focus while the page below it is still loading, and passes it to the page when it is closed', {
    tag: '@rare',
  }, async ({ page, visit }) => {
    for (const { label, keys, closing, lands } of [
      { label: 'Profiles', keys: 'g p', closing: 'Enter', lands: 'Claims' },
      { label: 'Replicas', keys: 'g r', closing: 'Escape', lands: 'Replicas' },
    ]) {
      const script = new RegExp(`/assets/${label.toLowerCase()}-page-.*\\.js$`)
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route(script, async (route) => {
        await held
        await route.continue()
      })
      const asked = page.waitForRequest(script)
      // The page is loaded anew, so that nothing of the previous page remains below the palette.
      await visit('/aggregates')
      await expect(page.locator('h1')).toHaveText('Aggregates')
      await pressSequence(page, keys)
      await asked
      await page.keyboard.press('Control+k')
      await searchOf(page).fill('Claims')
      release()
      await expect(page.locator('h1')).toHaveText(label)
      await expect(searchOf(page)).toBeFocused()
      await page.keyboard.press(closing)
      await expect(searchOf(page)).toBeHidden()
      await expect(page).toHaveURL(`/${lands.toLowerCase()}`)
      await expect(page.getByRole('heading', { level: 1, name: lands })).toBeFocused()
      // The palette keeps the focus until it has faded out.
      await expect(page.locator('[aria-modal=true]')).toHaveCount(0)
      await page.unroute(script)
    }
  })

  test('Ctrl-K finds an aggregate and a page', { tag: '@rare' }, async ({ page, visit, service }) => {
    await visit('/hosts')
    await page.getByRole('button', { name: 'Search and go, Control K' }).click()
    const search = searchOf(page)
    await search.fill('fast-disks')
    await page.getByRole('button', { name: 'fast-disks', exact: true }).click()
    await expect(page).toHaveURL(`/aggregates/${service.seed.aggregates.fast}`)
    await page.keyboard.press('Control+k')
    await search.fill('Decis')
    await expect(page.getByRole('button', { name: 'Decisions', exact: true })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/decisions')
  })

  test('Ctrl-K finds a claim by its instance, and the actions of the page', { tag: '@rare' }, async ({ page, visit, service }) => {
    const instance = randomUUID()
    await place(service.client, { vcpus: 1, memoryMb: 64, instance })
    await visit('/aggregates')
    await expect(page.getByRole('grid', { name: 'Aggregates' })).toBeVisible()
    await page.keyboard.press('Control+k')
    await searchOf(page).fill(instance.slice(0, 13))
    await page.getByRole('button', { name: `of instance ${instance}` }).click()
    await expect(page).toHaveURL(/\/claims\?q=id:.*&beside=/)
    await expect(page.getByRole('complementary', { name: 'Side panel' })).toContainText(instance)
    await pressSequence(page, 'g d')
    await expect(page.getByRole('grid', { name: 'Decisions' })).toBeVisible()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await expect(page.getByRole('link', { name: 'Simulate this request' })).toBeVisible()
    await page.keyboard.press('Control+k')
    await searchOf(page).fill('simulate this')
    await page.getByRole('button', { name: 'Simulate this request', exact: true }).click()
    await expect(page).toHaveURL(/\/simulate\?/)
  })

  test('the palette shows a message if nothing is found', { tag: '@rare' }, async ({ page, visit }) => {
    await visit('/hosts')
    await page.keyboard.press('Control+k')
    await searchOf(page).fill('no-such-thing')
    await expect(page.getByText('No matching names or ids.')).toBeVisible()
  })

  test('an unknown URL shows a message with links to known pages', async ({ page, visit }) => {
    await visit('/hosts/az1-01/no/such/page')
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Decisions' }).click()
    await expect(page.getByRole('heading', { name: 'Decisions', level: 1 })).toBeVisible()
  })

  test('a URL that is neither a page nor a file gets a 404 with the known pages', async ({ page, provokes }) => {
    provokes(404)
    const answer = await page.goto('/no-such-page')
    expect(answer?.status()).toBe(404)
    await expect(page.locator('body')).toHaveText('no such address; the console is at /, the API at /graphql')
  })

  test('the first Tab stop of a page skips to the content', async ({ page, visit }) => {
    await visit('/aggregates')
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to the content' })
    await expect(skip).toBeFocused()
    await expect(skip).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main')).toBeFocused()
    await expect(page).toHaveURL(/\/aggregates#content$/)
  })
})

test.describe('appearance', () => {
  test('a button switches between light and dark colours, and the choice is stored', async ({ page, visit }) => {
    await visit('/hosts')
    const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)
    expect(await scheme()).toBe('light')
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    await expect.poll(scheme).toBe('dark')
    await page.reload()
    await expect(page.getByRole('button', { name: 'Use light colours' })).toBeVisible()
    expect(await scheme()).toBe('dark')
  })

  test('appearance: the sign-in page @looks', { tag: '@rare' }, async ({ page, look }) => {
    await page.goto('/')
    await expect(page.getByLabel('API key')).toBeVisible()
    await look('the sign-in page')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    await look('the sign-in page after a refusal')
  })

  test('appearance: palette, help and account menu @looks @rare', async ({ page, visit, look }) => {
    await visit('/aggregates')
    await page.keyboard.press('Control+k')
    await searchOf(page).fill('az')
    await expect(page.getByRole('button', { name: 'az1-01' })).toBeVisible()
    await look('the palette')
    await page.keyboard.press('Escape')
    await expect(searchOf(page)).toBeHidden()
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await look('the keys')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeHidden()
    await page.getByRole('button', { name: 'Account and settings' }).click()
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
    await look('the account menu')
  })

  test('appearance: an unknown page @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
    await visit('/hosts/az1-01/no/such/page')
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
    await look('an unknown page')
  })

  test('the navigation @looks', async ({ page, visit, look }) => {
    await visit('/aggregates')
    const nav = page.getByRole('navigation', { name: 'Pages' })
    const burger = page.getByRole('button', { name: 'Navigation' })
    if (await burger.isVisible()) await burger.click()
    await expect(nav.getByRole('link', { name: 'Decisions' })).toBeInViewport()
    await look('the navigation')
    await nav.getByRole('link', { name: 'Decisions' }).click()
    await expect(page.getByRole('heading', { name: 'Decisions', level: 1 })).toBeVisible()
  })
})

test('the console sends document ids instead of queries, and sends the full query if the replica does not know the id', async ({
  page,
  visit,
  provokes,
}) => {
  // The browser itself logs refused requests as errors.
  provokes(404)
  interface Body {
    readonly query?: string
    readonly documentId?: string
  }
  const sent: Body[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) sent.push(request.postDataJSON() as Body)
  })
  await visit('/profiles')
  await expect(page.getByRole('main').getByRole('grid').getByText('default').first()).toBeVisible()
  expect(sent.length).toBeGreaterThan(0)
  for (const { query, documentId } of sent) {
    expect(query).toBeUndefined()
    expect(documentId).toMatch(/^sha256:[0-9a-f]{64}$/)
  }
  // This route answers like a replica of another release, which does not know the ids.
  await page.route('**/graphql', (route) =>
    (route.request().postDataJSON() as Body).documentId === undefined
      ? route.continue()
      : route.fulfill({ status: 404, json: { errors: [{ message: 'not known', extensions: { code: 'PERSISTED_DOCUMENT_NOT_FOUND' } }] } }),
  )
  sent.length = 0
  await page.reload()
  await expect.poll(() => sent.some(({ query }) => query !== undefined)).toBe(true)
  await expect(page.getByRole('main').getByRole('grid').getByText('default').first()).toBeVisible()
})

test.describe('copied calls', () => {
  const pages = [
    ['/overview', 'OverviewFleet', undefined],
    ['/hosts?view=table&q=az:az1', 'Hosts', 'gantt hosts --all --query az:az1'],
    ['/hosts/az1-01', 'Host', 'gantt host show az1-01'],
    ['/aggregates?q=name:fast*', 'AggregateList', "gantt aggregates --query 'name:fast*'"],
    ['/claims', 'ClaimList', undefined],
    ['/decisions?live=off&q=outcome:PLACED', 'DecisionList', 'gantt decisions --query outcome:PLACED'],
    ['/profiles', 'ProfileList', 'gantt profile list'],
    ['/profiles/default', 'Profile', 'gantt profile show default'],
    ['/replicas', 'Replicas', 'gantt replicas'],
    ['/audit', 'AuditList', 'gantt audit list'],
    ['/keys', 'KeyList', 'gantt keys list'],
    ['/settings', 'Settings', undefined],
  ] as const

  for (const [path, operation, command] of pages)
    test(`${path}: the copied query and command are those of the page, the copied curl call works, and the keyboard suffices`, {
      tag: '@rare',
    }, async ({ page, context, visit, service, axe }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
      await visit(path)
      await expect(page.getByRole('button', { name: 'Copy as' })).toBeVisible()
      const menu = page.getByRole('menu', { name: 'Copy as' })
      await page.keyboard.press('Y')
      await expect(menu).toBeVisible()
      await axe(`${path}, to be copied`)
      await page.keyboard.press('Escape')
      await expect(menu).toBeHidden()
      const copied = async (item: string): Promise<string> => {
        await page.keyboard.press('Y')
        await expectAtFirst(page, menu)
        // If the list is longer than a page, the menu entry also states the count of copied rows.
        const named = new RegExp(`^${item}(: the first .*)?$`)
        const names = await menu.getByRole('menuitem').allTextContents()
        for (let i = names.findIndex((name) => named.test(name)); i > 0; i--) await page.keyboard.press('ArrowDown')
        await expect(menu.getByRole('menuitem', { name: named })).toBeFocused()
        await page.keyboard.press('Enter')
        await expect(page.getByText(new RegExp(`^Copied: ${item}(: the first .*)?\\.$`))).toBeVisible()
        await expect(menu).toBeHidden()
        return page.evaluate(() => navigator.clipboard.readText())
      }
      expect(await copied('Link')).toBe(page.url())
      expect(await copied('GraphQL query')).toContain(`query ${operation}`)
      if (command !== undefined) expect(await copied('Command line')).toBe(command)
      const curl = await copied('curl')
      const { stdout } = spawnSync('bash', ['-c', curl], { encoding: 'utf8', env: { ...process.env, GANTT_KEY: service.key } })
      const { data, errors } = JSON.parse(stdout) as { readonly data: object; readonly errors?: unknown }
      expect(errors).toBeUndefined()
      if (!path.startsWith('/hosts?')) expect(Object.keys(JSON.parse(await copied('Answer, JSON')))).toEqual(Object.keys(data))
    })
})
