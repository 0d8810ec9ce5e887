import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

const own = useOwnService()
const { run } = own

/** A flavor so large that a host has free resources for at most one instance. */
const LARGE = ['--vcpus', '12', '--memory-mb', '24576']

test('simulate shows which copies fit, why the others do not, and how full the zones are', async () => {
  const { out, err, code } = await run('simulate', ...LARGE, '--count', '9')
  expect([err, code]).toEqual(['', 1])
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/^[1-8] of 9 instances would be placed, at revision \d+\./)
  expect(out).toContain('Why no host takes the next instance')
  // the cause of the refusal is stated in the same words as in the answer to a real request
  expect(out.replaceAll(/\s+/g, ' ')).toMatch(/Of (?:the )?\d+ hosts .*none takes it.*: .* Nearest is /)
  expect(out).toMatch(/ZONE +CLASS +USED BEFORE +AFTER +OF +FULL/)
  const more = await run('simulate', ...LARGE, '--count', '9', '--add', '9xaz1-a')
  expect([more.err, more.code]).toEqual(['', 0])
  expect(more.out).toContain('9 of 9 instances would be placed')
  expect(more.out).not.toContain('The table of hosts counts')
})

test('simulate says that its table of hosts does not count all instances, if there are more than an answer lists', async () => {
  for (const form of [[], ['--markdown']]) {
    const { out } = await run('simulate', '--vcpus', '0', '--memory-mb', '1', '--count', '503', ...form)
    const text = out.replaceAll(/\s+/g, ' ')
    expect(text).toContain('503 of 503 instances would be placed')
    expect(text).toContain('The table of hosts counts only the first 500 instances of the 503 placed.')
  }
})

test('capacity shows how many more instances fit, and fewer with a drained host', async () => {
  const { out, err, code } = await run('capacity', ...LARGE)
  expect([err, code]).toEqual(['', 0])
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/^\d+ more fit, on \d hosts, at revision \d+\.\n/)
  const fits = async (...args: readonly string[]) => oneLine<{ fits: number }>(await run('capacity', ...LARGE, ...args, '--json')).fits
  const overlay = path.join(own.folder, 'overlay.json')
  fs.writeFileSync(overlay, JSON.stringify({ removeHosts: ['az1-b'] }))
  const all = await fits()
  expect(await fits('--drain', 'az1-a')).toBe(all - 1)
  expect(await fits('--disable', 'az1-a')).toBe(all - 1)
  expect(await fits('--remove', 'az1-a')).toBe(all - 1)
  expect(await fits('--drain', 'az1-a', '--overlay', overlay)).toBe(all - 2)
  expect((await run('capacity', ...LARGE, '--drain', 'az1-a')).out).toMatch(/\d+ instances? of the drained hosts would move to other hosts/)
  expect((await run('capacity', ...LARGE, '--disable', 'az1-a')).out).not.toContain('drained')
  expect(await fits('--zone', 'az1')).toBeLessThan(all)
})

test('simulate lists request fields that have no effect', async () => {
  const file = path.join(own.folder, 'without-effect.json')
  fs.writeFileSync(file, JSON.stringify({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [{ key: 'quota:cpu_shares', value: '1' }] } }))
  const { out, code } = await run('simulate', '--spec', file)
  expect(code).toBe(0)
  expect(out.replace(/\s+/g, ' ')).toContain('Ignored fields (nothing in the profile reads them): flavor.extraSpecs.quota:cpu_shares.')
})

test('what-would-fit shows the smallest changes, which simulate accepts unchanged', async () => {
  const output = await run('select', '--vcpus', '99', '--memory-mb', '60000', '--json')
  const { decision } = oneLine<{ decision: { id: string } }>(output)
  const { out, err, code } = await run('what-would-fit', '--decision', decision.id)
  expect([err, code]).toEqual(['', 0])
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/EFFORT +HOSTS +CHANGE +GOES TO\n/)
  const { counterfactuals } = oneLine<{ counterfactuals: { simulation: object }[] }>(
    await run('what-would-fit', '--decision', decision.id, '--json'),
  )
  const answer = await own.service.client.request<{ simulate: { failed: number } }>(
    'query ($input: SimulateInput!) { simulate(input: $input) { failed } }',
    { input: counterfactuals[0]?.simulation },
  )
  expect(answer.simulate.failed).toBe(0)
})

test('simulate, capacity and what-would-fit print Markdown for a ticket, and report invalid options', async () => {
  for (const command of ['simulate', 'capacity', 'what-would-fit'])
    expect((await run(command, ...LARGE, '--markdown')).out).toMatch(/^### /)
  expect(await run('capacity', ...LARGE, '--overlay', path.join(own.folder, 'none.json'))).toMatchObject({ code: 2 })
  expect(await run('capacity', ...LARGE, '--drain', 'ghost')).toMatchObject({ code: 2 })
  const { err } = await run('simulate', ...LARGE, '--add', '3xghost', '--drain', 'spectre', '--drain', 'phantom')
  for (const host of ['ghost', 'spectre', 'phantom']) expect(err).toContain(`"${host}"; it must be the name of a host that has reported`)
  expect((await run('simulate')).err).toContain('the request is missing')
})
