import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { addReplay } from './command.ts'
import { aFile } from './testing/files.ts'

const NODES = 'node,cpu_milli,memory_mib,gpus,gpu_model\nn1,8000,1024,2,G\nn2,8000,1024,0,\n'
const PODS = 'pod,cpu_milli,memory_mib,gpus,gpu_milli_each,gpu_models\np1,100,1,1,1000,\np2,100,1,1,1000,\np3,100,1,1,1000,\n'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})

/** The output of `gantt replay ...`, and its exit code. */
async function replay(...args: string[]): Promise<{ out: string; err: string; code: number }> {
  const said = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.out += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.err += text
    return true
  })
  let code: number | undefined
  vi.spyOn(process, 'exit').mockImplementation((given) => {
    code = Number(given)
    throw new Error('exit')
  })
  const program = new Command('gantt')
  addReplay(program)
  try {
    await program.parseAsync(['replay', ...args], { from: 'user' })
  } catch (error) {
    if (code === undefined) throw error
  }
  return { ...said, code: code ?? Number(process.exitCode ?? 0) }
}

const openb = (...more: string[]) => replay('openb', '--nodes', aFile('n.csv', NODES), '--pods', aFile('p.csv', PODS), ...more)

test('with --json the output is one line of compact JSON', async () => {
  const { out, err, code } = await openb('--profile', 'first-fit', '--seeds', '2', '--json')
  expect([out.split('\n').length, out.endsWith('\n'), err, code]).toEqual([2, true, '', 0])
  expect(JSON.parse(out)).toMatchObject({
    replay: 'openb',
    profile: 'first-fit',
    nodes: 1,
    gpuAllocatedPct: 100,
    sd: 0,
    runs: [{ seed: 1 }, { seed: 2 }],
  })
})

test('without --json the output is a table of at most 80 columns', async () => {
  const { out } = await openb('--profile', 'fgd')
  expect(out).toContain('GPUs allocated, mean')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
  expect(Math.max(...out.split('\n').map((line) => line.replaceAll(/\u001b\[\d+m/g, '').length))).toBeLessThanOrEqual(80)
})

test.each([
  ['an unknown profile', ['--profile', 'tetris'], 'It must be one of default, nova, nova-compat, first-fit'],
  ['no profile', [], "required option '--profile <name>' not specified"],
  ['zero seeds', ['--profile', 'first-fit', '--seeds', '0'], 'It must be a whole number of 1 to 100000.'],
  ['a fraction as the number of copies', ['--profile', 'first-fit', '--scale', '1.5'], 'It must be a whole number of 1 to 100000.'],
  ['an unknown option', ['--profile', 'first-fit', '--sedes', '2'], "unknown option '--sedes'"],
  [
    'a server without a scheme',
    ['--profile', 'first-fit', '--server', 'localhost:4000', '--key', 'k'],
    'it must be an http or https address',
  ],
  ['more than 100 % leave', ['--profile', 'first-fit', '--departures', '101'], 'It must be a whole number of 0 to 100.'],
  ['a concurrency of 0', ['--profile', 'first-fit', '--concurrency', '0'], 'It must be a whole number of 1 to 100000.'],
  [
    'two keys for three services',
    ['--profile', 'first-fit', ...['1', '2', '3'].flatMap((port) => ['--server', `http://127.0.0.1:${port}`]), '--key', 'a', '--key', 'b'],
    '--key is given 2 times for 3 services; it must be once, or once for each --server',
  ],
  [
    'a second replica without a scheme',
    ['--profile', 'first-fit', '--server', 'http://127.0.0.1:9,localhost:4000', '--key', 'k'],
    '--server is "localhost:4000"; it must be an http or https address, or several of one service with commas between them',
  ],
])('%s prints an error message and exits with 2', async (_name, args, message) => {
  const { err, code } = await openb(...args)
  expect(err).toContain(message)
  expect(code).toBe(2)
})

test('a trace that cannot be read prints an error message and exits with 2', async () => {
  const { out, err, code } = await replay('openb', '--nodes', '/nowhere.csv', '--pods', '/nowhere.csv', '--profile', 'first-fit', '--json')
  expect([out, err, code]).toEqual(['', 'error: /nowhere.csv cannot be read: ENOENT\n', 2])
})

test('an unreachable service prints an error message and exits with 1', async () => {
  const { err, code } = await openb('--profile', 'first-fit', '--server', 'http://127.0.0.1:9', '--key', 'k')
  expect(err).toMatch(/^error: http:\/\/127\.0\.0\.1:9\/graphql: /)
  expect(code).toBe(1)
})
