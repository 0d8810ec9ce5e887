import fs from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Sent } from '../../call/connection.ts'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { type MomentFlags, withMoment } from '../../options/moment.ts'
import { wholeNumber } from '../../options/values.ts'
import { notEmpty } from '../host/hosts.ts'
import { readSpec, type SpecFlags, type SpecInput } from '../placement/spec.ts'
import type { Overlay } from './documents.ts'

/** The options of every command that works on a fleet with hypothetical changes. */
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
  readonly overlay?: Sent<Overlay>
}

/** The request of the command: from options, from a file, or from a decision. */
export type Asked = { readonly spec: SpecInput } | { readonly decisionId: string }

const collect =
  <Value>(read: (text: string) => Value) =>
  (text: string, before: readonly Value[] = []): readonly Value[] => [...before, read(text)]

/** Parses "20xcmp-1", which adds 20 hosts like cmp-1. Without a count, one host is added. */
function readAdded(text: string): Added {
  const [, number, likeHost] = /^(?:(\d{1,5})x)?(.+)$/.exec(text) ?? []
  const count = Number(number ?? 1)
  if (likeHost === undefined || count < 1) throw new InvalidArgumentError('It must be COUNTxHOST, such as 20xrack1-a.')
  return { likeHost, count }
}

/** Adds the options for the request, the fleet changes and the profile. */
export const withHypothesis = (command: Command): Command =>
  withMoment(command)
    .option('--vcpus <n>', 'CPUs of each instance', wholeNumber(0, 100_000))
    .option('--memory-mb <n>', 'memory of each instance, in MiB', wholeNumber(0, 1_000_000_000))
    .option('--root-gb <n>', 'root disk of each instance, in GiB', wholeNumber(0, 10_000_000))
    .option('--zone <zone>', 'place instances only in this availability zone', notEmpty)
    .addOption(
      new Option('--spec <file>', "file with a whole request as JSON, in Gantt's form or Nova's; - for standard input").conflicts([
        'vcpus',
        'memoryMb',
        'rootGb',
        'zone',
      ]),
    )
    .addOption(new Option('--decision <id>', 'use the request of this decision').conflicts(['vcpus', 'memoryMb', 'rootGb', 'zone', 'spec']))
    .option(
      '--add <countxhost>',
      'fleet change: add this many hosts like a present host, e.g. 20xrack1-a; may be repeated',
      collect(readAdded),
    )
    .option(
      '--drain <host>',
      'fleet change: move all instances of this host, HOST or HOST/NODE, to other hosts; may be repeated',
      collect(String),
    )
    .option('--disable <host>', 'fleet change: disable this host, so that it accepts no new instances; may be repeated', collect(String))
    .option('--remove <host>', 'fleet change: remove this host with its instances and claims; may be repeated', collect(String))
    .option('--overlay <file>', 'file with fleet changes as JSON, a FleetOverlayInput (docs/what-if.md)', notEmpty)
    .option('--profile <name>', 'profile that decides, name or name@number', notEmpty)

/**
 * Reads the request, or the id of the decision whose request is used. --count is omitted: in these commands it is the number of copies of
 * the request, not of instances.
 */
export const readAsked = async ({ decision, count: _, ...flags }: HypothesisFlags): Promise<Asked> =>
  decision === undefined ? { spec: await readSpec(flags) } : { decisionId: decision }

/** The hypothesis in the form of the API. Changes from options are added to those of the --overlay file. */
export function readHypothesis({
  overlay: file,
  add = [],
  drain = [],
  disable = [],
  remove = [],
  profile,
  at,
}: HypothesisFlags): Hypothesis {
  const given: Sent<Overlay> = file === undefined ? {} : readOverlay(file)
  // If a field of the file is not a list, the service refuses the file.
  const listOf = <Item>(list: readonly Item[] | null | undefined): readonly Item[] => (Array.isArray(list) ? list : [])
  const overlay = {
    ...given,
    ...(add.length > 0 && { addHosts: [...listOf(given.addHosts), ...add] }),
    ...(remove.length > 0 && { removeHosts: [...listOf(given.removeHosts), ...remove] }),
    ...(drain.length > 0 && { drainHosts: [...listOf(given.drainHosts), ...drain] }),
    ...(disable.length > 0 && { disableHosts: [...listOf(given.disableHosts), ...disable] }),
  }
  return {
    ...(profile !== undefined && { profile }),
    ...(at !== undefined && { at }),
    ...(Object.keys(overlay).length > 0 && { overlay }),
  }
}

/** True if the value is an object, which may be sent as an overlay. The service validates its fields. */
const isOverlay = (value: unknown): value is Sent<Overlay> => typeof value === 'object' && value !== null && !Array.isArray(value)

function readOverlay(file: string): Sent<Overlay> {
  let content: string
  try {
    content = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `--overlay: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    const overlay: unknown = JSON.parse(content)
    if (isOverlay(overlay)) return overlay
  } catch {
    // Invalid JSON is reported below, like JSON that is not an object.
  }
  throw new CommandFailure(
    EXIT.usage,
    `--overlay: ${file} is not a JSON object; it must be a FleetOverlayInput, e.g. {"disableHosts":["rack1-a"]}`,
  )
}
