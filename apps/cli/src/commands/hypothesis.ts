import fs from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandFailure, EXIT } from './failure.ts'
import { notEmpty } from './hosts.ts'
import { type MomentFlags, withMoment } from './moment.ts'
import { wholeNumber } from './options.ts'
import { readSpec, type SpecFlags, type SpecInput } from './spec.ts'

/** Options of every question about a fleet that is not. */
export interface HypothesisFlags extends SpecFlags, MomentFlags {
  readonly decision?: string
  readonly overlay?: string
  readonly add?: readonly Added[]
  readonly drain?: readonly string[]
  readonly disable?: readonly string[]
  readonly remove?: readonly string[]
  readonly profile?: string
}

interface Added {
  readonly likeHost: string
  readonly count: number
}

interface Hypothesis {
  readonly profile?: string
  readonly at?: string
  readonly overlay?: Readonly<Record<string, unknown>>
}

/** What is asked about: a request, or that of a decision. */
export type Asked = { readonly spec: SpecInput } | { readonly decisionId: string }

const collect =
  <Value>(read: (text: string) => Value) =>
  (text: string, before: readonly Value[] = []): readonly Value[] => [...before, read(text)]

/** "20xcmp-1": so many hosts like that one; without a number one. */
function readAdded(text: string): Added {
  const [, number, likeHost] = /^(?:(\d{1,5})x)?(.+)$/.exec(text) ?? []
  const count = Number(number ?? 1)
  if (likeHost === undefined || count < 1) throw new InvalidArgumentError('It must be COUNTxHOST, such as 20xrack1-a.')
  return { likeHost, count }
}

/** The options that say what is asked about, and how the fleet and the profile are other than they are. */
export const withHypothesis = (command: Command): Command =>
  withMoment(command)
    .option('--vcpus <n>', 'CPUs of each instance', wholeNumber(0, 100_000))
    .option('--memory-mb <n>', 'its memory in MiB', wholeNumber(0, 1_000_000_000))
    .option('--root-gb <n>', 'its root disk in GiB', wholeNumber(0, 10_000_000))
    .option('--zone <zone>', 'only in this availability zone', notEmpty)
    .addOption(
      new Option('--spec <file>', "a whole request as JSON, ours or Nova's; - is standard input").conflicts([
        'vcpus',
        'memoryMb',
        'rootGb',
        'zone',
      ]),
    )
    .addOption(new Option('--decision <id>', 'the request of a decision').conflicts(['vcpus', 'memoryMb', 'rootGb', 'zone', 'spec']))
    .option('--add <countxhost>', 'as if there were so many more hosts like this one, e.g. 20xrack1-a; may be repeated', collect(readAdded))
    .option(
      '--drain <host>',
      'as if this host, HOST or HOST/NODE, were emptied: its instances move to others; may be repeated',
      collect(String),
    )
    .option('--disable <host>', 'as if it took nothing new, and kept what it has; may be repeated', collect(String))
    .option('--remove <host>', 'as if it were gone, and what is on it too; may be repeated', collect(String))
    .option('--overlay <file>', 'as if the fleet were so: a FleetOverlayInput as JSON (docs/what-if.md)', notEmpty)
    .option('--profile <name>', 'decide by this profile, name or name@number', notEmpty)

/** The request, or whose. A count is of copies of it here, not of its instances. */
export const readAsked = async ({ decision, count: _, ...flags }: HypothesisFlags): Promise<Asked> =>
  decision === undefined ? { spec: await readSpec(flags) } : { decisionId: decision }

/** The hypothesis as the API takes it; short options add to what the file says. */
export function readHypothesis({
  overlay: file,
  add = [],
  drain = [],
  disable = [],
  remove = [],
  profile,
  at,
}: HypothesisFlags): Hypothesis {
  const given = file === undefined ? {} : readOverlay(file)
  const listOf = (field: string): readonly unknown[] => (Array.isArray(given[field]) ? given[field] : [])
  const overlay = {
    ...given,
    ...(add.length > 0 && { addHosts: [...listOf('addHosts'), ...add] }),
    ...(remove.length > 0 && { removeHosts: [...listOf('removeHosts'), ...remove] }),
    ...(drain.length > 0 && { drainHosts: [...listOf('drainHosts'), ...drain] }),
    ...(disable.length > 0 && { disableHosts: [...listOf('disableHosts'), ...disable] }),
  }
  return {
    ...(profile !== undefined && { profile }),
    ...(at !== undefined && { at }),
    ...(Object.keys(overlay).length > 0 && { overlay }),
  }
}

function readOverlay(file: string): Readonly<Record<string, unknown>> {
  let content: string
  try {
    content = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `--overlay: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    const overlay: unknown = JSON.parse(content)
    if (overlay !== null && typeof overlay === 'object' && !Array.isArray(overlay)) return { ...overlay }
  } catch {
    // told below: what is no JSON is no object either
  }
  throw new CommandFailure(
    EXIT.usage,
    `--overlay: ${file} is no JSON object; it must be a FleetOverlayInput, e.g. {"disableHosts":["rack1-a"]}`,
  )
}
