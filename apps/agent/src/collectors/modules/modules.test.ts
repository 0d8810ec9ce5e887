import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Collect } from './contract.ts'
import { filesCollector } from './files.ts'
import { powerCollector } from './power.ts'
import { prometheusCollector } from './prometheus.ts'

let folder: string
let made = 0

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantt-modules-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes files into a new folder. A name that ends with a slash is a folder. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const root = path.join(folder, String(++made))
  mkdirSync(root)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    if (name.endsWith('/')) mkdirSync(path.join(root, name))
    else writeFileSync(path.join(root, name), text)
  }
  return root
}

const collect = async (collector: Collect, options: Readonly<Record<string, unknown>>) =>
  await collector({ host: 'h1', node: 'h1', namespace: 'facts', options })

describe('files', () => {
  test('the members of all files are one document', async () => {
    const root = folderWith({
      'a.json': '{"rack": "r1", "disks": [{"size": 5}]}',
      'b.toml': 'since = 2026-11-20\nwatts = 5\n[cooling]\nkind = "water"\n',
      'notes.txt': 'not read',
      '.hidden.json': '{"rack": "other"}',
    })
    expect(JSON.parse(JSON.stringify(await collect(filesCollector, { folder: root, version: '1.0' })))).toEqual({
      version: '1.0',
      document: { rack: 'r1', disks: [{ size: 5 }], since: '2026-11-20', watts: 5, cooling: { kind: 'water' } },
    })
  })

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['no file', { 'a.txt': '' }, /has no \.json or \.toml file$/],
    ['the same member twice', { 'a.json': '{"rack": 1}', 'b.toml': 'rack = 2\n' }, /^a\.json and b\.toml in .* both have "rack"/],
    ['half a document', { 'a.json': '{"rack": ' }, /a\.json: /],
    ['a list', { 'a.json': '[]' }, /a\.json: it must be an object$/],
    ['very many levels', { 'a.json': `{"a":${'['.repeat(30_000)}` }, /at most 32 levels of lists and objects, and has \d+$/],
    ['a large file', { 'a.json': JSON.stringify({ a: 'x'.repeat(70_000) }) }, /has 70008 bytes, and may have 65536$/],
    ['a folder with such a name', { 'a.json/': '' }, /is not a regular file$/],
    ['half a TOML file', { 'a.toml': 'watts = 12' }, /a\.toml: it does not end with a line end, so it may be written just now$/],
    ['an empty TOML file', { 'a.toml': '' }, /a\.toml: it does not end with a line end/],
    ['wrong TOML', { 'a.toml': 'a = \n' }, /a\.toml: /],
    ['a number that is not finite', { 'a.toml': 'watts = nan\n' }, /a\.toml: watts is NaN; a number must be finite$/],
    ['a date that does not exist', { 'a.toml': 'since = 2026-02-30\n' }, /a\.toml: since is a date that does not exist$/],
  ])('a folder with %s is an error', async (_name, files, error) => {
    await expect(collect(filesCollector, { folder: folderWith(files), version: '1.0' })).rejects.toThrow(error)
  })

  test('a file that is not UTF-8 is an error', async () => {
    const root = folderWith({})
    writeFileSync(path.join(root, 'a.json'), Buffer.from('{"rack": "\xff"}', 'latin1'))
    await expect(collect(filesCollector, { folder: root, version: '1.0' })).rejects.toThrow(/a\.json: it is not UTF-8$/)
  })

  test('a device is not read', async () => {
    const root = folderWith({})
    symlinkSync('/dev/zero', path.join(root, 'a.json'))
    await expect(collect(filesCollector, { folder: root, version: '1.0' })).rejects.toThrow('is not a regular file')
  })

  test('options are checked', async () => {
    await expect(collect(filesCollector, { folder: '/', versoin: '1.0' })).rejects.toThrow('options.version is absent; it must be a text')
    await expect(collect(filesCollector, { folder: '/', version: '1.0', more: 1 })).rejects.toThrow(
      'options.more is 1; it must be left out',
    )
  })
})

