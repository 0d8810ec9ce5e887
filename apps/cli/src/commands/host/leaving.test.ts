import { expect, test } from 'vitest'
import { oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

const { run } = useOwnService()

const why = ['--reason', 'scrapped'] as const

test('after a preview of the claims that end, a host is forgotten, and its reports are accepted again after it is readmitted', async () => {
  type Placed = { destinations: { selected: { host: { name: string }; claim: { id: string } } }[] }
  const placed = oneLine<Placed>(await run('select', '--vcpus', '1', '--memory-mb', '512', '--confirm', '--json')).destinations[0]
  const host = placed?.selected.host.name ?? ''
  const refused = await run('host', 'forget', host, ...why)
  expect([refused.code, widthOf(refused.out) <= 80]).toEqual([1, true])
  expect(refused.out).toMatch(/^1 live claim is on .*\n\nCLAIM .*\n[0-9a-f-]{36} .* CONFIRMED /s)

  const shown = await run('host', 'forget', host, '--force', ...why)
  expect([shown.err, shown.code]).toEqual(['', 0])
  expect(shown.out).toMatch(
    /^Nothing was changed. This would forget .*\n1 claim would end REVOKED:\n.*Add --claims 1 --yes to end these and no others.\n$/s,
  )
  expect((await run('hosts', '--name', host)).out).toContain(host)

  const other = await run('host', 'forget', host, '--force', '--claims', '2', '--yes', ...why)
  expect([other.code, other.out]).toEqual([1, expect.stringMatching(/^1 live claim is on .*2 were\s+expected/s)])

  // a preview needs no reason, unlike a real change
  const preview = await run('host', 'forget', host, '--force')
  expect([preview.code, preview.out]).toEqual([0, expect.stringMatching(/^Nothing was changed\. This would forget /)])
  const unsaid = await run('host', 'forget', host, '--force', '--claims', '1', '--yes')
  expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining('--reason is missing')])

  const done = await run('host', 'forget', host, '--force', '--claims', '1', '--yes', ...why)
  expect([done.code, done.out]).toEqual([0, expect.stringMatching(/^Forgotten: .*\n1 claim ended REVOKED:\n/)])
  expect((await run('hosts', '--name', host)).out).not.toContain(host)
  expect((await run('host', 'forget', host, '--yes', ...why)).out).toBe(`${host}: already forgotten; nothing was changed.\n`)
  const gone = await run('hosts', '--gone')
  expect([gone.code, gone.out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^NAME .*\n${host} +\\S.* ago +refused +scrapped\n\n1 forgotten host\\.\n$`)),
  ])
  expect((await run('hosts', '--gone', '--name', 'never')).out).toBe('No matching forgotten hosts.\n')
  expect((await run('hosts', '--gone', '--zone', 'az1')).code).toBe(2)
  expect((await run('host', 'show', host)).out).toMatch(/\nforgotten +\S+: scrapped; its reports are\s+refused until\s+it is readmitted/)

  expect((await run('host', 'readmit', host, '--reason', 'repaired')).out).toBe(
    `Reports of ${host} are accepted again.\nThe host returns with its next full report.\n`,
  )
  expect((await run('host', 'readmit', host, '--reason', 'repaired')).out).toContain('nothing was changed')
  expect((await run('host', 'readmit', 'never', '--reason', 'x')).code).toBe(2)
})

test('a host is replaced after a preview, and the old name still finds the host', async () => {
  const [name = ''] = oneLine<{ hosts: { name: string }[] }>(await run('hosts', '--json')).hosts.map((host) => host.name)
  expect((await run('host', 'replace', name, 'moved-1', '--yes')).err).toContain('--reason is missing')
  const shown = await run('host', 'replace', name, 'moved-1')
  expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^Nothing was changed. This would rename .* to moved-1.\n/)])
  expect((await run('host', 'replace', name, 'moved-1', '--reason', 'new rack', '--yes')).out).toContain(`${name} is now called moved-1.`)
  expect((await run('host', 'replace', name, 'moved-1', '--reason', 'new rack', '--yes')).out).toContain('is already called moved-1')
  expect((await run('host', 'show', name)).out).toMatch(new RegExp(`host +moved-1\\nwas called +${name}\\n`))
  const taken = await run('host', 'replace', 'moved-1', 'moved-1', '--reason', 'x', '--yes')
  expect([taken.code, taken.err]).toEqual([2, expect.stringContaining('another name')])
})