describe('prometheus', () => {
  const exposition = `# HELP node_load1 1m load average.
# TYPE node_load1 gauge
node_load1 0.42
# TYPE node_filesystem_avail_bytes gauge
node_filesystem_avail_bytes{device="/dev/sda1",mountpoint="/"} 5.5e+10
node_filesystem_avail_bytes{device="/dev/sdb1",mountpoint="/data"} 1.5e+11
node_hwmon_temp_celsius{sensor="temp1"} NaN
`
  const now = Date.now()
  const timed = `new 1 ${now}\nold 2 ${now - 3_600_000}\nfuture 3 ${now + 3_600_000}\n`
  /** The path and the credentials of each request. */
  const asked: (readonly [string | undefined, string | undefined])[] = []
  let server: Server
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push([request.url, request.headers.authorization])
      if (request.url?.startsWith('/metrics')) response.end(exposition)
      else if (request.url === '/times') response.end(timed)
      else if (request.url === '/latin') response.end(Buffer.from('m{a="\xff"} 1\n', 'latin1'))
      else if (request.url === '/flood') {
        response.on('error', () => undefined)
        const flood = (): void => {
          if (!response.destroyed) response.write('x'.repeat(1_048_576), flood)
        }
        flood()
      } else {
        response.statusCode = 503
        response.end()
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const load = { load: { metric: 'node_load1' } }
  const of = (from: string, fields: Readonly<Record<string, unknown>>) => collect(prometheusCollector, { from, version: '1.0', fields })

  test('chosen metrics become fields, by labels or combined, with a scale', async () => {
    const avail = { metric: 'node_filesystem_avail_bytes', scale: 1e-9, digits: 0 }
    expect(
      await of(`${url}/metrics`, {
        load: { metric: 'node_load1', digits: 1 },
        rootGb: { ...avail, labels: { mountpoint: '/' } },
        allGb: { ...avail, combine: 'sum' },
        leastGb: { ...avail, combine: 'min' },
        mostGb: { ...avail, combine: 'max' },
      }),
    ).toEqual({ version: '1.0', document: { load: 0.4, rootGb: 55, allGb: 205, leastGb: 55, mostGb: 150 } })
  })

  test('a metric that is absent, or is no number, is left out, and is not zero', async () => {
    const fields = { ...load, swaps: { metric: 'node_swaps' }, celsius: { metric: 'node_hwmon_temp_celsius' } }
    expect(await of(`${url}/metrics`, fields)).toEqual({ version: '1.0', document: { load: 0.42 } })
  })

  test('a file can have the text', async () => {
    const file = path.join(folderWith({ 'node.prom': exposition }), 'node.prom')
    expect(await of(pathToFileURL(file).href, load)).toEqual({ version: '1.0', document: { load: 0.42 } })
  })

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['/metrics', { a: { metric: 'none_such' } }, /has none of the metrics none_such$/],
    ['/metrics', { a: { metric: 'node_filesystem_avail_bytes' } }, /^options\.fields\.a: 2 samples of node_filesystem_avail_bytes match/],
    ['/metrics', { a: { metric: 'node_load1', combine: 'average' } }, /combine is "average"; it must be one of only, sum, min, max$/],
    ['/metrics', { a: { metric: 'node_load1', unit: 'W' } }, /^options\.fields\.a\.unit is a text of 1 character; it must be left out/],
    ['/metrics', {}, /options\.fields is absent or empty/],
    ['/none', load, /answered with status 503$/],
    ['/flood', load, /answered with more than 16777216 bytes$/],
  ])('%s with %j is an error', async (at, fields, error) => {
    await expect(of(`${url}${at}`, fields)).rejects.toThrow(error)
  })

  test('an address where nothing answers, and one of another kind, are errors', async () => {
    await expect(of('http://127.0.0.1:1/metrics', load)).rejects.toThrow(/cannot be read: /)
    await expect(of('gopher://localhost/', load)).rejects.toThrow('it must be a URL of http:, https: or file:')
  })

  test('a sample whose time is long ago is left out, and one in the future is an error', async () => {
    const fields = { now: { metric: 'new' }, before: { metric: 'old' } }
    expect(await of(`${url}/times`, fields)).toEqual({ version: '1.0', document: { now: 1 } })
    await expect(of(`${url}/times`, { later: { metric: 'future' } })).rejects.toThrow(
      /^a sample of future is dated 3[56]\d\d s in the future/,
    )
  })

  test('a text that is not UTF-8 is an error', async () => {
    await expect(of(`${url}/latin`, { a: { metric: 'm' } })).rejects.toThrow(/\/latin: it is not UTF-8$/)
  })

  test('the user and the password of a URL are sent as a header, and no error shows them', async () => {
    const withSecrets = (to: string): string => `${to.replace('//', '//ann:hunt%2Fer2@')}?token=hunter3`
    expect(await of(withSecrets(`${url}/metrics`), load)).toEqual({ version: '1.0', document: { load: 0.42 } })
    const header = `Basic ${Buffer.from('ann:hunt/er2').toString('base64')}`
    expect(asked.at(-1)).toEqual(['/metrics?token=hunter3', header])
    const failing: readonly (readonly [string, object])[] = [
      [`${url}/none`, load],
      [`${url}/flood`, load],
      [`${url}/latin`, load],
      [`${url}/metrics`, { a: { metric: 'none' } }],
      ['http://127.0.0.1:1/', load],
      [`file://${folder}/none`, load],
    ]
    for (const [to, fields] of failing) await expect(of(withSecrets(to), { ...fields })).rejects.toThrow(/^(?!.*(\bann\b|hunt|YW5uOm))/s)
  })
})

describe('power', () => {
  const MAX = '262143328850'
  const zone = (name: string, energy: string) => ({ name: `${name}\n`, energy_uj: `${energy}\n`, max_energy_range_uj: `${MAX}\n` })
  const raplOf = (zones: Readonly<Record<string, ReturnType<typeof zone>>>): string =>
    folderWith(
      Object.fromEntries(
        Object.entries(zones).flatMap(([at, files]) => Object.entries(files).map(([name, text]) => [`${at}/${name}`, text])),
      ),
    )

  /** A machine whose counters grow while they are measured, as those of the kernel do. */
  async function measure(first: string, then: string, zones = ['package']): Promise<unknown> {
    const root = raplOf({
      'intel-rapl:0': zone('package-0', first),
      'intel-rapl:0:0': zone('core', first),
      'intel-rapl:1': zone('psys', first),
    })
    const measuring = collect(powerCollector, { budgetWatts: 1_000, rapl: { root, zones, sampleSeconds: 0.5 } })
    for (const at of ['intel-rapl:0', 'intel-rapl:0:0', 'intel-rapl:1']) writeFileSync(path.join(root, at, 'energy_uj'), then)
    return (await measuring).document.freeWatts
  }

  test('the power is the energy of the chosen zones by the time, and the rest of the budget is free', async () => {
    // 100 J in at least 0.49 s are at most 205 W, which are rounded up to steps of 10 W
    const free = await measure('1000000', '101000000')
    expect(free).toBeGreaterThanOrEqual(790)
    expect(free).toBeLessThan(1_000)
  })

  test('a counter that began again after its range is understood', async () => {
    const free = await measure('262143328849', '99999999')
    expect(free).toBeGreaterThanOrEqual(790)
    expect(free).toBeLessThan(1_000)
  })

  test('counters that do not move, or whose range is wrong, are errors', async () => {
    await expect(measure('5', '5')).rejects.toThrow(/seems to draw 0 W/)
    // a counter that was reset looks as if it had begun again after its range
    await expect(measure('150000000000', '0')).rejects.toThrow(/seems to draw \d+ W; it must be more than 0 and at most maxWatts/)
    await expect(measure('262143328851', '5')).rejects.toThrow(/max_energy_range_uj is 262143328850, but the counter was 262143328851/)
  })

  test('a machine without such zones, and a counter that is not readable, are errors', async () => {
    await expect(collect(powerCollector, { budgetWatts: 5, rapl: { root: raplOf({}) } })).rejects.toThrow(
      'has no zone of RAPL whose name begins with package or dram',
    )
    const root = raplOf({ 'intel-rapl:0': { ...zone('package-0', ''), energy_uj: 'x' } })
    await expect(collect(powerCollector, { budgetWatts: 5, rapl: { root } })).rejects.toThrow('"x" is not a number of at least 0')
  })

  const bmc = (text: string, more: Readonly<Record<string, unknown>> = {}) => {
    const file = path.join(folderWith({ power: text }), 'power')
    return { file, read: () => collect(powerCollector, { budgetWatts: 800, feed: 'a', bmc: { file, ...more } }) }
  }

  test.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['350\n', {}, 450],
    ['350500000', { unit: 'uW' }, 440],
    ['{"PowerControl": [{"PowerConsumedWatts": 344}]}', { field: 'PowerControl.0.PowerConsumedWatts' }, 450],
    ['900', {}, 0],
  ])("a board controller's file %j with %j leaves %d W", async (text, more, freeWatts) => {
    expect(await bmc(text, more).read()).toEqual({ version: '1.0', document: { freeWatts, feed: 'a' } })
  })

  test('a file that nobody writes any more is an error', async () => {
    const { file, read } = bmc('350', { maxAgeSeconds: 60 })
    utimesSync(file, 0, Date.now() / 1_000 - 90)
    await expect(read()).rejects.toThrow(/is 9\d s old, and may be 60 s old$/)
  })

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['', {}, /"" is not a number of at least 0$/],
    ['-5', {}, /"-5" is not a number/],
    ['350', { unit: 'kW' }, /unit is "kW"; it must be one of W, mW, uW$/],
    ['{"a": {}}', { field: 'a.b' }, /a\.b is absent; it must be a number of at least 0$/],
    [`${'['.repeat(1_000)}`, { field: 'a' }, /at most 32 levels of lists and objects, and has \d+$/],
  ])('a file with %j and %j is an error', async (text, more, error) => {
    await expect(bmc(text, more).read()).rejects.toThrow(error)
  })

  test('a file whose time is in the future is an error, because its age is not known', async () => {
    const { file, read } = bmc('350')
    utimesSync(file, 0, Date.now() / 1_000 + 3_600)
    await expect(read()).rejects.toThrow(/is dated 3\d\d\d s in the future/)
  })

  test('a file that is not UTF-8 is an error', async () => {
    const { file, read } = bmc('')
    writeFileSync(file, Buffer.from([0x33, 0xff]))
    await expect(read()).rejects.toThrow(/it is not UTF-8$/)
  })

  test.each([
    ['0', /seems to draw 0 W; it must be more than 0 and at most maxWatts, 20000$/],
    ['350500', /seems to draw 350500 W; it must be more than 0 and at most maxWatts, 20000$/],
    ['1e999', /is not a number of at least 0$/],
    ['NaN', /is not a number of at least 0$/],
  ])('a power of %s W is not plausible', async (text, error) => {
    await expect(bmc(text).read()).rejects.toThrow(error)
  })

  test('the free power is rounded down to steps, so that not each measurement is a new document', async () => {
    const freeOf = async (watts: number, stepWatts?: number): Promise<unknown> => {
      const { file } = bmc(String(watts))
      const options = { budgetWatts: 800, ...(stepWatts !== undefined && { stepWatts }), bmc: { file } }
      return (await collect(powerCollector, options)).document.freeWatts
    }
    expect([await freeOf(343), await freeOf(349.9), await freeOf(350.1)]).toEqual([450, 450, 440])
    expect([await freeOf(343, 100), await freeOf(343, 1)]).toEqual([400, 457])
  })

  test('there is exactly one way to measure', async () => {
    await expect(collect(powerCollector, { budgetWatts: 5 })).rejects.toThrow('exactly one of rapl and bmc')
  })
})
